//! Parameters (RFC 3561, section 10) and what ns-2.35 (aodv/aodv.cc) does otherwise.

use farlink_kernel::config::{CENTURY, Fraction, above};
use farlink_kernel::{Duration, choice, config};

use crate::routing::notice::Notices;
use crate::routing::{Messages, Parameters, Routes};

choice! {
    /// Sets of default values.
    pub enum Preset {
        /// Those of RFC 3561.
        Rfc = "rfc",
        /// Those of ns-2.35.
        Ns2 = "ns2",
    }
}

choice! {
    /// How long a request is waited for.
    pub enum RrepWait {
        /// RING_TRAVERSAL_TIME, or NET_TRAVERSAL_TIME doubled with every further network-wide request (section 6.4).
        Traversal = "traversal",
        /// Twice the hop limit times the measured time per hop, times the number of network-wide requests.
        Measured = "measured",
    }
}

choice! {
    /// What a node's own sequence number grows by.
    pub enum SequenceNumbers {
        /// By one, before a RREQ and in a RREP that must be newer (section 6.1).
        Consecutive = "consecutive",
        /// To the next even number, before a RREQ and in every RREP; a broken link makes it odd.
        Even = "even",
    }
}

choice! {
    /// When a node other than the source repairs a broken route (section 6.12).
    pub enum LocalRepair {
        /// Never.
        Never = "never",
        /// If the destination was within 0.3 network diameters (MAX_REPAIR_TTL).
        Near = "near",
        /// If the packet has covered more than half of its path. Other routes over the link stay valid, and packets queued for
        /// it stay queued.
        CloserToDestination = "closer_to_destination",
    }
}

choice! {
    /// Recipients of a RERR (section 6.11).
    pub enum RerrRecipients {
        /// The precursors of the routes; a single one gets it by unicast.
        Precursors = "precursors",
        /// All neighbours, even without precursors.
        AllNeighbours = "all_neighbours",
    }
}

config! {
    /// Parameters of AODV.
    pub struct Config {
        /// Source of the defaults of all other parameters.
        pub preset: Preset = Preset::Rfc,
        /// Lifetime of an unused route (ACTIVE_ROUTE_TIMEOUT). ns-2: 10 s.
        pub active_route_timeout: Duration = Duration::from_secs(3); with Ns2 = Duration::from_secs(10),
        /// A forwarded packet also refreshes the route to its source and those to both neighbours (section 6.2). ns-2: no.
        pub refresh_reverse_route: bool = true; with Ns2 = false,
        /// A RREQ or RREP also makes a route to the neighbour that it came from (sections 6.5, 6.7). ns-2: no.
        pub neighbour_routes: bool = true; with Ns2 = false,
        /// Route lifetime in a destination's reply; none: twice `active_route_timeout`. ns-2: 10 s.
        pub my_route_timeout: Option<Duration> = None; with Ns2 = Some(Duration::from_secs(10)),
        /// Minimum lifetime of a reverse route to an originator; none: twice NET_TRAVERSAL_TIME less the time so far
        /// (section 6.5). ns-2: 6 s.
        pub reverse_route_timeout: Option<Duration> = None; with Ns2 = Some(Duration::from_secs(6)),
        /// How long a RREQ identifier is remembered (PATH_DISCOVERY_TIME); none: twice NET_TRAVERSAL_TIME. ns-2: 6 s.
        pub path_discovery_time: Option<Duration> = None; with Ns2 = Some(Duration::from_secs(6)),
        /// How long an invalid route is kept (DELETE_PERIOD); none: five times the longer of `active_route_timeout` and
        /// `hello_interval`. ns-2: for ever.
        pub delete_period: Option<Duration> = None; with Ns2 = Some(CENTURY),
        /// Estimated time per hop (NODE_TRAVERSAL_TIME). ns-2: 30 ms.
        pub node_traversal_time: Duration = Duration::from_millis(40); in above(Duration::ZERO);
            with Ns2 = Duration::from_millis(30),
        /// Longest path in hops (NET_DIAMETER). ns-2: 30.
        pub net_diameter: u8 = 35; in 1..; with Ns2 = 30,
        /// Hop limit of the first RREQ (TTL_START); at least 2 with `hello`. ns-2: 30, network-wide.
        pub ttl_start: u8 = 1; in 1..; with Ns2 = 30,
        /// Increase of the hop limit with every further RREQ (TTL_INCREMENT).
        pub ttl_increment: u8 = 2; in 1..,
        /// Hop limit above which a RREQ is network-wide (TTL_THRESHOLD).
        pub ttl_threshold: u8 = 7,
        /// Hops added to the hop limit in RING_TRAVERSAL_TIME (TIMEOUT_BUFFER). ns-2: 0.
        pub timeout_buffer: u8 = 2; with Ns2 = 0,
        /// How long a RREP is awaited. ns-2: measured.
        pub rrep_wait: RrepWait = RrepWait::Traversal; with Ns2 = RrepWait::Measured,
        /// Upper bound of the time a RREP is awaited. ns-2: 10 s.
        pub max_rrep_wait: Option<Duration> = None; in above(Duration::ZERO);
            with Ns2 = Some(Duration::from_secs(10)),
        /// Retries of a network-wide RREQ (RREQ_RETRIES). ns-2: 3.
        pub rreq_retries: u32 = 2; with Ns2 = 3,
        /// Time after a failed route discovery before the next one for that destination. ns-2: 10 s.
        pub discovery_holdoff: Duration = Duration::ZERO; with Ns2 = Duration::from_secs(10),
        /// Interval at which a node checks for overdue RREPs; none: each has its own timer. ns-2: 500 ms.
        pub check_interval: Option<Duration> = None; in above(Duration::ZERO);
            with Ns2 = Some(Duration::from_millis(500)),
        /// Most RREQs per second that a node originates (RREQ_RATELIMIT). ns-2: none.
        pub rreq_ratelimit: Option<u32> = Some(10); in 1..; with Ns2 = None,
        /// Most RERRs per second that a node originates (RERR_RATELIMIT). ns-2: none.
        pub rerr_ratelimit: Option<u32> = Some(10); in 1..; with Ns2 = None,
        /// Increment of a node's own sequence number. ns-2: even.
        pub sequence_numbers: SequenceNumbers = SequenceNumbers::Consecutive;
            with Ns2 = SequenceNumbers::Even,
        /// Only destinations answer a RREQ (flag D).
        pub destination_only: bool = false,
        /// A RREP by an intermediate node is accompanied by a gratuitous one to the destination (flag G). ns-2: no.
        pub gratuitous_rrep: bool = true; with Ns2 = false,
        /// RREPs are acknowledged (flag A), which detects unidirectional links.
        pub rrep_ack: bool = false,
        /// How long a RREP-ACK is awaited (NEXT_HOP_WAIT); none: 10 ms more than NODE_TRAVERSAL_TIME.
        pub next_hop_wait: Option<Duration> = None,
        /// How long RREQs of a neighbour that does not receive RREPs are ignored (BLACKLIST_TIMEOUT); none: `rreq_retries`
        /// times NET_TRAVERSAL_TIME. ns-2: 0.
        pub blacklist_timeout: Option<Duration> = None; with Ns2 = Some(Duration::ZERO),
        /// Nodes on active routes broadcast hello messages (section 6.9).
        pub hello: bool = false,
        /// Interval of hello messages (HELLO_INTERVAL).
        pub hello_interval: Duration = Duration::from_secs(1); in above(Duration::ZERO),
        /// Share by which that interval varies. ns-2: 0.25.
        pub hello_jitter: Fraction = Fraction(0.0); with Ns2 = Fraction(0.25),
        /// Missing hello messages after which a neighbour is lost (ALLOWED_HELLO_LOSS). ns-2: 3.
        pub allowed_hello_loss: u32 = 2; in 1..; with Ns2 = 3,
        /// A packet that the MAC gives up marks the link as broken.
        pub link_layer_detection: bool = true,
        /// An AODV message that the MAC gives up marks the link as broken, too. ns-2: no.
        pub control_packets_break_links: bool = true; with Ns2 = false,
        /// When an intermediate node repairs a broken route. ns-2: closer_to_destination.
        pub local_repair: LocalRepair = LocalRepair::Near; with Ns2 = LocalRepair::CloserToDestination,
        /// A local repair asks with the sequence number of the broken route, so that a neighbour may answer with that same
        /// route, and accepts only newer or shorter ones. Packets stay buffered until then, also after a failed discovery; the
        /// repair is given up after a time as long as the simulated time at its beginning. ns-2: yes.
        pub repair_keeps_sequence_number: bool = false; with Ns2 = true,
        /// Hop limit of a repair beyond the last known distance (LOCAL_ADD_TTL).
        pub local_add_ttl: u8 = 2,
        /// Recipients of a RERR. ns-2: all neighbours.
        pub rerr_recipients: RerrRecipients = RerrRecipients::Precursors;
            with Ns2 = RerrRecipients::AllNeighbours,
        /// Packets queued for a neighbour that sends a RERR are handled as if the link to it were broken. ns-2: yes.
        pub rerr_flushes_queue: bool = false; with Ns2 = true,
        /// A node buffers its own packets that met a broken link until it has another route. ns-2: they are dropped.
        pub reroute: bool = true; with Ns2 = false,
        /// Capacity of the send buffer in packets.
        pub send_buffer: u32 = 64; in 1..,
        /// Lifetime of a packet in the send buffer.
        pub send_buffer_timeout: Duration = Duration::from_secs(30),
        /// Interval between buffered packets once a route is found. ns-2: 10 ms.
        pub release_gap: Duration = Duration::ZERO; with Ns2 = Duration::from_millis(10),
        /// Forwarded broadcasts are delayed by a random time below this.
        pub jitter: Duration = Duration::from_millis(10),
        /// Own RREQs are jittered as well, so that those of neighbours do not collide repeatedly (RFC 5148, section 5.2). ns-2: no.
        pub jitter_own_requests: bool = true; with Ns2 = false,
        /// How transports are notified of broken routes. With `destination_only` the other end is notified of every new route.
        pub route_notifications: Notices = Notices::None,
    }
    preset Preset
}

impl Parameters for Config {
    fn messages(&self, _nodes: f64, _neighbours: f64) -> Vec<Messages> {
        let hello = Messages { key: "hello_interval", interval: self.hello_interval, transmissions: 1.0 };
        if self.hello { vec![hello] } else { Vec::new() }
    }

    fn routes(&self) -> Routes<'_> {
        Routes::OnDemand
    }
}

impl Config {
    pub(super) fn my_route_timeout(&self) -> Duration {
        self.my_route_timeout.unwrap_or(self.active_route_timeout.saturating_mul(2))
    }

    /// NET_TRAVERSAL_TIME: across the network and back.
    pub(super) fn net_traversal_time(&self) -> Duration {
        self.node_traversal_time.saturating_mul(2 * u64::from(self.net_diameter))
    }

    pub(super) fn path_discovery_time(&self) -> Duration {
        self.path_discovery_time.unwrap_or(self.net_traversal_time().saturating_mul(2))
    }

    /// MinimalLifetime of section 6.5 less the present time, `hops` away from the originator.
    pub(super) fn reverse_route_timeout(&self, hops: u8) -> Duration {
        self.reverse_route_timeout.unwrap_or_else(|| {
            let passed = self.node_traversal_time.saturating_mul(2 * u64::from(hops));
            self.net_traversal_time().saturating_mul(2).saturating_sub(passed)
        })
    }

    /// DELETE_PERIOD, with K = 5.
    pub(super) fn delete_period(&self) -> Duration {
        let longer = self.active_route_timeout.max(self.hello_interval);
        self.delete_period.unwrap_or(longer.saturating_mul(5))
    }

    pub(super) fn blacklist_timeout(&self) -> Duration {
        let retries = u64::from(self.rreq_retries);
        self.blacklist_timeout.unwrap_or(self.net_traversal_time().saturating_mul(retries))
    }

    pub(super) fn next_hop_wait(&self) -> Duration {
        self.next_hop_wait.unwrap_or(self.node_traversal_time.saturating_add(Duration::from_millis(10)))
    }

    pub(super) fn max_repair_ttl(&self) -> u8 {
        (u32::from(self.net_diameter) * 3 / 10) as u8
    }

    pub(super) fn ttl_start(&self) -> u8 {
        if self.hello { self.ttl_start.max(2) } else { self.ttl_start }
    }

    /// Lifetime of a neighbour that sends hello messages.
    pub(super) fn hello_lifetime(&self) -> Duration {
        self.hello_interval.saturating_mul(u64::from(self.allowed_hello_loss))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn what_is_not_given_follows_from_what_is() {
        let config = Config::default();
        assert_eq!(config.net_traversal_time(), ms(2800));
        assert_eq!((config.my_route_timeout(), config.path_discovery_time()), (ms(6000), ms(5600)));
        assert_eq!((config.delete_period(), config.blacklist_timeout()), (ms(15_000), ms(5600)));
        assert_eq!((config.next_hop_wait(), config.max_repair_ttl()), (ms(50), 10));
        assert_eq!(config.reverse_route_timeout(3), ms(5600 - 240));
        let hello = Config { hello: true, active_route_timeout: ms(10_000), ..config };
        assert_eq!((hello.ttl_start(), hello.my_route_timeout()), (2, ms(20_000)));
        assert_eq!((hello.delete_period(), hello.hello_lifetime()), (ms(50_000), ms(2000)));
    }

    #[test]
    fn ns2_has_constants_of_its_own() {
        let config = Config::of(Preset::Ns2);
        assert_eq!((config.active_route_timeout, config.my_route_timeout()), (ms(10_000), ms(10_000)));
        assert_eq!((config.reverse_route_timeout(9), config.path_discovery_time()), (ms(6000), ms(6000)));
        assert_eq!((config.node_traversal_time, config.net_diameter), (ms(30), 30));
        assert_eq!((config.ttl_start(), config.ttl_increment, config.ttl_threshold), (30, 2, 7));
        assert_eq!((config.rreq_retries, config.rreq_ratelimit, config.rerr_ratelimit), (3, None, None));
        assert_eq!((config.hello, config.allowed_hello_loss), (false, 3));
        assert_eq!((config.send_buffer, config.send_buffer_timeout), (64, ms(30_000)));
    }
}
