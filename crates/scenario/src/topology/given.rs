//! What a file says of single links, over the properties that all links of the topology have.

use farlink_kernel::{BitRate, Duration};
use farlink_network::interface::link::Config;
use farlink_network::schedule::Schedule;

/// The values of one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// Its rate.
    pub rate: Option<BitRate>,
    /// Its delay.
    pub delay: Option<Duration>,
}

impl Given {
    /// Sets what the file says.
    pub(crate) fn put(self, direction: &mut Config) {
        if let Some(rate) = self.rate {
            direction.rate = Schedule::Constant(rate);
        }
        if let Some(delay) = self.delay {
            direction.delay = Schedule::Constant(delay);
        }
    }
}
