//! Flow state (RFC 4728, sections 3.5 and 7), as far as ns-2.35 (`dsr/flowstruct.h`) uses it: nodes on a route remember it
//! from its first packets, and further ones carry no source route.
//!
//! Modelled is what other nodes observe: such packets are shorter, and overhearing them teaches no route. Left out:
//! nodes that forgot a flow, and route shortening for flows.

use farlink_kernel::ordered::Map;
use farlink_kernel::{Duration, Instant};

use crate::ids::NodeId;
use crate::wire::dsr::{Broken, Path, SourceRoute};

/// So many packets carry the way at first (`END_TO_END_COUNT` and one).
const FIRST: u32 = 3;
/// And one after so long (`min_adv_interval`).
const AGAIN: Duration = Duration::from_secs(5);
/// A flow is forgotten that was not used for so long (`default_flow_timeout`).
const FORGOTTEN: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
struct Flow {
    path: Path,
    /// Packets that carried the way, and when the last of them did.
    shown: u32,
    shown_at: Instant,
    used_at: Instant,
}

/// The flows of one source, by destination.
#[derive(Clone, Debug, Default)]
pub struct Flows(Map<NodeId, Flow>);

impl Flows {
    /// The way of a packet for which `path` was found: the flow's if that is no longer, silent once it is established.
    pub fn route(&mut self, path: Path, now: Instant) -> SourceRoute {
        let destination = path[path.len() - 1];
        let is_over =
            |flow: &Flow| flow.used_at.saturating_add(FORGOTTEN) < now || flow.path.len() > path.len();
        if self.0.get(&destination).is_none_or(is_over) {
            let flow = Flow { path: path.clone(), shown: 1, shown_at: now, used_at: now };
            self.0.insert(destination, flow);
            return SourceRoute::along(path);
        }
        let flow = self.0.get_mut(&destination).expect("it is not over");
        flow.used_at = now;
        let is_shown = flow.shown < FIRST || flow.shown_at.saturating_add(AGAIN) < now;
        if is_shown {
            (flow.shown, flow.shown_at) = (flow.shown + 1, now);
        }
        SourceRoute { is_silent: !is_shown, ..SourceRoute::along(flow.path.clone()) }
    }

    /// A link is broken: flows over it end.
    pub fn forget(&mut self, Broken { from, to }: Broken) {
        self.0.retain(|_, flow| !flow.path.windows(2).any(|link| link == [from, to]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_packets_show_the_way_and_then_one_every_five_seconds() {
        let mut flows = Flows::default();
        let mut shown = |millis: u64, path: &[NodeId]| {
            let route = flows.route(path.into(), Instant::ZERO + Duration::from_millis(millis));
            (!route.is_silent, route.path.len())
        };
        let seen = [0, 10, 20, 30, 5_020, 5_021, 5_022].map(|millis| shown(millis, &[0, 1, 2].map(NodeId)).0);
        assert_eq!(seen, [true, true, true, false, false, true, false]);
        // A longer way is not taken while the flow stands, a shorter one is.
        assert_eq!(shown(5_030, &[0, 3, 1, 2].map(NodeId)), (false, 3));
        assert_eq!(shown(5_040, &[0, 2].map(NodeId)), (true, 2));
        flows.forget(Broken { from: NodeId(0), to: NodeId(2) });
        assert!(!flows.route([0, 1, 2].map(NodeId).into(), Instant::ZERO + Duration::from_secs(6)).is_silent);
    }
}
