"""A laboratory for TCP over hard links.

    import farlink as fl
    run = fl.load("satellite").set("flows.0.tcp.congestion_control", "hybla").run(seed=1)
    run.flows, run.series, run.drops

Tables are Arrow tables with units in their column names; pandas, polars and DuckDB take them as they are.
"""

from farlink._farlink import CongestionView, ScenarioError, __version__
from farlink.congestion import CongestionControl
from farlink.errors import Interrupted, UsageError
from farlink.results import Results
from farlink.run import Run
from farlink.scenario import Scenario, load
from farlink.sweeps.grid import Override
from farlink.sweeps.sweep import Sweep, sweep
from farlink.sweeps.until import Until

__all__ = [
    "CongestionControl",
    "CongestionView",
    "Interrupted",
    "Override",
    "Results",
    "Run",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "Until",
    "UsageError",
    "__version__",
    "load",
    "sweep",
]
