//! Networks of many radios, to see what a signal at one listener costs as the network grows.
//!
//! All have 802.11 radios of 2 Mbit/s over flat ground, which are received over 250 m and sensed over 550 m, AODV as RFC 3561 has
//! it, and for every 20 nodes a TCP flow of 1460-byte segments with a window of 2 packets: more only
//! collide over few hops (Z. Fu et al., INFOCOM 2003). The flows start within 5 s.

use std::fmt::Write;

/// Radio and routing of all.
const RADIO: &str = r#"
[radio]
propagation = "two_ray"
phy = { name = "dsss", rate = "2 Mbit/s" }
mac = { name = "dcf" }

[routing]
name = "aodv"
# What was counted and timed so far sent its requests at once; the flows start apart.
jitter_own_requests = false
"#;

/// Nodes that share one flow.
const NODES_PER_FLOW: usize = 20;

/// A square of `side` rows 200 m apart. Flows go four hops along the rows, and do not begin one below the other.
pub(crate) fn grid(side: usize) -> String {
    /// How far a flow goes.
    const HOPS: usize = 4;
    let mut text = format!(
        "name = \"grid\"\nduration = \"10 s\"\n\n[topology]\nname = \"grid\"\nrows = {side}\ncolumns = {side}\nspacing = \"200 m\"\n{RADIO}"
    );
    for flow in 0..side * side / NODES_PER_FLOW {
        let (row, column) = (flow * NODES_PER_FLOW / side, flow * NODES_PER_FLOW % side);
        let shift = row * 7 % (side.min(NODES_PER_FLOW) - HOPS);
        let from = (column + shift).min(side - 1 - HOPS);
        push_flow(&mut text, &format!("{row}.{from}"), &format!("{row}.{}", from + HOPS));
    }
    text
}

/// So many nodes that move at random on 2.5 km x 2.5 km; flows go from any to any.
pub(crate) fn waypoint(nodes: usize) -> String {
    let area = r#"area = ["2500 m", "2500 m"]"#;
    let mut text = format!(
        "name = \"waypoint\"\nduration = \"10 s\"\n\n[topology]\nname = \"random\"\nnodes = {nodes}\n{area}\n\n[mobility]\nname = \"random_waypoint\"\n{area}\nmin_speed = \"1 m/s\"\nmax_speed = \"5 m/s\"\n{RADIO}"
    );
    for flow in 0..nodes / NODES_PER_FLOW {
        push_flow(&mut text, &format!("n{}", 2 * flow), &format!("n{}", 2 * flow + 1));
    }
    text
}

fn push_flow(text: &mut String, from: &str, to: &str) {
    let tcp = r#"{ congestion_control = "reno", segment_size = "1460 B", max_window = "2 packets" }"#;
    writeln!(text, "\n[[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"0 s..5 s\"\ntcp = {tcp}")
        .expect("a text takes everything");
}
