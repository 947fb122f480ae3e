//! Random networks whose links come and go: there is never a loop, and every packet has one end.

use super::net::{Net, at, ms};
use crate::ids::NodeId;
use crate::routing::aodv::config::{Config, LocalRepair, Preset};
use farlink_kernel::random::Stream;

/// The seed decides about everything.
fn config(rng: &mut Stream) -> Config {
    let mut coin = || rng.below(2) == 0;
    let preset = if coin() { Preset::Rfc } else { Preset::Ns2 };
    let base = Config::of(preset);
    let repair = [base.local_repair, [LocalRepair::Never, LocalRepair::Near][usize::from(coin())]]
        [usize::from(coin())];
    Config {
        hello: coin(),
        link_layer_detection: coin() || coin(),
        destination_only: coin() && coin(),
        gratuitous_rrep: coin(),
        rrep_ack: coin() && coin(),
        local_repair: repair,
        reroute: coin(),
        repair_keeps_sequence_number: coin(),
        refresh_reverse_route: coin(),
        ..base
    }
}

/// No next hops lead round in a circle, whatever the destination.
fn assert_no_loops(net: &Net) {
    for destination in (0..net.nodes.len() as u32).map(NodeId) {
        for source in (0..net.nodes.len() as u32).map(NodeId) {
            net.way(source, destination);
        }
    }
}

#[test]
fn routes_never_loop_while_links_come_and_go() {
    let (mut delivered, mut longest) = (0, 0);
    for seed in 0..120 {
        let mut rng = Stream::new(seed, "networks", 0);
        let nodes = 3 + rng.below(8) as u32;
        let mut net = Net::new(nodes, &config(&mut rng), seed);
        net.loss = [0.0, 0.0, 0.1, 0.3][rng.below(4) as usize];
        net.is_silent = rng.below(4) == 0;
        let mut node = || NodeId(rng.below(nodes.into()) as u32);
        for _ in 0..nodes * 2 {
            let (a, b) = (node(), node());
            if a != b {
                net.link(a, b);
            }
        }
        let mut time = 0;
        while time < 40_000 {
            let (a, b) = (NodeId(rng.below(nodes.into()) as u32), NodeId(rng.below(nodes.into()) as u32));
            match rng.below(5) {
                _ if a == b => {}
                0 if net.is_linked(a, b) => net.cut(a, b),
                0 => net.link(a, b),
                _ => net.send(a, b),
            }
            time += rng.below(400);
            while net.step(at(time)) {
                assert_no_loops(&net);
            }
            net.cx.now = at(time);
            assert_no_loops(&net);
            net.audit();
            longest = longest.max((0..nodes).map(|to| net.way(a, NodeId(to)).len()).max().unwrap_or(0));
        }
        net.run_until(at(time) + ms(100_000));
        net.audit();
        delivered += net.delivered.len();
    }
    assert!(delivered > 5000 && longest > 5, "{delivered} {longest}");
}
