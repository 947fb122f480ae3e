//! Untrusted text, made safe for a terminal.

use std::borrow::Cow;

/// Escapes characters that a terminal acts on, the way TOML writes them: `\u001b`.
fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if is_control(c) { format!("\\u{:04x}", c as u32) } else { c.into() };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Characters of a long message that are shown, from its beginning and from its end.
const SHOWN: [usize; 2] = [1500, 400];

/// Escapes characters that a terminal acts on, and leaves out the middle of a long text.
pub fn message(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    let count = text.chars().count();
    let [begin, end] = SHOWN;
    if count <= begin + end {
        return text;
    }
    let first: String = text.chars().take(begin).collect();
    let last: String = text.chars().skip(count - end).collect();
    Cow::Owned(format!("{first} ... {last}"))
}

/// Replaces characters that a terminal acts on, one by one, so that columns stay where they are.
pub(crate) fn same_width(text: &str) -> String {
    let picture = |c: char| match c {
        '\t' => ' ',
        '\0'..'\u{20}' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        c if is_control(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(picture).collect()
}

/// Control characters (C0, DEL, C1), separators of lines and paragraphs, and the controls of UAX #9 that reorder text.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_both_ends_are_shown() {
        let text = format!("first{}last", "-".repeat(1_000_000));
        let shown = message(&text);
        assert!(shown.starts_with("first-") && shown.contains("- ... -") && shown.ends_with("-last"));
        assert_eq!(shown.len(), 1905);
    }

    #[test]
    fn controls_are_escaped_and_text_stays() {
        assert_eq!(printable("wörd 🛰"), "wörd 🛰");
        assert_eq!(
            printable("\x1b[31m\r\n\t\x7f\u{9b}\u{202e}"),
            "\\u001b[31m\\u000d\\u000a\\u0009\\u007f\\u009b\\u202e"
        );
        assert_eq!(same_width("a\tb\x1b\u{9b}\u{202e}c"), "a b\u{241b}\u{fffd}\u{fffd}c");
    }
}
