//! Parameters (RFC 4728, section 9) and what ns-2.35 (dsr/dsragent.cc, dsr/mobicache.cc) does otherwise.

use farlink_kernel::config::above;
use farlink_kernel::{Bytes, Duration, choice, config};

use crate::routing::notice::Notices;

choice! {
    /// Whose values.
    pub enum Preset {
        /// Those of RFC 4728.
        Rfc = "rfc",
        /// Those of ns-2.35.
        Ns2 = "ns2",
    }
}

choice! {
    /// How what is known of the network is kept (section 4.1).
    pub enum CacheKind {
        /// As whole paths.
        Paths = "paths",
        /// As links, from which paths are made.
        Links = "links",
    }
}

config! {
    /// Parameters of DSR.
    pub struct Config {
        /// Where the values come from that are not given.
        pub preset: Preset = Preset::Rfc,
        /// What is kept of routes. ns-2: paths.
        pub cache: CacheKind = CacheKind::Links,
        /// Most paths, or links, that are kept; of more the oldest goes. Of paths 30 in 94 are for those that were asked for or
        /// used, the others for what is only heard of. ns-2: 94.
        pub cache_size: u32 = 256; in 1..,
        /// What was not heard again for so long is forgotten (RouteCacheTimeout); none: never. ns-2: none.
        pub cache_timeout: Option<Duration> = Some(Duration::from_secs(300)); in above(Duration::ZERO),
        /// Nodes that know a route answer requests (section 3.3.2).
        pub replies_from_cache: bool = true,
        /// The first request goes to neighbours only (section 3.3.3).
        pub ring_zero: bool = true,
        /// So does one before every further request that goes everywhere. ns-2: yes.
        pub ring_zero_always: bool = false,
        /// How long its answer is waited for (NonpropRequestTimeout).
        pub ring_zero_timeout: Duration = Duration::from_millis(30); in above(Duration::ZERO),
        /// Pause between the first requests that go everywhere (RequestPeriod). ns-2: 2 s, for it multiplies 0.5 s before
        /// the first pause.
        pub request_period: Duration = Duration::from_millis(500); in above(Duration::ZERO),
        /// Each further pause is so many times as long. ns-2: 4.
        pub request_backoff: u32 = 2; in 1..,
        /// But no longer than this (MaxRequestPeriod).
        pub max_request_period: Duration = Duration::from_secs(10); in above(Duration::ZERO),
        /// Pauses go on, and go on growing, until a request is answered, though a way became known otherwise in
        /// between. ns-2: yes.
        pub backoff_persists: bool = false,
        /// Most requests for a destination (MaxRequestRexmt); none: as long as packets wait. ns-2: none.
        pub max_requests: Option<u32> = Some(16); in 1..,
        /// Hops a request goes at most (DiscoveryHopLimit). ns-2: 16.
        pub hop_limit: u8 = 255; in 1..,
        /// How many requests of others a node remembers (RequestTableIds, RequestTableSize).
        pub request_table: u32 = 1024; in 1..,
        /// What is passed on to everyone waits for a random time below this (BroadcastJitter).
        pub jitter: Duration = Duration::from_millis(10),
        /// So do a node's own requests, lest those of neighbours that begin at the same instant collide time and again (RFC 5148,
        /// section 5.2), and its answers to requests for itself.
        pub jitter_own_requests: bool = true,
        /// An answer of somebody who knows a way, and with which the way would pass a node twice, is cut short instead of
        /// being kept back (section 3.3.2). ns-2: yes.
        pub prune_reply_loops: bool = false,
        /// Packets that can wait for routes at a node. RFC and ns-2: 64.
        pub send_buffer: u32 = 64; in 1..,
        /// How long (SendBufferTimeout).
        pub send_buffer_timeout: Duration = Duration::from_secs(30),
        /// Packets that waited for an answer go one by one, so far apart. ns-2: 30 ms.
        pub release_gap: Duration = Duration::ZERO,
        /// That a way became known otherwise is seen after this, or up to twice as long; 0: at once. ns-2: 30 ms.
        pub buffer_check: Duration = Duration::ZERO,
        /// How often a packet of somebody else that met a broken link is sent another way (MAX_SALVAGE_COUNT); 0:
        /// never.
        pub max_salvage: u8 = 15; in ..=15,
        /// A node without another way for such a packet keeps it and asks its neighbours once; with `backoff_persists` not again
        /// until somebody answers, and drops one packet after every further pause. ns-2: yes.
        pub salvage_with_request: bool = false,
        /// Nodes learn from packets and errors that are meant for others (section 3.4).
        pub promiscuous: bool = true,
        /// Nodes learn the way back, too, of what they pass on, receive or overhear (section 3.3.1). ns-2: only who answers
        /// a request does.
        pub learn_reverse_routes: bool = true,
        /// Who overhears a packet that is to reach it later tells the source of the shorter way (section 3.4.3).
        pub route_shortening: bool = true,
        /// So often at most, per source and sender (GratReplyHoldoff).
        pub gratuitous_reply_holdoff: Duration = Duration::from_secs(1),
        /// After three packets, and but for one in 5 s, packets of a source carry no way: the nodes on it remember it, and
        /// who overhears them learns nothing (flow state, section 3.5). ns-2: yes.
        pub flow_state: bool = false,
        /// Every packet of a flow is longer by this, besides the way. ns-2: 20 B, for its DSR counts the IP header again.
        pub header: Bytes = Bytes(0); in ..=Bytes(65_535),
        /// A source that was told of a broken link tells it to everyone with its next request (section 3.4.4).
        pub propagate_errors: bool = true,
        /// An error comes to the queue so long after the MAC gave up. ns-2: 25 us, in which the MAC takes what waits there.
        pub error_delay: Duration = Duration::ZERO,
        /// For so long, and until a request goes everywhere, and only of links that others told it of; none: until there is a
        /// way. ns-2: 1 s.
        pub error_memory: Option<Duration> = None; in above(Duration::ZERO),
        /// How transports hear of broken routes.
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
                cache: CacheKind::Paths,
                cache_size: 94,
                cache_timeout: None,
                ring_zero_always: true,
                request_period: Duration::from_secs(2),
                request_backoff: 4,
                backoff_persists: true,
                max_requests: None,
                hop_limit: 16,
                prune_reply_loops: true,
                release_gap: Duration::from_millis(30),
                buffer_check: Duration::from_millis(30),
                salvage_with_request: true,
                learn_reverse_routes: false,
                flow_state: true,
                error_delay: Duration::from_micros(25),
                error_memory: Some(Duration::from_secs(1)),
                header: Bytes(20),
                ..rfc
            },
        }
    }
}
