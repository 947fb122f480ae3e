"""Tuning: which values of a few parameters are best, in how many runs less than trying all with all seeds.

`space` says what may be tried, `proposer` what is tried next, `halving` how many seeds a point gets, `race` turns
that into runs for the executors of sweeps, `tuning` puts all together, `tuned` and `curve` say what came of it.
"""
