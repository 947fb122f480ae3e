"""Published studies, reproduced.

A study is a folder here: `settings.toml` (what the paper says, what it leaves open and how that was chosen),
`claims.csv` (what the paper claims and what would count as the same), and a module that gives a finding for every
claim. `settings` and `claims` read the files, `verdict` compares, `study` runs, `page` writes the report.
"""
