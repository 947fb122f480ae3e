"""Figures: of the flows of a run, and of the runs of a store."""
