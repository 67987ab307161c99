"""How Sphinx makes pages of the sources that `attention_lab.site.build` writes."""

from pathlib import Path

import attention_lab

HERE = Path(__file__).parent

project = "attention_lab"
author = "attention_lab developers"
copyright = author
version = release = attention_lab.__version__
language = "en"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.githubpages",  # its folders begin with an underscore
    "sphinx.ext.napoleon",
    "attention_lab.site.formulas",
    "attention_lab.site.finish",
]

# Lessons: outputs as they are committed.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_code_prompt_show = "Show the {type}"
nb_code_prompt_hide = "Hide the {type}"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "attention_lab.site.lessons.anchor"
html_math_renderer = "drawn"

# The reference: in docstrings a name between backticks links where it can.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # np.float32, as the source has it
napoleon_numpy_docstring = True
napoleon_google_docstring = False

html_theme = "furo"
html_title = "attention_lab"
html_static_path = ["static", str(HERE.parent / "teaching" / "predict.css")]
html_css_files = ["predict.css", "site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"top_of_page_buttons": []}
