//! No sign of congestion leaves ssthresh above what was in the network.
//!
//! RFC 5681 equation 4 bounds ssthresh by half of FlightSize, "the amount of outstanding data in the network", and
//! section 4.3 has the loss of a retransmission lower it once more. The largest share that an algorithm keeps is all of
//! it, and never less than two segments.

use farlink_tcp::config::{Config, ReduceFrom};
use farlink_tcp::congestion::EcnFeedback;
use farlink_tcp::congestion::arithmetic::RecoveryWindow;
use farlink_tcp::connection::{Connection, State};
use farlink_tcp::recovery::Phase;

/// Algorithms that set ssthresh by an estimate of the path instead of by what was in flight, each with what says so.
const ESTIMATES: &[(&str, &str)] = &[
    ("westwood", "BWE RTTmin / seg_size: Casetti et al., Wireless Networks 8(5), 2002, section 3"),
    ("enhanced_hybla", "the larger of the free pipe and the used: Vanzara, Bhatt, IJARET 5(4), 2014"),
    ("bbr", "the estimated bandwidth-delay product, which bounds nothing: Linux, bbr_check_drain"),
    ("bbr3", "as bbr"),
];

/// True if the algorithm called `name` sets ssthresh by an estimate.
pub(crate) fn is_estimated(name: &str) -> bool {
    ESTIMATES.iter().any(|&(estimating, _)| estimating == name)
}

/// `after` a sign of congestion that found so many segments in the network, and ssthresh as it was `before`.
pub(crate) fn check(in_network: f64, before: f64, after: f64) -> Result<(), String> {
    let most = in_network.max(2.0);
    if after == before || after <= most {
        return Ok(());
    }
    Err(format!("ssthresh went from {before} to {after} where {in_network} segments were in the network"))
}

/// A connection before an input that may be a sign of congestion.
#[derive(Debug)]
pub struct Before {
    ssthresh: f64,
    /// Segments: the window, and what was in the network.
    cwnd: f64,
    in_network: f64,
    signs: u64,
    undone: u64,
    is_checked: bool,
}

impl Before {
    /// `connection`, which has the options `config`, before the input.
    pub fn of(connection: &Connection, config: &Config) -> Self {
        let (window, board) = (connection.sample().window, connection.scoreboard());
        let segments = |bytes: u64| bytes as f64 / board.segment_size() as f64;
        let largest =
            config.max_window.map_or(f64::INFINITY, |most| segments(most.bytes(config.segment_size)));
        // Proportional rate reduction lets less out until the window is ssthresh.
        let is_reducing = connection.phase() == Phase::Fast;
        let cwnd = if is_reducing { window.cwnd.max(window.ssthresh) } else { window.cwnd }.min(largest);
        let in_network = match config.reduce_from {
            ReduceFrom::Cwnd => cwnd,
            ReduceFrom::FlightSize => cwnd.min(segments(board.outstanding())),
        };
        Self {
            ssthresh: window.ssthresh,
            cwnd,
            in_network,
            signs: signs(connection),
            undone: connection.counters().spurious,
            // In ns-2's TCP-Linux an ACK makes the window grow before it reduces it; a new route may scale ssthresh.
            is_checked: has_data(connection.state())
                && !config.rescale_window
                && !is_estimated(config.congestion_control.name())
                && config.window_in_recovery != RecoveryWindow::MinCwnd,
        }
    }

    /// The same connection after the input, which may have had an ECN echo.
    ///
    /// # Errors
    ///
    /// When a sign of congestion left ssthresh above what was in the network.
    pub fn check(&self, connection: &Connection, has_echo: bool) -> Result<(), String> {
        // The flag of the echo is a bit of a counter in accurate feedback: there a smaller window shows that marks were heeded.
        let has_echo = match connection.ecn_feedback() {
            EcnFeedback::Accurate => connection.sample().window.cwnd < self.cwnd,
            EcnFeedback::None | EcnFeedback::Classic => has_echo,
        };
        let is_sign = signs(connection) > self.signs || has_echo;
        let is_undone = connection.counters().spurious > self.undone;
        if !self.is_checked || !is_sign || is_undone {
            return Ok(());
        }
        // RFC 3168 section 6.1.2 halves the window.
        let in_network = if has_echo { self.cwnd } else { self.in_network };
        check(in_network, self.ssthresh, connection.sample().window.ssthresh)
    }
}

/// True in a state in which data may be outstanding, after a handshake.
fn has_data(state: State) -> bool {
    matches!(state, State::Established | State::FinWait1 | State::CloseWait | State::Closing | State::LastAck)
}

fn signs(connection: &Connection) -> u64 {
    let counters = connection.counters();
    counters.timeouts + counters.fast_retransmits
}
