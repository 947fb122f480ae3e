//! Our own scripts hold, and each of their expectations can fail.

#![expect(clippy::disallowed_methods, reason = "a tool reads and writes files; the engine does not")]

use std::fs;
use std::path::{Path, PathBuf};

use farlink_dialogues::script::{Action, Assertion, Comparison, Operator, Packet, Script, When};
use farlink_dialogues::{Outcome, folder, parse, play, run};
use farlink_kernel::Duration;
use farlink_tcp::Flags;

fn scripts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let paths = folder::scripts(&root).expect("the folder of scripts is there");
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("it is text"))).collect()
}

#[test]
fn every_script_holds() {
    let scripts = scripts();
    let broken: Vec<_> = scripts
        .iter()
        .filter_map(|(path, text)| match play(text) {
            Outcome::Passed => None,
            other => Some(format!("{}: {other:?}", path.display())),
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(scripts.len() >= 40, "only {} scripts were found", scripts.len());
}

#[test]
fn every_script_names_the_clause_it_is_about() {
    for (path, text) in scripts() {
        let first = text.lines().next().unwrap_or("");
        assert!(first.starts_with("// ") && first.contains("RFC "), "{}: {first}", path.display());
    }
}

/// A script with one expectation changed to something that does not happen.
type Spoil = fn(&mut Action, &mut When) -> bool;

fn spoilt(script: &Script, spoil: Spoil) -> impl Iterator<Item = (usize, Script)> {
    (0..script.events.len()).filter_map(move |i| {
        let mut changed = script.clone();
        let event = &mut changed.events[i];
        spoil(&mut event.action, &mut event.when).then_some((event.line, changed))
    })
}

fn assert_each_fails(spoil: Spoil, at_least: usize) {
    let mut tried = 0;
    for (path, text) in scripts() {
        let script = parse(&text).expect("it holds as it is");
        for (line, changed) in spoilt(&script, spoil) {
            tried += 1;
            let found = run(&changed).expect("it is still understood");
            assert!(found.is_some(), "{}:{line}: passes although it is wrong", path.display());
        }
    }
    assert!(tried >= at_least, "only {tried} expectations were changed");
}

fn packet(action: &mut Action) -> Option<&mut Packet> {
    match action {
        Action::Expect(packet) => Some(packet),
        _ => None,
    }
}

#[test]
fn a_packet_with_another_flag_fails() {
    assert_each_fails(|action, _| packet(action).map(|packet| packet.flags.0 ^= Flags::PSH.0).is_some(), 300);
}

#[test]
fn a_packet_with_another_length_fails() {
    assert_each_fails(|action, _| packet(action).map(|packet| packet.len += 1).is_some(), 300);
}

#[test]
fn a_packet_with_another_acknowledgement_fails() {
    assert_each_fails(
        |action, _| {
            let ack = packet(action).and_then(|packet| packet.ack.as_mut());
            ack.map(|ack| *ack = ack.wrapping_add(1)).is_some()
        },
        300,
    );
}

#[test]
fn a_packet_at_another_time_fails() {
    assert_each_fails(
        |action, when| {
            if let When::At(time) | When::After(time) = when {
                *time += Duration::from_millis(1);
            }
            matches!((action, when), (Action::Expect(_), When::At(_) | When::After(_)))
        },
        300,
    );
}

#[test]
fn an_assertion_turned_round_fails() {
    assert_each_fails(
        |action, _| {
            let Action::Assert(assertions) = action else { return false };
            let [Assertion { any_of, .. }] = &mut assertions[..] else { return false };
            let [all_of] = &any_of[..] else { return false };
            *any_of = all_of.iter().map(|comparison| vec![opposite(comparison)]).collect();
            true
        },
        60,
    );
}

fn opposite(comparison: &Comparison) -> Comparison {
    let operator = match comparison.operator {
        Operator::Equal => Operator::Unequal,
        Operator::Unequal => Operator::Equal,
        Operator::Less => Operator::GreaterOrEqual,
        Operator::LessOrEqual => Operator::Greater,
        Operator::Greater => Operator::LessOrEqual,
        Operator::GreaterOrEqual => Operator::Less,
    };
    Comparison { operator, ..*comparison }
}
