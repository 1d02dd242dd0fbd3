"""What the tests of the pages leave alone: what is generated, and what only Sphinx can run."""

from __future__ import annotations

collect_ignore_glob = ["_build/*", "_ext/*", "conf.py", "gallery/*", "reference/*"]
