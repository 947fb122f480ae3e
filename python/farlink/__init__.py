"""A simulator for TCP over challenged links: satellite, lossy radio, multi-hop ad hoc, underwater.

    import farlink as fl
    run = fl.load("satellite").set("flows.0.tcp.congestion_control", "hybla").run(seed=1)
    run.flows, run.series, run.drops

Tables are Arrow tables with units in their column names; pandas, polars and DuckDB take them as they are.
"""

# The rooms; each imports only those below it:
#
#   __main__    entry point: signals and standard streams first, then the command line
#   demo        `make demo`
#   cli         a file per command
#   studies     published studies, reproduced
#   tuning      search for the best values of parameters
#   sweeps      a scenario over a grid, by seeds, on threads, processes or a cluster
#   results     questions to a store: means, comparisons, figures, report tables
#   store       a folder of results: journal, tables, checksums, repair
#   lab         the page in a browser, served, with what it opens
#   runs        scenarios and their runs, advice
#   animation   a page that plays a run
#   drawing     figures of a run and of a store
#   tables      Arrow tables, parameters as columns
#   execution   the engine's runs: seeds on threads, captures, estimates, congestion control in Python
#   system      files, memory, signals, standard streams, entry points of packages
#   statistics  means, ratios, 95 % confidence intervals
#   arguments   type checks of public functions
#   errors      what can go wrong
#   printable   text safe for a terminal
#   spelling    what to write instead of a name that does not exist
#   _names      names of models, for type checkers
#   _farlink    the engine

TYPE_CHECKING = False  # as type checkers understand it; `typing` takes long to import

if TYPE_CHECKING:
    from farlink._farlink import CongestionView, ScenarioError, ScenarioWarning, __version__
    from farlink.errors import EventLimitError, MemoryLimitError, StoreError, UsageError
    from farlink.execution.congestion import CongestionControl
    from farlink.results.result_store import Results, ResultStore
    from farlink.runs.run import Interrupted, Run
    from farlink.runs.scenario import Scenario, load
    from farlink.sweeps.grid import Override
    from farlink.sweeps.into_store import IncompleteError, SweepInterrupted
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
    "ResultStore",
    "Results",
    "Run",
    "Scenario",
    "ScenarioError",
    "ScenarioWarning",
    "StoreError",
    "Sweep",
    "SweepInterrupted",
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
    "_farlink": ["CongestionView", "ScenarioError", "ScenarioWarning", "__version__"],
    "errors": ["EventLimitError", "MemoryLimitError", "StoreError", "UsageError"],
    "execution.congestion": ["CongestionControl"],
    "results.result_store": ["Results", "ResultStore"],
    "runs.run": ["Interrupted", "Run"],
    "runs.scenario": ["Scenario", "load"],
    "sweeps.into_store": ["IncompleteError", "SweepInterrupted"],
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
