# SPDX-License-Identifier: GPL-2.0-only
project = "hpcc for ns-3"
copyright = "the hpcc authors"
master_doc = "index"
highlight_language = "none"
html_theme = "alabaster"
html_show_sourcelink = False
