//! What `struct tcp_info` would say.

use farlink_tcp::Connection;
use farlink_tcp::connection::State;
use farlink_tcp::recovery::Phase;

use super::calls::TIMESTAMPS;
use super::{Player, Stop, fail};
use crate::Refusal;
use crate::script::{Assertion, Comparison, Field};

/// How Linux writes a threshold that was never set.
const INFINITE: f64 = 2_147_483_647.0;

impl Player<'_> {
    /// Looks at the connection.
    pub(super) fn assert(&self, assertions: &[Assertion]) -> Result<(), Stop> {
        for assertion in assertions {
            let Some(connection) = &self.connection else {
                let why = "there is no connection to look at";
                return Err(Refusal::new(assertion.line, &assertion.text, why).into());
            };
            let holds = |comparison: &Comparison| {
                comparison.operator.holds(self.look(connection, comparison.field), comparison.value)
            };
            if !assertion.any_of.iter().any(|all_of| all_of.iter().all(holds)) {
                let seen: Vec<String> = assertion
                    .any_of
                    .iter()
                    .flatten()
                    .map(|comparison| format!("{}", self.look(connection, comparison.field)))
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
                Phase::Open => 0,
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
                self.host.tcp.segment_size.0 + if self.host.tcp.timestamps { TIMESTAMPS } else { 0 }
            }
            Field::BytesAcked => sample.snd_una,
            Field::BytesReceived => self.application.received,
        };
        value.cast_signed()
    }

    /// Payload of a full segment, as the two SYNs have it.
    pub(super) fn segment_size(&self) -> u64 {
        let tcp = &self.host.tcp;
        let Some((mss, offers_timestamps)) = self.peer_offers else { return tcp.segment_size.0 };
        let options = if tcp.timestamps && offers_timestamps { 12 } else { 0 };
        tcp.segment_size.0.min(u64::from(mss.unwrap_or(536)).saturating_sub(options))
    }
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
