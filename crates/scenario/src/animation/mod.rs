//! What it takes to play a run on a page: who is where, the frames under way, drops and routes, as one JSON
//! document. Times are nanoseconds; columns of them, marked `_ns`, hold the differences of one to the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use farlink_kernel::{Duration, Instant};
use farlink_network::packet::Cause;
use farlink_network::probe::monitor::{Monitor, Passage, Sighting, Step};
use farlink_network::{Blueprint, World};
use serde_json::{Value, json};

use drops::Drops;
use frames::{Crossings, Frames};
use routes::Routes;

mod drops;
mod frames;
mod routes;
mod stage;

/// From when to when frames are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// From this instant on.
    pub start: Instant,
    /// Up to this one.
    pub end: Instant,
}

/// Kinds of frames; the first three are classes of packets.
const KINDS: [&str; 7] = ["routing", "data", "ack", "rts", "cts", "mac_ack", "tone"];

/// What happened in front of the camera.
#[derive(Debug)]
struct Film {
    frames: Frames,
    crossings: Crossings,
    drops: Drops,
}

/// A film under way: the world holds it to shoot, the simulation to develop it.
#[derive(Clone, Debug)]
pub(crate) struct Camera(Arc<Mutex<Film>>);

/// An animation under way.
#[derive(Debug)]
pub(crate) struct Animation {
    camera: Camera,
    routes: Routes,
    window: Window,
    stage: Value,
}

impl Monitor for Camera {
    fn on_frame(&mut self, sighting: &Sighting<'_>) {
        self.film().frames.on_frame(sighting);
    }

    fn on_packet(&mut self, passage: &Passage<'_>) {
        let film = &mut *self.film();
        film.drops.on_packet(passage);
        if let Step::Arrived { from, is_wired: true } = passage.step {
            film.frames.add(film.crossings.of(passage, from));
        }
    }
}

impl Camera {
    fn film(&self) -> MutexGuard<'_, Film> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Animation {
    /// Nothing yet of a run of `blueprint` with `seed`.
    pub(crate) fn new(blueprint: &Blueprint, seed: u64, window: Window) -> Self {
        let film = Film {
            frames: Frames::new(window),
            crossings: Crossings::new(blueprint),
            drops: Drops::default(),
        };
        Self {
            camera: Camera(Arc::new(Mutex::new(film))),
            routes: Routes::new(blueprint.duration, blueprint.flows.len()),
            window,
            stage: stage::of(blueprint, seed),
        }
    }

    /// Who watches the world.
    pub(crate) fn camera(&self) -> Camera {
        self.camera.clone()
    }

    /// When the routes are to be looked at next.
    pub(crate) fn next_look(&self) -> Instant {
        self.routes.next()
    }

    /// Looks at the routes.
    pub(crate) fn look(&mut self, now: Instant, world: &mut World) {
        self.routes.look(now, world);
    }

    /// The document.
    pub(crate) fn to_json(&self, duration: Duration) -> Value {
        let film = self.camera.film();
        let end = self.window.end.min(Instant::ZERO + duration);
        json!({
            "format": 1,
            "duration_ns": duration.as_nanos(),
            "window_ns": [self.window.start.as_nanos(), end.as_nanos()],
            "kinds": KINDS,
            "causes": Cause::WORDS,
            "stage": self.stage,
            "frames": film.frames.to_json(),
            "drops": film.drops.to_json(),
            "routes": self.routes.to_json(),
        })
    }
}

/// Each instant as its distance from the one before.
fn differences(instants: impl Iterator<Item = Instant>) -> Vec<i64> {
    let mut before = 0;
    instants
        .map(|instant| {
            let nanos = instant.as_nanos().cast_signed();
            nanos - std::mem::replace(&mut before, nanos)
        })
        .collect()
}

/// A number, or -1 for none.
fn or_none(number: Option<u32>) -> i64 {
    number.map_or(-1, i64::from)
}
