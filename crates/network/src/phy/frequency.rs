//! [`Frequency`], with the units a user may write.

use farlink_kernel::config::{Diagnostic, Kind, Node, Read, read_quantity};
use farlink_kernel::units;

use crate::space::{Metres, Speed};

/// A frequency in hertz.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Frequency {
    /// In hertz.
    pub hertz: f64,
}

impl Frequency {
    pub(crate) const fn from_hertz(hertz: f64) -> Self {
        Self { hertz }
    }

    pub(crate) fn wavelength(self) -> Metres {
        Metres(Speed::LIGHT.0 / self.hertz)
    }
}

impl Read for Frequency {
    fn kind() -> Kind {
        units::FREQUENCY.kind()
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match read_quantity(node, &units::FREQUENCY)? {
            hertz if (1.0..=1e15).contains(&hertz) => Ok(Self { hertz }),
            _ => Err(node.expected("a frequency from 1 Hz to 10^6 GHz")),
        }
    }
    fn show(&self) -> String {
        format!("\"{} Hz\"", self.hertz)
    }
}
