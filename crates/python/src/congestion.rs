//! A Python class as congestion control.
//!
//! All calls of a connection receive the same [`View`], with new values. A member takes the GIL for each call, which is
//! cheap where the slice holds it already. An exception cannot pass through the engine: the run's [`Fault`] keeps it,
//! the member is not called again, and the current slice ends with the exception.

use std::sync::{Arc, Mutex, PoisonError};

use farlink_kernel::{BitRate, Duration, Instant};
use farlink_tcp::congestion::{Ack, CongestionControl, Loss, LossKind};
use farlink_tcp::window::Window;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The first exception that a member of a run raised.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fault(Arc<Mutex<Option<PyErr>>>);

impl Fault {
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// The state that a member reads, and the window that it sets. Windows and amounts are in segments, times in seconds.
#[pyclass(name = "CongestionView", module = "farlink._farlink")]
#[derive(Debug)]
pub(crate) struct View {
    window: Window,
    #[pyo3(get)]
    now_s: f64,
    /// Newly acknowledged cumulatively, since the previous `on_ack`.
    #[pyo3(get)]
    acked: f64,
    /// Newly delivered, cumulatively or by SACK, since the previous `on_ack`.
    #[pyo3(get)]
    delivered: f64,
    /// Newly marked lost, since the previous `on_ack`.
    #[pyo3(get)]
    lost: f64,
    #[pyo3(get)]
    flight: f64,
    /// The newest round-trip sample since the previous `on_ack`.
    #[pyo3(get)]
    rtt_s: Option<f64>,
    #[pyo3(get)]
    srtt_s: f64,
    #[pyo3(get)]
    min_rtt_s: Option<f64>,
    /// New data was acknowledged, the window limited the sender, and no recovery is in progress.
    #[pyo3(get)]
    may_grow: bool,
    #[pyo3(get)]
    in_recovery: bool,
    /// A round trip ended with this ACK.
    #[pyo3(get)]
    round_start: bool,
    /// In `on_congestion`: `duplicate_acks`, `rack`, `timeout` or `ecn`.
    #[pyo3(get)]
    kind: Option<&'static str>,
    /// In `on_congestion`: a further timeout for the same segment.
    #[pyo3(get)]
    repeated: bool,
}

#[pymethods]
impl View {
    /// Congestion window.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, segments: &Bound<'_, PyAny>) -> PyResult<()> {
        let segments = number("cwnd", segments)?;
        if !(segments.is_finite() && segments > 0.0) {
            return Err(PyValueError::new_err(format!("cwnd = {segments} is not a positive number")));
        }
        self.window.cwnd = segments;
        Ok(())
    }

    /// Slow-start threshold; infinite when unknown.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, segments: &Bound<'_, PyAny>) -> PyResult<()> {
        let segments = number("ssthresh", segments)?;
        if segments.is_nan() || segments <= 0.0 {
            return Err(PyValueError::new_err(format!("ssthresh = {segments} is not a positive number")));
        }
        self.window.ssthresh = segments;
        Ok(())
    }

    /// The rate at which payload is sent; `None` for the connection's own choice.
    #[getter]
    fn pacing_rate_bps(&self) -> Option<u64> {
        self.window.pacing_rate.map(BitRate::as_bps)
    }

    #[setter]
    fn set_pacing_rate_bps(&mut self, rate: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let rate = rate.map(|rate| number("pacing_rate_bps", rate)).transpose()?;
        if let Some(rate) = rate.filter(|rate| !(rate.is_finite() && *rate >= 1.0)) {
            return Err(PyValueError::new_err(format!("pacing_rate_bps = {rate} is not a positive number")));
        }
        self.window.pacing_rate = rate.map(|rate| BitRate::from_bps(rate as u64));
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<{self:?}>")
    }
}

/// The number that a class gave for `name`.
fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|_| match value.repr() {
        Ok(shown) => PyTypeError::new_err(format!("{name} = {shown} is not a number")),
        Err(error) => error,
    })
}

impl View {
    fn empty() -> Self {
        Self {
            window: Window::new(1.0),
            now_s: 0.0,
            acked: 0.0,
            delivered: 0.0,
            lost: 0.0,
            flight: 0.0,
            rtt_s: None,
            srtt_s: 0.0,
            min_rtt_s: None,
            may_grow: false,
            in_recovery: false,
            round_start: false,
            kind: None,
            repeated: false,
        }
    }

    /// Sets the time, the window and the smoothed RTT.
    fn begin(&mut self, window: &Window, now: Instant, srtt: Duration) {
        self.window = *window;
        self.now_s = (now - Instant::ZERO).as_secs_f64();
        self.srtt_s = srtt.as_secs_f64();
        self.kind = None;
        self.repeated = false;
    }

    /// Sets the values of an ACK and of those counted since the previous call.
    fn acknowledge(&mut self, ack: &Ack, counted: &Counted) {
        self.acked = counted.acked;
        self.delivered = counted.delivered;
        self.lost = counted.lost;
        self.may_grow = counted.may_grow;
        self.rtt_s = counted.rtt.map(Duration::as_secs_f64);
        self.min_rtt_s = (ack.min_rtt != Duration::MAX).then(|| ack.min_rtt.as_secs_f64());
        self.flight = ack.flight;
        self.in_recovery = ack.in_recovery;
        self.round_start = ack.round_start;
    }
}

/// The ACKs since the previous call.
#[derive(Debug, Default)]
struct Counted {
    acked: f64,
    delivered: f64,
    lost: f64,
    may_grow: bool,
    rtt: Option<Duration>,
}

impl Counted {
    fn add(&mut self, ack: &Ack) {
        self.acked += ack.acked;
        self.delivered += ack.delivered;
        self.lost += ack.lost;
        self.may_grow |= ack.may_grow;
        self.rtt = ack.rtt.or(self.rtt);
    }
}

/// An object with `on_ack(view)`, `on_congestion(view)` and perhaps `on_start(view)`.
#[derive(Debug)]
pub(crate) struct PythonCongestionControl {
    /// Its methods, bound once: looking them up costs as much as calling them.
    on_start: Option<Py<PyAny>>,
    on_ack: Py<PyAny>,
    on_congestion: Py<PyAny>,
    view: Py<View>,
    /// The view, as the arguments of every call.
    arguments: Py<PyTuple>,
    counted: Counted,
    /// Called once per round trip instead of per ACK.
    every_rtt: bool,
    fault: Fault,
    has_failed: bool,
}

impl PythonCongestionControl {
    /// Wraps `member`; `member.every` is `"ack"` (default) or `"rtt"`.
    pub(crate) fn new(member: &Bound<'_, PyAny>, fault: Fault) -> PyResult<Self> {
        let py = member.py();
        let method = |name: &str| match member.getattr_opt(name)? {
            Some(method) => Ok(method.unbind()),
            None => Err(PyTypeError::new_err(format!("{member} has no method {name}(view)"))),
        };
        let every_rtt = match member.getattr_opt("every")? {
            None => false,
            Some(every) => match every.extract::<String>()?.as_str() {
                "ack" => false,
                "rtt" => true,
                other => {
                    let message = format!("every = \"{other}\" is unknown; write \"ack\" or \"rtt\"");
                    return Err(PyValueError::new_err(message));
                }
            },
        };
        let view = Py::new(py, View::empty())?;
        Ok(Self {
            on_start: member.getattr_opt("on_start")?.map(Bound::unbind),
            on_ack: method("on_ack")?,
            on_congestion: method("on_congestion")?,
            arguments: PyTuple::new(py, [&view])?.unbind(),
            view,
            counted: Counted::default(),
            every_rtt,
            fault,
            has_failed: false,
        })
    }

    /// True when it is called for every ACK, so that a run needs the GIL nearly all the time.
    pub(crate) fn is_per_ack(&self) -> bool {
        !self.every_rtt
    }

    /// Fills the view, calls `method`, and reads the window.
    fn call(&mut self, window: &mut Window, method: Method, fill: impl FnOnce(&mut View) + Send) {
        let Some(method) = (match method {
            _ if self.has_failed => None,
            Method::Start => self.on_start.as_ref(),
            Method::Ack => Some(&self.on_ack),
            Method::Congestion => Some(&self.on_congestion),
        }) else {
            return;
        };
        let outcome = Python::attach(|py| -> PyResult<()> {
            fill(&mut *self.view.try_borrow_mut(py)?);
            method.call1(py, self.arguments.bind(py))?;
            *window = self.view.try_borrow(py)?.window;
            Ok(())
        });
        if let Err(error) = outcome {
            self.has_failed = true;
            self.fault.put(error);
        }
    }
}

/// Which method is called.
#[derive(Clone, Copy)]
enum Method {
    Start,
    Ack,
    Congestion,
}

impl CongestionControl for PythonCongestionControl {
    fn on_start(&mut self, window: &mut Window, now: Instant, srtt: Duration) {
        let start = *window;
        self.call(window, Method::Start, |view| view.begin(&start, now, srtt));
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.counted.add(ack);
        if self.every_rtt && !ack.round_start {
            return;
        }
        let before = *window;
        let counted = std::mem::take(&mut self.counted);
        self.call(window, Method::Ack, |view| {
            view.begin(&before, ack.now, ack.srtt);
            view.acknowledge(ack, &counted);
        });
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let before = *window;
        self.call(window, Method::Congestion, |view| {
            view.begin(&before, loss.now, loss.srtt);
            view.flight = loss.flight;
            view.kind = Some(match loss.kind {
                LossKind::DuplicateAcks => "duplicate_acks",
                LossKind::Rack => "rack",
                LossKind::Timeout => "timeout",
                LossKind::Ecn => "ecn",
            });
            view.repeated = loss.repeated;
        });
    }
}
