//! What identifies this engine.

/// The version of the program whose engine this is, for provenance.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The hash of the engine's sources. Equal scenarios and seeds give equal results under equal builds.
pub const BUILD: &str = env!("FARLINK_BUILD");
