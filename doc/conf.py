# SPDX-License-Identifier: GPL-2.0-only
import pathlib
import sys

from docutils.parsers import rst
from sphinx.directives.code import LiteralInclude

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import columns  # noqa: E402
import policies  # noqa: E402
import traceability  # noqa: E402

project = "hpcc for ns-3"
copyright = "the hpcc authors"
master_doc = "index"
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {"page_width": "1180px", "body_max_width": "none"}
html_static_path = ["book.css"]
html_css_files = ["book.css"]
html_show_sourcelink = False


def directive(module):
    """Returns the directive that inserts the chapter that a module generates."""

    class Generated(rst.Directive):
        def run(self):
            self.state.document.settings.record_dependencies.add(str(module.PATH))
            self.state_machine.insert_input(list(module.chapter(module.read())), str(module.PATH))
            return []

    return Generated


class Policy(rst.Directive):
    """Inserts the names and parameters of the policy class that is its argument."""

    required_arguments = 1

    def run(self):
        self.state.document.settings.record_dependencies.add(str(policies.PATH))
        self.state_machine.insert_input(list(policies.chapter(self.arguments[0])), str(policies.PATH))
        return []


class CaptionedInclude(LiteralInclude):
    """Shows a part of a file under the path of this file in the repository."""

    def run(self):
        _, path = self.env.relfn2path(self.arguments[0])
        root = pathlib.Path(__file__).resolve().parent.parent
        self.options.setdefault("caption", pathlib.Path(path).resolve().relative_to(root).as_posix())
        return super().run()


def setup(app):
    app.add_directive("literalinclude", CaptionedInclude, override=True)
    app.add_directive("policy", Policy)
    app.add_directive("columns", directive(columns))
    app.add_directive("traceability", directive(traceability))
