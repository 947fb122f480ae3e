//! Applications: when how many bytes are to be sent.

use farlink_kernel::{choice, registry};

pub mod bulk;
pub mod constant_bit_rate;
pub mod file;
pub mod on_off;

choice! {
    /// What carries an application's bytes.
    pub enum Carrier {
        /// A TCP connection.
        Tcp = "tcp",
        /// Datagrams that nobody repeats.
        Udp = "udp",
    }
}

/// The role.
pub trait Application: std::fmt::Debug + Send {}

/// What a member is told when it is set to work.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The flow's number, the key of its luck.
    pub flow: u64,
}

registry! {
    /// Applications.
    Application(Setup) {
        /// Always has more to send.
        bulk::Bulk,
        /// Sends one file and closes.
        file::File,
        /// Sends at a rate for a while, pauses for a while, again and again.
        on_off::OnOff,
        /// Sends packets of one size at one rate over UDP.
        constant_bit_rate::ConstantBitRate,
    }
}
