//! Parameters (RFC 3561, section 10) and what ns-2.35 (aodv/aodv.cc) does otherwise.

use farlink_kernel::config::{CENTURY, Fraction, above};
use farlink_kernel::{Duration, choice, config};

use crate::routing::notice::Notices;

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
    pub enum Wait {
        /// As long as its ring takes to cross and back; doubled with every further one that goes everywhere.
        Traversal = "traversal",
        /// Twice its hop limit times what a hop took before, times the number of requests that went everywhere.
        FlowCounters = "measured",
    }
}

choice! {
    /// What a node's own sequence number grows by.
    pub enum Numbers {
        /// By one, before a request and in an answer that must be newer (section 6.1).
        Consecutive = "consecutive",
        /// To the next even number, before a request and in every answer; odd is what a break made of it.
        Even = "even",
    }
}

choice! {
    /// When a node other than the source repairs a broken route (section 6.12).
    pub enum Repair {
        /// Never.
        Never = "never",
        /// When the destination was within 0.3 network diameters (MAX_REPAIR_TTL).
        Near = "near",
        /// When the packet had gone more than half of its way. Other routes over the link are kept, and so is
        /// what waits for it.
        CloserToDestination = "closer_to_destination",
    }
}

choice! {
    /// Recipients of a RERR (section 6.11).
    pub enum Tell {
        /// The neighbours that were promised them; only one: it alone.
        Precursors = "precursors",
        /// Every neighbour, even where none was promised anything.
        AllNeighbours = "all_neighbours",
    }
}

config! {
    /// Parameters of AODV.
    pub struct Config {
        /// Where the values come from that are not given.
        pub preset: Preset = Preset::Rfc,
        /// A route that is not used is good for so long. ns-2: 10 s.
        pub active_route_timeout: Duration = Duration::from_secs(3),
        /// A packet also keeps the way back to its source in use, and the routes to the neighbours on both ways
        /// (section 6.2). ns-2: no.
        pub refresh_reverse_route: bool = true,
        /// Route lifetime in a destination's reply; none: twice `active_route_timeout`. ns-2: 10 s.
        pub my_route_timeout: Option<Duration> = None,
        /// Minimum lifetime of a reverse route to an originator; none: twice NET_TRAVERSAL_TIME less the time so far
        /// (section 6.5). ns-2: 6 s.
        pub reverse_route_timeout: Option<Duration> = None,
        /// How long a request is remembered; none: twice the time to cross the network and back. ns-2: 6 s.
        pub path_discovery_time: Option<Duration> = None,
        /// How long a route that is not good any more is remembered; none: five times the longer of
        /// `active_route_timeout` and `hello_interval`. ns-2: for ever.
        pub delete_period: Option<Duration> = None,
        /// What a hop takes, a cautious guess. ns-2: 30 ms.
        pub node_traversal_time: Duration = Duration::from_millis(40); in above(Duration::ZERO),
        /// Longest way in hops. ns-2: 30.
        pub net_diameter: u8 = 35; in 1..,
        /// Hop limit of the first request; at least 2 with `hello`. ns-2: 30, everywhere.
        pub ttl_start: u8 = 1; in 1..,
        /// The next one goes so many hops further.
        pub ttl_increment: u8 = 2; in 1..,
        /// Beyond so many hops it goes everywhere.
        pub ttl_threshold: u8 = 7,
        /// Hops that are added when it is computed how long a ring takes. ns-2: 0.
        pub timeout_buffer: u8 = 2,
        /// How long an answer is waited for. ns-2: measured.
        pub rrep_wait: Wait = Wait::Traversal,
        /// But no longer than this. ns-2: 10 s.
        pub max_rrep_wait: Option<Duration> = None; in above(Duration::ZERO),
        /// How often a request that went everywhere is repeated. ns-2: 3.
        pub rreq_retries: u32 = 2,
        /// After a search in vain packets wait so long for the next one. ns-2: 10 s.
        pub discovery_holdoff: Duration = Duration::ZERO,
        /// A node looks only so often whether a request has been answered; none: at once. ns-2: 500 ms.
        pub check_interval: Option<Duration> = None; in above(Duration::ZERO),
        /// Most requests per second that a node begins. ns-2: none.
        pub rreq_ratelimit: Option<u32> = Some(10); in 1..,
        /// Most errors per second that a node sends. ns-2: none.
        pub rerr_ratelimit: Option<u32> = Some(10); in 1..,
        /// What a node's own number grows by. ns-2: even.
        pub sequence_numbers: Numbers = Numbers::Consecutive,
        /// Only destinations answer requests (flag D).
        pub destination_only: bool = false,
        /// When another node answers, the destination hears of the originator (flag G). ns-2: no.
        pub gratuitous_rrep: bool = true,
        /// Answers are acknowledged (flag A), to find links that carry one way only.
        pub rrep_ack: bool = false,
        /// How long that acknowledgement is waited for; none: 10 ms more than a hop takes.
        pub next_hop_wait: Option<Duration> = None,
        /// How long requests of a neighbour are ignored that does not get answers; none: `rreq_retries` times the
        /// time to cross the network and back. ns-2: 0.
        pub blacklist_timeout: Option<Duration> = None,
        /// Nodes on routes say that they are there (section 6.9).
        pub hello: bool = false,
        /// How often.
        pub hello_interval: Duration = Duration::from_secs(1); in above(Duration::ZERO),
        /// By which part of it that varies. ns-2: 0.25.
        pub hello_jitter: Fraction = Fraction(0.0),
        /// A neighbour that was silent so many times is gone. ns-2: 3.
        pub allowed_hello_loss: u32 = 2; in 1..,
        /// A link over which a packet could not be sent is broken.
        pub link_layer_detection: bool = true,
        /// Also when that was a message of routing. ns-2: no.
        pub control_packets_break_links: bool = true,
        /// When a broken route is repaired on the way. ns-2: closer_to_destination.
        pub local_repair: Repair = Repair::Near,
        /// A repair asks with the number of the route that broke, so that a neighbour may answer with that very
        /// route, and takes only what is newer or shorter. Until then packets wait, when a search ends in vain, too;
        /// it is given up after as long as the run had lasted when it was due. ns-2: yes.
        pub repair_keeps_sequence_number: bool = false,
        /// A repair goes so many hops beyond the last known distance.
        pub local_add_ttl: u8 = 2,
        /// Recipients of a RERR. ns-2: everyone.
        pub rerr_recipients: Tell = Tell::Precursors,
        /// Packets queued for a neighbour that sends a RERR are given back, as if the link to it had broken.
        /// ns-2: yes.
        pub rerr_flushes_queue: bool = false,
        /// Packets of this node that a broken link gives back wait for another route. ns-2: they are dropped.
        pub reroute: bool = true,
        /// Packets that can wait for routes at a node.
        pub send_buffer: u32 = 64; in 1..,
        /// How long.
        pub send_buffer_timeout: Duration = Duration::from_secs(30),
        /// Time between packets that leave when a route is found. ns-2: 10 ms.
        pub release_gap: Duration = Duration::ZERO,
        /// What is passed on to everyone waits for a random time below this.
        pub jitter: Duration = Duration::from_millis(10),
        /// So do a node's own requests, lest those of neighbours that begin at the same instant collide time and again (RFC 5148,
        /// section 5.2). ns-2: no.
        pub jitter_own_requests: bool = true,
        /// How transports hear of broken routes. With `destination_only` the other end hears of every new one.
        pub route_notifications: Notices = Notices::None,
    }
    preset Config::of
}

impl Config {
    /// The values of a preset.
    pub fn of(preset: Preset) -> Self {
        let rfc = Self::default();
        match preset {
            Preset::Rfc => rfc,
            Preset::Ns2 => Self {
                preset,
                active_route_timeout: Duration::from_secs(10),
                refresh_reverse_route: false,
                my_route_timeout: Some(Duration::from_secs(10)),
                reverse_route_timeout: Some(Duration::from_secs(6)),
                path_discovery_time: Some(Duration::from_secs(6)),
                delete_period: Some(CENTURY),
                node_traversal_time: Duration::from_millis(30),
                net_diameter: 30,
                ttl_start: 30,
                timeout_buffer: 0,
                rrep_wait: Wait::FlowCounters,
                max_rrep_wait: Some(Duration::from_secs(10)),
                rreq_retries: 3,
                discovery_holdoff: Duration::from_secs(10),
                check_interval: Some(Duration::from_millis(500)),
                rreq_ratelimit: None,
                rerr_ratelimit: None,
                sequence_numbers: Numbers::Even,
                gratuitous_rrep: false,
                blacklist_timeout: Some(Duration::ZERO),
                hello_jitter: Fraction(0.25),
                allowed_hello_loss: 3,
                control_packets_break_links: false,
                local_repair: Repair::CloserToDestination,
                repair_keeps_sequence_number: true,
                rerr_recipients: Tell::AllNeighbours,
                rerr_flushes_queue: true,
                reroute: false,
                release_gap: Duration::from_millis(10),
                jitter_own_requests: false,
                ..rfc
            },
        }
    }

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

    /// How long a neighbour that says hello counts as there.
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
