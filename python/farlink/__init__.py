"""A laboratory for TCP over hard links.

    import farlink as fl
    run = fl.load("satellite").set("flows.0.tcp.congestion_control", "hybla").run(seed=1)
    run.flows, run.series, run.drops

Tables are Arrow tables with units in their column names; pandas, polars and DuckDB take them as they are.
"""

TYPE_CHECKING = False  # as type checkers understand it; `typing` takes long to import

if TYPE_CHECKING:
    from farlink._farlink import CongestionView, ScenarioError, __version__
    from farlink.congestion import CongestionControl
    from farlink.errors import EventLimitError, IncompleteError, Interrupted, MemoryLimitError, StoreError, UsageError
    from farlink.results import Results
    from farlink.run import Run
    from farlink.scenario import Scenario, load
    from farlink.sweeps.grid import Override
    from farlink.sweeps.sweep import Sweep, sweep
    from farlink.sweeps.until import Until
    from farlink.tuning.tuned import Tuned
    from farlink.tuning.tuning import Tuning, tune

__all__ = [
    "CongestionControl",
    "CongestionView",
    "EventLimitError",
    "IncompleteError",
    "Interrupted",
    "MemoryLimitError",
    "Override",
    "Results",
    "Run",
    "Scenario",
    "ScenarioError",
    "StoreError",
    "Sweep",
    "Tuned",
    "Tuning",
    "Until",
    "UsageError",
    "__version__",
    "load",
    "sweep",
    "tune",
]

_HOMES = {
    "_farlink": ["CongestionView", "ScenarioError", "__version__"],
    "congestion": ["CongestionControl"],
    "errors": ["EventLimitError", "IncompleteError", "Interrupted", "MemoryLimitError", "StoreError", "UsageError"],
    "results": ["Results"],
    "run": ["Run"],
    "scenario": ["Scenario", "load"],
    "sweeps.grid": ["Override"],
    "sweeps.sweep": ["Sweep", "sweep"],
    "sweeps.until": ["Until"],
    "tuning.tuned": ["Tuned"],
    "tuning.tuning": ["Tuning", "tune"],
}
"""Each module is imported when a name of it is first asked for: the command line must hear Ctrl-C before."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        for module, names in _HOMES.items():
            if name in names:
                from importlib import import_module

                return getattr(import_module(f"farlink.{module}"), name)
        raise AttributeError(f"module 'farlink' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
