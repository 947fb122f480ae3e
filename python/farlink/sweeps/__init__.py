"""Sweeps: a scenario over a grid of parameters, by seeds, into a store.

`grid` says which points there are, `formula` computes derived values, `description` reads the file a sweep can
be written in, `work` runs one seed of one point, `local` and `cluster` run many, `sweep` puts all together.
"""
