"""One scenario, some seeds: what to run, what to capture, and the outcome of each seed."""
