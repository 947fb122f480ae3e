//! Channels: what a frame meets between the interfaces of two or more nodes.
//!
//! A [`wire`] has two ends and a [`pipe`] behind each; [`error`] says which of its packets die. What many
//! nodes share is [`air`], and a node's interface on it a [`station`]; its [`propagation`] says who hears
//! whom, and [`celerity`] when.

pub mod air;
pub mod arp;
pub mod celerity;
pub mod error;
pub mod neighbourhood;
pub mod pipe;
pub mod propagation;
pub mod station;
pub mod wire;
