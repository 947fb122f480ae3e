"""Scenarios and their runs: load, change, run, summarise, save."""
