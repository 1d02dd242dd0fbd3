"""Code blocks without the blank line that ends a doctest in Markdown."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class StripBlocks(SphinxTransform):
    """Strip blank lines at the end of code blocks."""

    default_priority = 200

    def apply(self, **kwargs: Any) -> None:
        """Change the blocks of a page."""
        for block in self.document.findall(nodes.literal_block):
            if len(block) == 1 and isinstance(block[0], nodes.Text):
                text = str(block[0]).rstrip()
                block[0] = nodes.Text(text)
                block.rawsource = text


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the transform."""
    app.add_transform(StripBlocks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
