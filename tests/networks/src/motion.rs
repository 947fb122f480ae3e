//! Positions and mobility.

use std::fmt::Write;

use crate::case::Maker;
use crate::role::MOBILITY;
use crate::value::pick;

/// Where the nodes of a channel are at first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// How far apart neighbours are, in metres.
    pub(crate) spacing: f64,
    /// The height of the first, in metres: below 0 under water.
    pub(crate) height: f64,
}

impl Maker {
    /// Nodes on a shared channel, in a row that bends.
    pub(crate) fn placed(&mut self, prefix: &str, nodes: usize, field: Field) -> Vec<String> {
        let file = self.below(12) == 0 && field.height >= 0.0;
        let mut names = Vec::new();
        for number in 0..nodes {
            let x = field.spacing * (number as f64 + 0.3 * self.stream.uniform());
            let y = field.spacing * 0.5 * self.stream.uniform();
            let z = field.height * (1.0 + 0.1 * self.stream.uniform());
            let name = format!("{prefix}{number}");
            let place = [x, y, z];
            self.node(&name, (!file).then_some(place));
            names.push(name);
        }
        if file {
            self.movement_file(field.spacing);
        } else if self.coin() {
            self.mobility(field.spacing);
        }
        names
    }

    /// All nodes move by the same model.
    fn mobility(&mut self, spacing: f64) {
        let names = MOBILITY.names(|name| name != "scripted");
        let name = pick(&mut self.stream, &names);
        let area = format!("[\"{:.0} m\", \"{:.0} m\"]", 4.0 * spacing, 2.0 * spacing);
        let fast = self.coin();
        let speeds = if fast {
            [("min_speed", "\"20 m/s\""), ("max_speed", "\"60 m/s\""), ("mean_speed", "\"40 m/s\"")]
        } else {
            [("min_speed", "\"1 m/s\""), ("max_speed", "\"5 m/s\""), ("mean_speed", "\"3 m/s\"")]
        };
        let start = if self.coin() { ("start", "\"stationary\"") } else { ("start", "\"position\"") };
        let given = [&speeds[..], &[("area", area.as_str()), start]].concat();
        let value = MOBILITY.named(&mut self.stream, name, &given);
        self.mobility = Some(value);
    }

    /// A script of its own for a node.
    pub(crate) fn script(&mut self) -> String {
        let mut moves = Vec::new();
        for step in 0..=self.below(3) {
            let (x, y, speed) = (self.below(900), self.below(200), 1 + self.below(150));
            moves.push(format!(
                "{{ at = \"{} ms\", to = [\"{x} m\", \"{y} m\"], speed = \"{speed} m/s\" }}",
                step * 1700 + self.below(1000)
            ));
        }
        format!("{{ name = \"scripted\", moves = [{}] }}", moves.join(", "))
    }

    /// All nodes move as a file of BonnMotion or ns-2 says.
    fn movement_file(&mut self, spacing: f64) {
        let (mut ns2, mut bonnmotion) = (String::new(), String::new());
        for number in 0..self.nodes.len() {
            let x = spacing * number as f64 + 1.0;
            let (to, speed) = (x + self.below(200) as f64, 1 + self.below(40));
            let put = writeln!(
                ns2,
                "$node_({number}) set X_ {x}\n$node_({number}) set Y_ 1.0\n$node_({number}) set Z_ 0.0\n\
                 $ns_ at 1.5 \"$node_({number}) setdest {to} 20.0 {speed}.0\""
            );
            put.and_then(|()| writeln!(bonnmotion, "0.0 {x} 1.0 4.0 {to} 20.0")).expect("a string takes all");
        }
        let moves = if self.coin() {
            format!("{{ ns2 = {:?} }}", self.file("moves", "tcl", ns2))
        } else {
            format!("{{ bonnmotion = {:?} }}", self.file("moves", "movements", bonnmotion))
        };
        self.mobility = Some(format!("{{ name = \"scripted\", moves = {moves} }}"));
    }
}
