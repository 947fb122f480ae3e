//! Scripts in packetdrill's notation.

use farlink_dialogues::Outcome;

/// Plays a script: whatever it says, it passes, is refused or fails at one of its lines, in a message of one line.
pub(crate) fn play(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (line, parts) = match farlink_dialogues::play(text) {
        Outcome::Passed => return,
        Outcome::Refused(refusal) => (refusal.line, vec![refusal.construct, refusal.why]),
        Outcome::Failed(mismatch) => (mismatch.line, vec![mismatch.what]),
    };
    assert!((1..=text.lines().count().max(1)).contains(&line), "line {line} is not in the script");
    for part in &parts {
        assert!(!part.contains('\n'), "a message of several lines: {parts:?}");
    }
    assert!(parts.last().is_some_and(|why| !why.is_empty()), "a message without words");
}
