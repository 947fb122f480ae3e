//! Scenarios as users write them, from the document to the results. One program, for each of its own would be linked with
//! the whole engine.

mod bottlenecks;
mod delivery_rate;
mod documents;
mod estimate;
mod generated;
mod mistaken_files;
mod mistakes;
mod movement;
mod networks;
mod parameters;
mod runs;
mod sharing;
mod starts;
mod static_paths;
mod warnings;
mod workloads;
