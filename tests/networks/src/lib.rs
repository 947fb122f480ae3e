//! Random networks of all kinds, as scenario files, and what must hold for a run of each.
//!
//! [`case`] makes a scenario from a seed: links, shared channels, or both; members of every registry with parameters drawn
//! from their own declarations ([`role`], [`value`]), so that a new member takes part without a line here. [`check`] runs
//! it and reconciles its ledger; [`campaign`] runs many, again and on several threads; [`shrink`] cuts a failing case down.

mod arrived;
pub mod campaign;
pub mod case;
pub mod check;
mod departures;
mod flows;
mod links;
mod motion;
mod radio;
pub mod role;
pub mod shrink;
mod text;
pub mod value;
