//! Times and sizes as they are written, or recorded elsewhere.

use farlink_kernel::config::{Diagnostic, Kind, Node, Read, Value, above, bounded};
use farlink_kernel::{Bytes, Duration, Instant, config};

use super::{Arrivals, Next, Parameters, Setup};
use crate::workload::File;

pub(super) const SOURCE: &str = "customary";

/// An arrival, written `["1.5 s", "20 kB"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// When.
    pub at: Instant,
    /// Its payload.
    pub size: Bytes,
}

const REMEDY: &str = "write pairs such as [\"1.5 s\", \"20 kB\"]";

impl Read for Timed {
    fn kind() -> Kind {
        Kind::List(Box::new(Kind::AnyOf(vec![Instant::kind(), Bytes::kind()])))
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::List(items) if items.len() == 2 => {
                let size = bounded(Bytes::read(&items[1])?, &above(Bytes(0)), &items[1])?;
                Ok(Self { at: Instant::read(&items[0])?, size })
            }
            _ => Err(node.refuse("an arrival is a time and a size", REMEDY)),
        }
    }
    fn show(&self) -> String {
        format!("[{}, {}]", self.at.show(), self.size.show())
    }
}

config! {
    /// Parameters of the schedule: one of the two.
    pub struct Config {
        /// Pairs of a time since the start of the workload and a size, such as ["1.5 s", "20 kB"].
        pub flows: Vec<Timed> = Vec::new(),
        /// A file of lines `time_s,size_bytes`, in order of time.
        pub csv: File<Timed> = File::default(),
    }
}

impl Config {
    /// Those of the file, or of the list.
    pub fn rows(&self) -> &[Timed] {
        if self.csv.path.is_empty() { &self.flows } else { &self.csv.rows }
    }
}

impl Parameters for Config {
    fn count(&self, _mean_size: f64, seconds: f64) -> f64 {
        self.rows().iter().take_while(|row| row.at.as_secs_f64() < seconds).count() as f64
    }

    fn has_sizes(&self) -> bool {
        true
    }

    fn mean_size(&self) -> Option<f64> {
        let rows = self.rows();
        Some(rows.iter().map(|row| row.size.0 as f64).sum::<f64>() / rows.len().max(1) as f64)
    }

    fn span(&self) -> Option<[Duration; 2]> {
        let rows = self.rows();
        Some([rows.first()?.at - Instant::ZERO, rows.last()?.at - Instant::ZERO])
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    setup: Setup,
    config: Config,
}

impl Schedule {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { setup: *setup, config: config.clone() }
    }

    fn next(&self, number: u32) -> Option<Next> {
        let at = self.setup.start + (self.config.rows().get(number as usize)?.at - Instant::ZERO);
        (at < self.setup.stop).then_some(Next { at, number })
    }
}

impl Arrivals for Schedule {
    fn first(&self) -> Vec<Next> {
        self.next(0).into_iter().collect()
    }

    fn after_arrival(&self, arrived: Next) -> Option<Next> {
        self.next(arrived.number + 1)
    }

    fn size(&self, number: u32) -> Option<Bytes> {
        self.config.rows().get(number as usize).map(|row| row.size)
    }
}
