"""The TOML parser: Python's own since 3.11, and before that the package that it was made of."""

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["tomllib"]
