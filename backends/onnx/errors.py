"""What stops a path of the program while it is run symbolically."""

from __future__ import annotations

from linstock.ir.errors import LinstockError


class Raised(LinstockError):
    """The program raised: this path cannot be taken."""
