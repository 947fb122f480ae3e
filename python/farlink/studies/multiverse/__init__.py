"""A multiverse analysis of a study: which claims depend on what the paper leaves open."""
