"""A small study with three factors, for tests of multiverse analyses."""

import shutil

from farlink.studies.multiverse import factors
from farlink.studies.multiverse.running import Runner, Space
from farlink.studies.study import Study, load

FACTORS = """
[runs.quick]
seeds = "1..2"
[runs.short]
seeds = "1..2"
[runs.full]
seeds = "1..3"

[[factor]]
name = "buffer"
point = "Bottleneck buffer"
[[factor.level]]
name = "one BDP"
why = "The usual rule."
[[factor.level]]
name = "half"
why = "The paper does not say."
derive = { "links.0.queue.limit" = "{links.0.rate * links.0.delay / 12000:.0f} packets" }
[[factor.level]]
name = "none"
ruled_out = '"queued at the gateway"'

[[factor]]
name = "largest window"
point = "Largest window"
[[factor.level]]
name = "8000"
why = "More than the pipe."
[[factor.level]]
name = "50"
why = "The paper does not say."
set = { "flows.0.tcp.max_window" = "50 packets" }

[[factor]]
name = "bwe"
point = "BWE"
[[factor.level]]
name = "bit/s"
why = "A bandwidth."
[[factor.level]]
name = "byte/s"
why = "The paper does not say."
replace = { enhanced_hybla = { bwe_scale = 0.125 } }

[[contradiction]]
levels = { buffer = ["half"], "largest window" = ["50"] }
why = "A small window needs no buffer."
"""

SETTINGS = """
title = "Small"
paper = "Nobody, 2026"
scenario = "satellite"
[set]
duration = "300 s"
"record.interval" = "1 s"
[[choice]]
point = "Bottleneck buffer"
[[choice]]
point = "Largest window"
[[choice]]
point = "BWE"
[seeds]
quick = "1..2"
full = "1..2"
[[grid]]
name = "over time"
series = true
[grid.vary]
"links.0.error.rate" = [1e-6]
"flows.0.tcp.congestion_control" = ["westwood", "hybla", "enhanced_hybla"]
[sensitivity]
seeds = {}
case = []
"""
POINTS = ["Bottleneck buffer", "Largest window", "BWE"]


def small_study(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "settings.toml").write_text(SETTINGS)
    (folder / "factors.toml").write_text(FACTORS)
    (folder / "__init__.py").write_text("from farlink_studies.satellite import measured as measured\n")
    shutil.copy(load("satellite").folder / "claims.csv", folder)
    return Study("satellite", folder)


def runner(study, out, effort="quick"):
    return Runner(Space(study, effort), out, None, "local", None)


def read(tmp_path, text=FACTORS, points=POINTS):
    (tmp_path / "factors.toml").write_text(text)
    return factors.read(tmp_path / "factors.toml", points, ["over time"], ["2", "3"])
