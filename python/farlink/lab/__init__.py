"""The laboratory in the browser: its page, served on the loopback address, with a scenario or a saved run in it."""
