"""Experiments on why claims are missed, and additional ones; no verdict rests on them."""
