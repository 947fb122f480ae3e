//! The header of our own scripts: the options of the connection, and how the dialogue is played.
//!
//! ```text
//! //! recovery = "newreno"
//! //! segment_size = "1000 B"
//! //! dialogue = { initial_seq = 4294966295 }
//! ```

use std::net::Ipv4Addr;

use farlink_kernel::config::{Diagnostic, Read, Value};
use farlink_kernel::{Bytes, Duration, choice, config};
use farlink_scenario::read_document;
use farlink_scenario::tcp::Tcp;
use farlink_tcp::Config;
use farlink_tcp::config::Preset;

use crate::Refusal;

const MARK: &str = "//!";
/// packetdrill's tolerance where nothing else is said.
const TOLERANCE: Duration = Duration::from_millis(4);
/// What a path of 1500 bytes carries.
pub(crate) const MSS: u64 = 1460;
/// The receive buffer packetdrill's own scripts count on: windows are scaled by 2^8.
const RECEIVE_BUFFER: Bytes = Bytes(15 << 20);

choice! {
    /// When the application reads.
    pub enum Reading {
        /// As soon as something arrives.
        AtOnce = "at_once",
        /// When the script calls `read`.
        WhenCalled = "when_called",
    }
}

config! {
    /// How a dialogue is played.
    pub struct Dialogue {
        /// The sequence number in the segment of the connection's SYN; the script counts from its own.
        pub initial_seq: u32 = 0,
        /// The sequence number in the segment of the peer's SYN.
        pub peer_initial_seq: u32 = 0,
        /// How far the time of a packet may be from the script's.
        pub tolerance: Duration = Duration::ZERO,
        /// When the application reads.
        pub reading: Reading = Reading::AtOnce,
    }
}

/// How to set up the connection and play the dialogue.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The connection's options.
    pub tcp: Config,
    /// How the dialogue is played.
    pub dialogue: Dialogue,
    /// How far the time of a packet may be from the script's.
    pub tolerance: Duration,
    /// The addresses of both ends.
    pub addresses: Addresses,
    /// True for scripts without a header: made for a kernel, not for a connection alone.
    pub is_foreign: bool,
}

/// The two hosts' addresses, of which Fast Open's cookies are made.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// The connection's.
    pub local: Ipv4Addr,
    /// The peer's.
    pub remote: Ipv4Addr,
}

/// packetdrill's.
impl Default for Addresses {
    fn default() -> Self {
        Self { local: Ipv4Addr::new(192, 168, 0, 1), remote: Ipv4Addr::new(192, 0, 2, 1) }
    }
}

/// Reads the header of a script, if it has one.
pub(crate) fn read(text: &str) -> Result<Setting, Refusal> {
    if !text.lines().any(|line| line.starts_with(MARK)) {
        return Ok(foreign());
    }
    // Blank space in place of all else keeps every key on its line.
    let header: Vec<&str> = text.lines().map(|line| line.strip_prefix(MARK).unwrap_or("")).collect();
    let header = header.join("\n");
    own(&header).map_err(|mistake| {
        let place = mistake.span.start.min(header.len());
        let line = header[..place].matches('\n').count();
        let shown = header.lines().nth(line).unwrap_or("").trim();
        let why = [mistake.message, mistake.remedy].join("; ");
        Refusal::new(line + 1, shown, why.trim_end_matches("; "))
    })
}

fn own(header: &str) -> Result<Setting, Diagnostic> {
    let mut document = read_document(header, 0)?;
    let mut dialogue = Dialogue::default();
    if let Value::Table(entries) = &mut document.value
        && let Some(place) = entries.iter().position(|entry| entry.key == "dialogue")
    {
        dialogue = Dialogue::read(&entries.remove(place).node)?;
    }
    let Tcp(tcp) = Tcp::read(&document)?;
    Ok(Setting {
        tcp,
        tolerance: dialogue.tolerance,
        dialogue,
        addresses: Addresses::default(),
        is_foreign: false,
    })
}

/// Linux as packetdrill finds it behind an interface of 1500 bytes.
fn foreign() -> Setting {
    Setting {
        tcp: Config { receive_buffer: RECEIVE_BUFFER, ..Config::preset(Preset::Linux) },
        dialogue: Dialogue::default(),
        tolerance: TOLERANCE,
        addresses: Addresses::default(),
        is_foreign: true,
    }
}
