//! What `struct tcp_info` would say.

use farlink_tcp::Connection;
use farlink_tcp::connection::{Cause, State};
use farlink_tcp::recovery::Phase;
use farlink_tcp::recovery::scoreboard::Sent;

use super::connect::TIMESTAMPS;
use super::{Player, Stop, fail};
use crate::Refusal;
use crate::script::{Assertion, Comparison, Field};

/// How Linux writes a threshold that was never set.
const INFINITE: f64 = 2_147_483_647.0;

/// `TCPI_OPT_SYN_DATA`.
const SYN_DATA: u64 = 32;

impl Player<'_> {
    /// Looks at the connection.
    pub(super) fn assert(&self, assertions: &[Assertion]) -> Result<(), Stop> {
        for assertion in assertions {
            let Some(connection) = &self.exchange.connection else {
                let why = "there is no connection to look at";
                return Err(Refusal::new(assertion.line, &assertion.text, why).into());
            };
            let holds = |comparison: &Comparison| {
                comparison
                    .operator
                    .holds(self.look(connection, comparison.field) & comparison.mask, comparison.value)
            };
            if !assertion.any_of.iter().any(|all_of| all_of.iter().all(holds)) {
                let seen: Vec<String> = assertion
                    .any_of
                    .iter()
                    .flatten()
                    .map(|comparison| {
                        format!("{}", self.look(connection, comparison.field) & comparison.mask)
                    })
                    .collect();
                let what = format!("`{}` does not hold; it is {}", assertion.text, seen.join(", "));
                return Err(fail(assertion.line, what));
            }
        }
        Ok(())
    }

    fn look(&self, connection: &Connection, field: Field) -> i64 {
        let sample = connection.sample();
        let value = match field {
            Field::State => return state(connection.state()),
            Field::CaState => match sample.phase {
                Phase::Open => u64::from(connection.scoreboard().sacked_bytes() > 0),
                Phase::Fast => 3,
                Phase::Timeout => 4,
            },
            Field::Cwnd => sample.window.cwnd as u64,
            Field::Ssthresh => sample.window.ssthresh.min(INFINITE) as u64,
            Field::Unacked => sample.flight_size.0.div_ceil(self.segment_size()),
            Field::TotalRetrans => connection.counters().retransmissions,
            Field::Rto => sample.rto.as_nanos() / 1_000,
            Field::Rtt => sample.srtt.as_nanos() / 1_000,
            Field::SndMss => self.segment_size(),
            Field::AdvMss => {
                let tcp = &self.exchange.tcp;
                tcp.segment_size.0 + if tcp.timestamps { TIMESTAMPS } else { 0 }
            }
            Field::BytesAcked => sample.snd_una,
            Field::BytesReceived => self.exchange.application.received,
            Field::Options => {
                if connection.syn_data_accepted() {
                    SYN_DATA
                } else {
                    0
                }
            }
            Field::Delivered => self.delivered(connection),
            Field::Sacked => segments(connection, Sent::is_sacked),
            Field::Lost => segments(connection, |sent| sent.is_lost() && !sent.is_sacked()),
            Field::Retrans => segments(connection, |sent| sent.is_retransmitted() && !sent.is_sacked()),
            Field::LastDataRecv => (self.now - self.exchange.last_data).as_millis(),
            Field::RwndLimited => connection.limited_by(self.now).of(Cause::ReceiveWindow).as_nanos() / 1_000,
            Field::BusyTime => self.exchange.busy.until(self.now).as_nanos() / 1_000,
            Field::MinRtt => connection.rtt_range().map_or(0, |(least, _, _)| least.as_nanos() / 1_000),
        };
        value.cast_signed()
    }

    /// Segments delivered; a SYN is one, also with data.
    fn delivered(&self, connection: &Connection) -> u64 {
        if matches!(connection.state(), State::Listen | State::SynSent | State::SynReceived) {
            return 0;
        }
        let with_syn = if connection.syn_data_accepted() { self.exchange.syn_data } else { 0 };
        let bytes = connection.sample().snd_una + connection.scoreboard().sacked_bytes() - with_syn;
        1 + bytes.div_ceil(self.segment_size())
    }

    /// Payload of a full segment, as the two SYNs have it.
    pub(super) fn segment_size(&self) -> u64 {
        let tcp = &self.exchange.tcp;
        let Some((mss, offers_timestamps)) = self.exchange.peer_offers else { return tcp.segment_size.0 };
        let (own, agreed) = match (tcp.timestamps, offers_timestamps) {
            (true, true) => (tcp.segment_size.0, TIMESTAMPS),
            (true, false) => (tcp.segment_size.0 + TIMESTAMPS, 0),
            (false, _) => (tcp.segment_size.0, 0),
        };
        own.min(u64::from(mss.unwrap_or(536)).saturating_sub(agreed))
    }
}

/// How many outstanding segments are of this kind.
fn segments(connection: &Connection, is_one: impl Fn(&Sent) -> bool) -> u64 {
    let board = connection.scoreboard();
    let ids = board.first_id()..board.next_id();
    ids.filter_map(|id| board.get(id)).filter(|sent| is_one(sent)).count() as u64
}

/// Linux' numbers of the states.
fn state(state: State) -> i64 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Listen => 10,
        State::Closing => 11,
    }
}
