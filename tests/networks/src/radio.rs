//! Shared channels: radio, slots and underwater acoustics.

use crate::case::Maker;
use crate::motion::Field;
use crate::role::{self, MAC, PHY, PROPAGATION, QUEUE, ROUTING};
use crate::value::{logarithmic, pick};

/// A channel's keys, in order.
type Keys = Vec<(&'static str, String)>;

impl Maker {
    /// Wireless LAN over any land propagation.
    pub(crate) fn wlan(&mut self) -> Keys {
        let propagation = PROPAGATION.names(|name| name != "acoustic");
        let phy = PHY.names(|name| name != "acoustic");
        let (propagation, phy) = (pick(&mut self.stream, &propagation), pick(&mut self.stream, &phy));
        let mut keys = vec![
            ("propagation", PROPAGATION.named(&mut self.stream, propagation, &[])),
            ("phy", PHY.named(&mut self.stream, phy, &[])),
            ("mac", MAC.named(&mut self.stream, "dcf", &[])),
        ];
        self.common(&mut keys);
        keys
    }

    /// Any MAC but those of slots over any radio.
    pub(crate) fn packet_radio(&mut self) -> Keys {
        let names = MAC.names(|name| name != "frn");
        let name = pick(&mut self.stream, &names);
        let mut keys = vec![
            ("propagation", PROPAGATION.any(&mut self.stream)),
            ("phy", PHY.any(&mut self.stream)),
            ("mac", MAC.named(&mut self.stream, name, &[])),
        ];
        self.common(&mut keys);
        keys
    }

    /// Slots and echoes.
    pub(crate) fn slots(&mut self) -> Keys {
        let range = [("range", "\"250 m\"")];
        let slot = [("slot", "\"16 ms\""), ("frame", "\"1100 B\"")];
        let mut keys = vec![
            ("propagation", PROPAGATION.named(&mut self.stream, "disc", &range)),
            ("delay", "\"none\"".into()),
            ("mac", MAC.named(&mut self.stream, "frn", &slot)),
        ];
        if self.coin() {
            keys.push(("queue", self.queue()));
        }
        keys
    }

    /// Underwater acoustics.
    pub(crate) fn sound(&mut self) -> Keys {
        let propagation = pick(&mut self.stream, &["acoustic", "disc"]);
        let phy = pick(&mut self.stream, &["acoustic", "acoustic", "modem"]);
        let names = MAC.names(|name| name != "frn" && name != "dcf");
        let mac = pick(&mut self.stream, &names);
        let speed = match self.below(3) {
            0 => "\"1500 m/s\"".into(),
            1 => "{ name = \"medwin\", temperature_c = 8.0 }".into(),
            _ => {
                let profile = "depth_m,speed_mps\n0,1510\n100,1490\n2000,1520\n".into();
                format!("{{ csv = {:?} }}", self.file("sound", "csv", profile))
            }
        };
        let mut keys = vec![
            ("propagation", PROPAGATION.named(&mut self.stream, propagation, &[])),
            ("propagation_speed", speed),
            ("phy", PHY.named(&mut self.stream, phy, &[])),
            ("mac", MAC.named(&mut self.stream, mac, &[("timeout", "\"2 s\"")])),
        ];
        self.common(&mut keys);
        keys
    }

    /// Any queue of a channel; a shaper is one of links.
    fn queue(&mut self) -> String {
        let name = pick(&mut self.stream, &QUEUE.names(|name| name != "shaper"));
        QUEUE.named(&mut self.stream, name, &[])
    }

    fn common(&mut self, keys: &mut Keys) {
        if self.coin() {
            keys.push(("antenna", role::antenna(&mut self.stream)));
        }
        if self.coin() {
            keys.push(("queue", self.queue()));
        }
        if self.below(3) == 0 {
            keys.push(("arp", "\"one_slot\"".into()));
        }
        if self.below(3) == 0 {
            keys.push(("delay", "\"none\"".into()));
        }
    }

    /// A row of nodes on land.
    pub(crate) fn field(&mut self) -> Field {
        Field { spacing: logarithmic(&mut self.stream, 60.0, 260.0), height: 0.0 }
    }

    /// A row of nodes under water.
    pub(crate) fn sea(&mut self) -> Field {
        let spacing = logarithmic(&mut self.stream, 30.0, 400.0);
        Field { spacing, height: -logarithmic(&mut self.stream, 1.0, 2000.0) }
    }

    /// A channel of these nodes, or of all where none are given.
    pub(crate) fn channel(&mut self, keys: Keys, nodes: Option<(&str, &[String])>) {
        match nodes {
            None => self.text.section("[radio]"),
            Some((name, nodes)) => {
                self.text.section("[[channels]]");
                self.text.word("name", name);
                self.text.key("nodes", &format!("{nodes:?}"));
            }
        }
        for (key, value) in keys {
            self.text.key(key, &value);
        }
    }

    /// Any routing that may stand anywhere.
    pub(crate) fn routing(&mut self) {
        let names = ROUTING.names(|name| name != "frn");
        let name = pick(&mut self.stream, &names);
        let value = ROUTING.named(&mut self.stream, name, &[]);
        self.routing = Some(value);
    }
}
