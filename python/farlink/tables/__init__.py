"""Arrow tables of what was measured, and the parameters of scenarios as columns."""
