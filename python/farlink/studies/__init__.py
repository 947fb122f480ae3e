"""Published studies, reproduced: the framework.

A study is a folder, of an installed package or anywhere: `settings.toml` (what the paper says, what it
leaves open and how that was chosen), `claims.csv` (what the paper claims and what would count as the same), and a
module that gives a finding for every claim. `settings` and `claims` read the files, `verdict` compares, `study` runs,
`report_page` writes the report.
"""
