//! The formats of files that a scenario names: each in a small scenario that has it read, and runs with it.

use farlink_scenario::Draft;

use crate::checks;

/// Two nodes and a link, whose keys are given.
macro_rules! link {
    ($keys:literal) => {
        concat!(
            "name = \"fuzz\"\nduration = \"5 s\"\nnodes = [{ name = \"n0\" }, { name = \"n1\" }]\n",
            "flows = [{ from = \"n0\", to = \"n1\" }]\n[[links]]\nbetween = [\"n0\", \"n1\"]\n",
            $keys
        )
    };
}

/// Four radio nodes, 100 m apart, with more keys.
macro_rules! radio {
    ($top:literal, $radio:literal) => {
        concat!(
            "name = \"fuzz\"\nduration = \"5 s\"\nflows = [{ from = \"n0\", to = \"n3\" }]\nrouting = \"aodv\"\n",
            $top,
            "\n[topology]\nname = \"chain\"\nnodes = 4\nspacing = \"100 m\"\n",
            "[radio]\npropagation = { name = \"disc\", range = \"120 m\" }\n",
            $radio
        )
    };
}

/// A network that the file makes; `a` and `b` are in it in the seeds.
macro_rules! network {
    ($path:literal) => {
        concat!(
            "name = \"fuzz\"\nduration = \"5 s\"\nflows = [{ from = \"a\", to = \"b\" }]\n[topology]\nname = \"file\"\n",
            "link = { rate = \"1 Mbit/s\", delay = \"10 ms\" }\n",
            $path
        )
    };
}

/// Time series of a link's rate.
pub(crate) fn rate_csv(data: &[u8]) {
    read(link!("rate = { csv = \"f\" }\ndelay = \"10 ms\"\n"), data);
}

/// Time series of a link's delay.
pub(crate) fn delay_csv(data: &[u8]) {
    read(link!("rate = \"1 Mbit/s\"\ndelay = { csv = \"f\" }\n"), data);
}

/// Traces of mahimahi.
pub(crate) fn mahimahi(data: &[u8]) {
    read(link!("rate = { mahimahi = \"f\" }\ndelay = \"10 ms\"\n"), data);
}

/// Profiles of the speed of sound.
pub(crate) fn sound_speed(data: &[u8]) {
    read(radio!("", "propagation_speed = { csv = \"f\" }"), data);
}

/// Movement files of ns-2.
pub(crate) fn ns2_movement(data: &[u8]) {
    read(radio!("mobility = { name = \"scripted\", moves = { ns2 = \"f\" } }", ""), data);
}

/// Movement files of BonnMotion.
pub(crate) fn bonnmotion(data: &[u8]) {
    read(radio!("mobility = { name = \"scripted\", moves = { bonnmotion = \"f\" } }", ""), data);
}

/// Traffic of SUMO.
pub(crate) fn fcd(data: &[u8]) {
    read(radio!("mobility = { name = \"scripted\", moves = { fcd = \"f\" } }", ""), data);
}

/// Networks as GraphML.
pub(crate) fn graphml(data: &[u8]) {
    read(network!("path = \"f.graphml\"\nattributes = true\n"), data);
}

/// Networks as a table of nodes and one of links.
pub(crate) fn network_csv(data: &[u8]) {
    read(network!("path = \"f.csv\"\nlinks = \"links.csv\"\n"), data);
}

/// Reads the scenario `text`, whose file holds `data`, and briefly runs it.
fn read(text: &str, data: &[u8]) {
    let draft = Draft::parse(text, "fuzz.toml").unwrap_or_else(|error| panic!("{error}"));
    if let Some(scenario) = checks::validated(draft, data, &[text]) {
        checks::runs(&scenario);
    }
}
