//! One run, in slices, without the GIL.

#![expect(clippy::disallowed_methods, reason = "here the files of the engine come from")]

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use farlink_kernel::{Duration, Instant};
use farlink_scenario::{Record, Window};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::congestion::{Fault, PythonCongestionControl};
use crate::results::Results;
use crate::scenario::Scenario;

/// A run in progress.
///
/// Its lock is only ever taken without the GIL: a congestion control in Python takes the GIL while the run
/// holds the lock, for each of its calls, or for a whole slice if it is called for every ACK.
#[pyclass(frozen, module = "farlink._farlink")]
pub(crate) struct Simulation {
    run: Mutex<Option<farlink_scenario::Simulation>>,
    /// A congestion control in Python is called for every ACK.
    calls_per_ack: AtomicBool,
    fault: Fault,
}

impl Simulation {
    /// Does `work` on the run, without the GIL.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut farlink_scenario::Simulation) -> T + Send,
    ) -> PyResult<T> {
        py.detach(|| self.lock().as_mut().map(work)).ok_or_else(finished)
    }

    fn lock(&self) -> MutexGuard<'_, Option<farlink_scenario::Simulation>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("the run is finished")
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(py: Python<'_>, scenario: &Scenario, seed: u64, series: bool) -> Self {
        let run = py.detach(|| farlink_scenario::Simulation::new(&scenario.inner, seed, Record { series }));
        Self { run: Mutex::new(Some(run)), calls_per_ack: AtomicBool::default(), fault: Fault::default() }
    }

    /// Gives the flow at `index` the congestion control that `factory()` returns.
    fn plug(&self, py: Python<'_>, index: u32, factory: &Bound<'_, PyAny>) -> PyResult<()> {
        let member = PythonCongestionControl::new(&factory.call0()?, self.fault.clone())?;
        self.calls_per_ack.fetch_or(member.is_per_ack(), Relaxed);
        self.with(py, |run| run.plug(index, Box::new(member)))
    }

    /// Captures the packets at the flows' senders into the file at `path`.
    fn capture(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let sink = BufWriter::new(File::create(path)?);
        self.with(py, |run| run.capture(Box::new(sink)))
    }

    /// Captures the frames on shared channels into the file at `path`: all, or those that the node at `node` sends
    /// and receives.
    fn capture_frames(&self, py: Python<'_>, path: PathBuf, node: Option<u32>) -> PyResult<()> {
        let sink = BufWriter::new(File::create(path)?);
        self.with(py, |run| run.capture_frames(Box::new(sink), node))
    }

    /// Writes the events of packets and frames into the file at `path`, in ns-2's old wireless format.
    fn trace(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let sink = BufWriter::new(File::create(path)?);
        self.with(py, |run| run.trace(Box::new(sink)))
    }

    /// Keeps a row for every copy of a packet.
    fn keep_ledger(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, farlink_scenario::Simulation::keep_ledger)
    }

    /// Records the run for its animation, with frames from `start_ns` to `end_ns` only.
    fn animate(&self, py: Python<'_>, start_ns: u64, end_ns: u64) -> PyResult<()> {
        let [start, end] = [start_ns, end_ns].map(|nanos| Instant::ZERO + Duration::from_nanos(nanos));
        self.with(py, |run| run.animate(Window { start, end }))
    }

    /// Runs until `until_ns`, until `events` reaches `limit`, or to the end; true while there is more to do.
    #[pyo3(signature = (until_ns, limit = u64::MAX))]
    fn advance(&self, py: Python<'_>, until_ns: u64, limit: u64) -> PyResult<bool> {
        let until = Instant::ZERO + Duration::from_nanos(until_ns);
        // Taking the GIL and releasing it costs more than a call. Other threads get it all the same: Python gives it
        // away within the calls.
        let holds_gil = self.calls_per_ack.load(Relaxed);
        let more = self.with(py, |run| {
            let mut advance = || run.advance_events(until, limit);
            if holds_gil { Python::attach(|_| advance()) } else { advance() }
        })?;
        self.fault.take().map_or(Ok(more), Err)
    }

    /// How many events were handled so far.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |run| run.events())
    }

    /// The simulated time reached.
    #[getter]
    fn now_ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |run| run.now().as_nanos())
    }

    /// The results until now; the run is over.
    fn finish(&self, py: Python<'_>) -> PyResult<Results> {
        let run = py.detach(|| self.lock().take()).ok_or_else(finished)?;
        Ok(Results::new(py.detach(|| run.finish())))
    }
}
