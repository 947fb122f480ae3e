"""What the tests share: a page in a browser."""

from driver import lab

__all__ = ["lab"]
