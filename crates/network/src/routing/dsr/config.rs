//! Parameters (RFC 4728, section 9) and what ns-2.35 (dsr/dsragent.cc, dsr/mobicache.cc) does otherwise.

use farlink_kernel::config::above;
use farlink_kernel::{Bytes, Duration, choice, config};

use crate::routing::notice::Notices;
use crate::routing::{Messages, Parameters, Routes};

choice! {
    /// Sets of default values.
    pub enum Preset {
        /// Those of RFC 4728.
        Rfc = "rfc",
        /// Those of ns-2.35.
        Ns2 = "ns2",
    }
}

choice! {
    /// Structure of the route cache (section 4.1).
    pub enum CacheKind {
        /// Whole paths.
        Paths = "paths",
        /// Links, from which paths are computed.
        Links = "links",
    }
}

config! {
    /// Parameters of DSR.
    pub struct Config {
        /// Source of the defaults of all other parameters.
        pub preset: Preset = Preset::Rfc,
        /// Structure of the route cache. ns-2: paths.
        pub cache: CacheKind = CacheKind::Links; with Ns2 = CacheKind::Paths,
        /// Capacity of the route cache in paths or links; the oldest entry is replaced. With paths 30 of 94 places hold routes
        /// requested or used, the others overheard ones. ns-2: 94.
        pub cache_size: u32 = 256; in 1..; with Ns2 = 94,
        /// Lifetime of a cache entry that is not refreshed (RouteCacheTimeout); none: no limit. ns-2: none.
        pub cache_timeout: Option<Duration> = Some(Duration::from_secs(300)); in above(Duration::ZERO);
            with Ns2 = None,
        /// Intermediate nodes reply from their cache (section 3.3.2).
        pub replies_from_cache: bool = true,
        /// The first route request is non-propagating (section 3.3.3).
        pub ring_zero: bool = true,
        /// A non-propagating request precedes every propagating one. ns-2: yes.
        pub ring_zero_always: bool = false; with Ns2 = true,
        /// How long its reply is awaited (NonpropRequestTimeout).
        pub ring_zero_timeout: Duration = Duration::from_millis(30); in above(Duration::ZERO),
        /// Time after the first propagating request (RequestPeriod). ns-2: 2 s, since it multiplies 0.5 s before the first use.
        pub request_period: Duration = Duration::from_millis(500); in above(Duration::ZERO);
            with Ns2 = Duration::from_secs(2),
        /// Factor of the time between requests with every further one. ns-2: 4.
        pub request_backoff: u32 = 2; in 1..; with Ns2 = 4,
        /// Upper bound of the time between requests (MaxRequestPeriod).
        pub max_request_period: Duration = Duration::from_secs(10); in above(Duration::ZERO),
        /// The backoff continues until a request is answered, even if a route is learned otherwise. ns-2: yes.
        pub backoff_persists: bool = false; with Ns2 = true,
        /// Most requests for a destination (MaxRequestRexmt); none: as long as packets are buffered. ns-2: none.
        pub max_requests: Option<u32> = Some(16); in 1..; with Ns2 = None,
        /// Hop limit of a propagating request (DiscoveryHopLimit). ns-2: 16.
        pub hop_limit: u8 = 255; in 1..; with Ns2 = 16,
        /// Capacity of the table of other nodes' requests (RequestTableIds, RequestTableSize).
        pub request_table: u32 = 1024; in 1..,
        /// Forwarded broadcasts are delayed by a random time below this (BroadcastJitter).
        pub jitter: Duration = Duration::from_millis(10),
        /// Own requests and replies are jittered as well, so that those of neighbours do not collide repeatedly (RFC 5148,
        /// section 5.2).
        pub jitter_own_requests: bool = true,
        /// A cached route reply that would pass a node twice is shortened instead of suppressed (section 3.3.2). ns-2: yes.
        pub prune_reply_loops: bool = false; with Ns2 = true,
        /// Capacity of the send buffer in packets. RFC and ns-2: 64.
        pub send_buffer: u32 = 64; in 1..,
        /// Lifetime of a packet in the send buffer (SendBufferTimeout).
        pub send_buffer_timeout: Duration = Duration::from_secs(30),
        /// Interval between buffered packets when a route reply arrives. ns-2: 30 ms.
        pub release_gap: Duration = Duration::ZERO; with Ns2 = Duration::from_millis(30),
        /// Routes learned otherwise are noticed after one to two times this; 0: at once. ns-2: 30 ms.
        pub buffer_check: Duration = Duration::ZERO; with Ns2 = Duration::from_millis(30),
        /// How often a forwarded packet that met a broken link is salvaged (MAX_SALVAGE_COUNT); 0: never.
        pub max_salvage: u8 = 15; in ..=15,
        /// A node without an alternative route for such a packet buffers it and sends one non-propagating request; with
        /// `backoff_persists` no other until a reply arrives, and drops one packet after each further pause. ns-2: yes.
        pub salvage_with_request: bool = false; with Ns2 = true,
        /// Replies and errors that meet a broken link take another route or wait for one, and the node at which their route
        /// began gets a route error, which encloses an error that failed. ns-2: yes.
        pub salvage_messages: bool = false; with Ns2 = true,
        /// Every packet that a link did not carry causes a route error, and none that waited for the link; otherwise there is
        /// one per source, flow and time. ns-2: yes.
        pub errors_per_packet: bool = false; with Ns2 = true,
        /// Nodes learn from overheard packets and route errors (section 3.4).
        pub promiscuous: bool = true,
        /// A node learns from an overheard packet once, at whichever hop it hears it, and not from its own packets. ns-2:
        /// yes.
        pub overhears_once: bool = false; with Ns2 = true,
        /// Nodes also learn the reverse of routes that they forward, receive or overhear (section 3.3.1), and shorter ways to
        /// nodes on a route of their own. ns-2: only nodes that reply to a request learn the reverse.
        pub learn_reverse_routes: bool = true; with Ns2 = false,
        /// A node that overhears a packet before its turn sends the source a gratuitous reply with the shorter route
        /// (section 3.4.3).
        pub route_shortening: bool = true,
        /// Minimum interval of gratuitous replies per source and sender (GratReplyHoldoff).
        pub gratuitous_reply_holdoff: Duration = Duration::from_secs(1),
        /// They are held off per route instead, of which so many are remembered. ns-2: 10.
        pub gratuitous_reply_routes: Option<u32> = None; in 1..=1_000; with Ns2 = Some(10),
        /// Flow state (section 3.5): after three packets, and except for one in 5 s, packets carry no source route; the nodes
        /// on it remember it, and overhearing such packets teaches nothing. ns-2: yes.
        pub flow_state: bool = false; with Ns2 = true,
        /// Additional length of every packet besides the source route. ns-2: 20 B, a second IP header.
        pub header: Bytes = Bytes(0); in ..=Bytes(65_535); with Ns2 = Bytes(20),
        /// A source that was notified of a broken link includes it in its next request (section 3.4.4).
        pub propagate_errors: bool = true,
        /// Time from the failure at the MAC to the route error in the queue; the MAC takes what is queued meanwhile. ns-2: 25
        /// us.
        pub error_delay: Duration = Duration::ZERO; with Ns2 = Duration::from_micros(25),
        /// How long it includes that link in its requests, at most until one floods the network, and only if another node
        /// reported the break; none: until it has a route. ns-2: 1 s.
        pub error_memory: Option<Duration> = None; in above(Duration::ZERO);
            with Ns2 = Some(Duration::from_secs(1)),
        /// How transports are notified of broken routes.
        pub route_notifications: Notices = Notices::None,
    }
    preset Preset
}

impl Parameters for Config {
    fn messages(&self, _nodes: f64, _neighbours: f64) -> Vec<Messages> {
        Vec::new()
    }

    fn routes(&self) -> Routes<'_> {
        Routes::OnDemand
    }
}
