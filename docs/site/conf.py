"""The site that `./dev docs` makes of docs/ and of the public headers: Sphinx with MyST, which reads the pages as they are. Its
search needs no server."""

project = "Fulgurite"
author = copyright = "the Fulgurite authors"
extensions = ["myst_parser", "sphinx_copybutton"]
html_theme = "furo"
html_title = "Fulgurite"
root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
# Code blocks that are no C++, as the output of a program, keep their text.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
pygments_style = "friendly"
html_copy_source = False
