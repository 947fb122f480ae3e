//! The recording of a run for its animation: positions, frames in flight, drops and routes, as one JSON document.
//! Times are nanoseconds; columns of them, marked `_ns`, hold the differences of one to the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use farlink_kernel::{Duration, Instant};
use farlink_network::ids::NodeId;
use farlink_network::observe::monitor::{FrameObserved, Monitor, PacketObserved, Step};
use farlink_network::packet::Cause;
use farlink_network::{Blueprint, World};
use serde_json::{Value, json};

use drops::Drops;
use frames::{Frames, Links};
use routes::Routes;

mod drops;
mod frames;
mod routes;
mod stage;

/// The part of a run whose frames are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// From this instant on.
    pub start: Instant,
    /// Up to this one.
    pub end: Instant,
}

/// Kinds of frames; the first three are classes of packets.
const KINDS: [&str; 7] = ["routing", "data", "ack", "rts", "cts", "mac_ack", "tone"];

#[derive(Debug)]
struct Recording {
    frames: Frames,
    links: Links,
    drops: Drops,
}

/// A recording under way: the world writes it, the animation reads it.
#[derive(Clone, Debug)]
pub(crate) struct Recorder(Arc<Mutex<Recording>>);

#[derive(Debug)]
pub(crate) struct Animation {
    recorder: Recorder,
    routes: Routes,
    window: Window,
    stage: Value,
}

impl Monitor for Recorder {
    fn on_frame(&mut self, sighting: &FrameObserved<'_>) {
        self.lock().frames.on_frame(sighting);
    }

    fn on_packet(&mut self, passage: &PacketObserved<'_>) {
        let recording = &mut *self.lock();
        recording.drops.on_packet(passage);
        if let Step::Arrived { from, is_link: true } = passage.step {
            recording.frames.add(recording.links.row(passage, from));
        }
    }
}

impl Recorder {
    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Animation {
    /// An empty animation of a run of `blueprint` with `seed`.
    pub(crate) fn new(blueprint: &Blueprint, seed: u64, window: Window) -> Self {
        let recording =
            Recording { frames: Frames::new(window), links: Links::new(blueprint), drops: Drops::default() };
        Self {
            recorder: Recorder(Arc::new(Mutex::new(recording))),
            routes: Routes::new(blueprint.duration, blueprint.flows.len()),
            window,
            stage: stage::of(blueprint, seed),
        }
    }

    /// The monitor to add to the world.
    pub(crate) fn recorder(&self) -> Recorder {
        self.recorder.clone()
    }

    pub(crate) fn next_sample(&self) -> Instant {
        self.routes.next_sample()
    }

    pub(crate) fn sample(&mut self, now: Instant, world: &mut World) {
        self.routes.sample(now, world);
    }

    pub(crate) fn to_json(&self, duration: Duration) -> Value {
        let recording = self.recorder.lock();
        let end = self.window.end.min(Instant::ZERO + duration);
        json!({
            "format": 1,
            "duration_ns": duration.as_nanos(),
            "window_ns": [self.window.start.as_nanos(), end.as_nanos()],
            "kinds": KINDS,
            "causes": Cause::WORDS,
            "stage": self.stage,
            "frames": recording.frames.to_json(),
            "drops": recording.drops.to_json(),
            "routes": self.routes.to_json(),
        })
    }
}

fn differences(instants: impl Iterator<Item = Instant>) -> Vec<i64> {
    let mut before = 0;
    instants
        .map(|instant| {
            let nanos = instant.as_nanos().cast_signed();
            nanos - std::mem::replace(&mut before, nanos)
        })
        .collect()
}

fn or_none(number: Option<u32>) -> i64 {
    number.map_or(-1, i64::from)
}

fn numbers(nodes: &[NodeId]) -> Vec<u32> {
    nodes.iter().map(|node| node.0).collect()
}
