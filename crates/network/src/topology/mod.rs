//! Topology: the network as a graph, and the shortest paths in it, for ideal routing.

pub mod graph;
pub mod shortest_paths;
