"""``python -m gramian``."""

from __future__ import annotations

from gramian.cli import main

if __name__ == "__main__":
    main()
