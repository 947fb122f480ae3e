//! What a fuzzer begins with, made from the registries: dictionaries, and inputs that are valid.

use std::collections::BTreeSet;
use std::fmt::Write;

use farlink_scenario::{built_in, models, schema};
use serde_json::Value;

/// Words of the formats that are not in the schema.
const WORDS: &[(&str, &[&str])] = &[
    ("rate_csv", &["time_s,rate_bps", "\n", ",", "1e15", "inf", "nan", "-0", "\u{feff}", "\"", "#"]),
    ("delay_csv", &["time_s,delay_s", "\n", ",", "1e9", "inf", "nan", "-0", "3.2e9", "\"", "1e-9"]),
    ("mahimahi", &["\n", "0", "1", "18446744073709551615", "4294967296", "-1", " "]),
    ("sound_speed", &["depth_m,speed_mps", "\n", ",", "12000", "1000", "2000", "1e-300", "nan"]),
    (
        "ns2_movement",
        &[
            "$node_(0)",
            "$node_(3)",
            " set X_ ",
            " set Y_ ",
            " set Z_ ",
            "$ns_ at ",
            " setdest ",
            "\"",
            ";",
            "1e300",
        ],
    ),
    ("bonnmotion", &["\n", " ", "0.0", "1e300", "-1", "nan", "8.0 9.0"]),
    (
        "fcd",
        &[
            "<fcd-export>",
            "</fcd-export>",
            "<timestep time=\"",
            "</timestep>",
            "<vehicle id=\"",
            "<person id=\"",
        ],
    ),
    (
        "graphml",
        &[
            "<graphml>",
            "<graph>",
            "<node id=\"a\"/>",
            "<edge source=\"a\" target=\"b\"/>",
            "<key id=\"",
            "<data key=\"",
            "attr.name=\"x\"",
            "attr.name=\"LinkSpeedRaw\"",
            "attr.name=\"Latitude\"",
            "attr.name=\"Longitude\"",
            "<default>",
            "<!DOCTYPE",
            "<!ENTITY",
            "&amp;",
        ],
    ),
    ("network_csv", &["name,x_m,y_m,z_m", "from,to", "\n%%%\n", "\n", ",", "1e300", "#", "\""]),
    (
        "dialogue",
        &[
            "socket(..., SOCK_STREAM, IPPROTO_TCP) = 3",
            "bind",
            "listen",
            "accept(3, ..., ...) = 4",
            "connect",
            "write(",
            "read(",
            "close(4) = 0",
            "setsockopt",
            "shutdown",
            "win 257",
            "<mss 1000,sackOK,nop,nop,nop,wscale 7>",
            "TS val 100 ecr 0",
            "sack 1:2",
            "S.",
            "P.",
            "F.",
            "R.",
            "[ce]",
            "[ect0]",
            "%{ assert tcpi_snd_cwnd == 10 }%",
            "+0 > ",
            "+.1 < ",
            "*",
            "//! dialogue = { initial_seq = 4294966295 }",
            "4294967295:",
        ],
    ),
];

/// Values at the borders of what a scenario takes.
const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "\"0 s\"",
    "\"1 ns\"",
    "\"1e300 s\"",
    "1e-320",
    "18446744073709551615",
    "9223372036854775807",
    "inf",
    "nan",
    "\"0 B\"",
    "\"1 bit/s\"",
    "\"1 Pbit/s\"",
    "\"3155760000 s\"",
    "[[",
    "]]",
    "{ name = ",
    "\n%%%\n",
];

/// The words of a target's inputs.
pub fn words(target: &str) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = BTreeSet::new();
    if ["scenario", "settings"].contains(&target) {
        words.extend(VALUES.iter().map(ToString::to_string));
        let schema: Value = serde_json::from_str(&schema()).expect("the schema is JSON");
        collect(&schema, &mut words);
        collect(&models(), &mut words);
    }
    let own = WORDS.iter().filter(|(name, _)| *name == target).flat_map(|(_, words)| *words);
    words.extend(own.map(ToString::to_string));
    words
}

/// The words, one for each line, as libFuzzer reads them.
pub fn dictionary(target: &str) -> String {
    let mut text = String::new();
    for word in words(target) {
        text.push('"');
        for byte in word.bytes() {
            match byte {
                b'"' | b'\\' => write!(text, "\\{}", char::from(byte)),
                b' '..=b'~' => write!(text, "{}", char::from(byte)),
                _ => write!(text, "\\x{byte:02x}"),
            }
            .expect("text takes what is written");
        }
        text.push_str("\"\n");
    }
    text
}

/// Names of models, keys, choices, units and examples.
fn collect(value: &Value, words: &mut BTreeSet<String>) {
    let mut add = |word: &Value| {
        words.extend(word.as_str().filter(|word| (1..=32).contains(&word.len())).map(ToOwned::to_owned));
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        Value::Object(entries) => {
            for key in ["const", "name", "default"] {
                entries.get(key).iter().for_each(|word| add(word));
            }
            for key in ["enum", "examples"] {
                entries.get(key).and_then(Value::as_array).into_iter().flatten().for_each(&mut add);
            }
            if let Some(Value::Object(properties)) = entries.get("properties") {
                words.extend(properties.keys().cloned());
            }
            entries.values().for_each(|value| collect(value, words));
        }
        _ => {}
    }
}

/// Valid inputs of a target that come with the program; those of files and of dialogues stand in the corpus.
pub fn inputs(target: &str) -> Vec<(String, String)> {
    let one = |scenario: &farlink_scenario::BuiltIn| match target {
        "scenario" => Some((scenario.name.to_owned(), scenario.text.to_owned())),
        "settings" => Some((
            scenario.name.to_owned(),
            format!("{}\nduration=1 s\nflows.0.tcp.congestion_control=cubic", scenario.name),
        )),
        _ => None,
    };
    built_in().iter().filter_map(one).collect()
}
