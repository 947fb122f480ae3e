//! Topology: the network as a graph, and the shortest paths in it, for ideal routing.

pub(crate) mod graph;
pub(crate) mod links;
pub(crate) mod shortest_paths;
