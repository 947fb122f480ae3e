"""The engine, as Python sees it."""

__version__: str
