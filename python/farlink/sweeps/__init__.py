"""Sweeps: a scenario over a grid of parameters, by seeds, into a store.

`description` reads the file a sweep can be written in, `grid` says what varies, `overlay` lays it over the scenario as
changes, `formula` computes derived values, `work` runs one seed of one point, `local` and `cluster` run many, `sweep`
puts all together.
"""
