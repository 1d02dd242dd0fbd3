"""Configuration of the site: ``make docs`` builds it, without the network."""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import version as version_of
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

from gramian.exceptions import NumericalWarning, OverfittingWarning

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "gramian"
author = "The gramian developers"
copyright = "The gramian developers"
version = release = version_of("gramian")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
    "blocks",
    "command_pages",
    "docstrings",
    "mathml",
]
exclude_patterns = ["_build", "**/README.md"]
templates_path = ["_templates"]
default_role = "literal"  # `names` in docstrings are code
smartquotes = False
nitpicky = True  # a name in a docstring that leads nowhere is an error

# -- Reference ---------------------------------------------------------------------------------

autosummary_generate = True
# On some file systems this name would be that of by_name.
autosummary_filename_map = {"gramian.families.BY_NAME": "gramian.families.names"}
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # numpydoc shows the types of the docstrings
autodoc_member_order = "bysource"
maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"
python_trailing_comma_in_multi_line_signatures = False
python_use_unqualified_type_names = True
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False  # the template of classes lists them
numpydoc_xref_param_type = False

# -- Pages in Markdown -------------------------------------------------------------------------

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

# -- Figures in pages --------------------------------------------------------------------------

plot_formats = ["svg"]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_rcparams = {"svg.hashsalt": "gramian"}
plot_apply_rcparams = True

# -- Gallery -----------------------------------------------------------------------------------

# A fit that warns is no example, unless the example is about the warning and expects it.
for category in (OverfittingWarning, NumericalWarning):
    warnings.filterwarnings("error", category=category)

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": ExplicitOrder(
        [
            "plot_digits_reconstruction.py",
            "plot_breast_cancer_formulas.py",
            "plot_planted_formulas.py",
            "plot_choosing_degree.py",
            "plot_sensor_placement.py",
            "plot_curved_manifold.py",
            "plot_closed_curve.py",
            "plot_novelty.py",
            "plot_grid_search.py",
            "plot_custom_family.py",
            "plot_report.py",
            "plot_parquet.py",
            "plot_dask.py",
            "*",
        ]
    ),
    "image_srcset": ["2x"],
    "doc_module": ("gramian",),
    "reference_url": {"gramian": None},
    "backreferences_dir": "gallery/backreferences",
    "min_reported_time": 1e9,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "download_all_examples": False,
}

# -- Look --------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "gramian"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/mark.svg"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "logo": {
        "text": "gramian",
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
    },
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "show_toc_level": 2,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "getting_started": []}
