"""A laboratory for TCP over hard links."""

from farlink._farlink import __version__

__all__ = ["__version__"]
