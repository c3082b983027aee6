# SPDX-License-Identifier: GPL-2.0-only
import pathlib
import sys

from docutils import statemachine
from docutils.parsers import rst

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import columns  # noqa: E402

project = "hpcc for ns-3"
copyright = "the hpcc authors"
master_doc = "index"
highlight_language = "none"
html_theme = "alabaster"
html_show_sourcelink = False


class Columns(rst.Directive):
    """The directive columns: a section for each file of columns.txt."""

    def run(self):
        self.state.document.settings.record_dependencies.add(str(columns.PATH))
        lines = statemachine.StringList(list(columns.chapter(columns.read())), str(columns.PATH))
        self.state_machine.insert_input(list(lines), str(columns.PATH))
        return []


def setup(app):
    app.add_directive("columns", Columns)
