//! [`Watch`]: how loaded the interfaces on a flow's path were while the flow lasted.

use farlink_kernel::{Duration, Instant};

use crate::ids::InterfaceId;
use crate::results::{Carries, PathLoad};

/// What an interface did up to an instant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    pub sent: Duration,
    /// Time in which the medium was busy at a station: it sent, or sensed others.
    pub medium: Option<Duration>,
    /// Time in which packets waited at a station.
    pub backlogged: Duration,
}

/// The interfaces on the path of a flow's data, then on that of its acknowledgements.
#[derive(Debug)]
pub struct Watch {
    began: Instant,
    path: Vec<(InterfaceId, Carries, Reading)>,
    ended: Option<Vec<PathLoad>>,
}

impl Watch {
    /// Of a flow that starts now; each interface with its reading.
    pub fn new(began: Instant, path: Vec<(InterfaceId, Carries, Reading)>) -> Self {
        Self { began, path, ended: None }
    }

    /// The flow ends now, unless it ended before. `read` gives an interface's reading.
    pub fn end(&mut self, now: Instant, read: impl Fn(InterfaceId) -> Reading) {
        if self.ended.is_some() {
            return;
        }
        let time = now.saturating_since(self.began).as_nanos().max(1) as f64;
        let share = |until: Duration, from: Duration| until.saturating_sub(from).as_nanos() as f64 / time;
        let load = |&(interface, carries, before): &(InterfaceId, Carries, Reading)| {
            let after = read(interface);
            PathLoad {
                link: interface.0,
                carries,
                utilisation: share(after.sent, before.sent),
                medium: after.medium.zip(before.medium).map(|(until, from)| share(until, from)),
                backlogged: share(after.backlogged, before.backlogged),
            }
        };
        self.ended = Some(self.path.iter().map(load).collect());
    }

    pub fn loads(self) -> Vec<PathLoad> {
        self.ended.unwrap_or_default()
    }
}
