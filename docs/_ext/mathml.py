"""Formulas as MathML, which browsers draw without scripts, fonts or network.

Docutils has the converter. An unknown command gives a warning with its place. Browsers do not break
formulas into lines, so that long formulas within a text scroll.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)
SYNONYMS = {
    r"\big": r"\bigl",
    r"\Big": r"\Bigl",
    r"\dots": r"\ldots",
    r"\setminus": r"\smallsetminus",  # the other sign is missing in many fonts
    r"\argmax": r"\operatorname*{arg\,max}",
    r"\argmin": r"\operatorname*{arg\,min}",
}
"""Commands in use that the converter lacks."""
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
LONG = 45
"""Number of characters above which a formula may be wider than a telephone's screen."""


def to_mathml(node: nodes.math | nodes.math_block, *, block: bool) -> str:
    """Return the MathML of a formula, or its source if the converter cannot read it."""
    source = node.astext().strip()
    for command, known in SYNONYMS.items():
        source = re.sub(re.escape(command) + r"(?![A-Za-z])", lambda _, known=known: known, source)
    if block and r"\\" in source and r"\begin{" not in source:
        source = rf"\begin{{aligned}}{source}\end{{aligned}}"
    try:
        return scripts_beside_accents(tex2mathml(source, as_block=block))
    except MathError as error:
        LOGGER.warning("%s in the formula %s", error, source, location=node, type="mathml")
        return f"<code>{escape(source)}</code>"


def scripts_beside_accents(mathml: str) -> str:
    r"""Move the index in \hat f_i from below the letter, where Docutils puts it, to its side."""
    ElementTree.register_namespace("", NAMESPACE)
    # Of HTML's named characters XML knows these four.
    characters = re.sub(r"&(?!amp;|lt;|gt;|quot;)\w+;", lambda name: unescape(name[0]), mathml)
    root = ElementTree.fromstring(characters)
    for node in root.iter():
        if node.tag == f"{{{NAMESPACE}}}msup" and is_accented(node[0]):
            (letter, index, accent), power = node[0], node[1]
            node.tag = f"{{{NAMESPACE}}}msubsup"
            node[:] = [with_accent(letter, accent), index, power]
        elif is_accented(node):
            letter, index, accent = node
            node.tag = f"{{{NAMESPACE}}}msub"
            node[:] = [with_accent(letter, accent), index]
    return ElementTree.tostring(root, encoding="unicode")


def is_accented(node: ElementTree.Element) -> bool:
    """Tell an accent above a letter from the limit above an operator."""
    tags = [child.tag.removeprefix(f"{{{NAMESPACE}}}") for child in node]
    return node.tag.endswith("}munderover") and tags[0] != "mo" and tags[2] == "mo"


def with_accent(letter: ElementTree.Element, accent: ElementTree.Element) -> ElementTree.Element:
    """Return a letter with its accent."""
    over = ElementTree.Element(f"{{{NAMESPACE}}}mover", accent="true")
    over[:] = [letter, accent]
    return over


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    long = " long" if len(node.astext()) > LONG else ""
    self.body.append(self.starttag(node, "span", "", CLASS=f"math{long}"))
    self.body.append(to_mathml(node, block=False) + "</span>")
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on its own, with its number where it has one."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append(to_mathml(node, block=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Make MathML the renderer of HTML pages."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
