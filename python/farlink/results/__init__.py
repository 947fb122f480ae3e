"""Questions to a store: means, comparisons, figures, as tables for reports."""
