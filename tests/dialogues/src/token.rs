//! Words and signs of the notation, and a cursor over them.

use crate::Refusal;

/// A word or sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Integer,
    /// `0x1F`.
    Hex,
    /// `1.5` or `.5`.
    Decimal,
    Word,
    /// Between quotation marks; a backslash takes the meaning from the character after it.
    Text,
    /// Between backticks.
    Command,
    /// Between `%{` and `}%`.
    Code,
    /// `--name`.
    Flag,
    Ellipsis,
    Sign,
}

const SIGNS: &[u8] = b"-+*~<>.:()[]{},=|&!;";

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes of blanks and comments `text` begins with.
fn blank(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let comment = if rest.starts_with("//") {
            rest.find('\n').or(Some(rest.len()))
        } else {
            rest.strip_prefix("/*").and_then(|inside| inside.find("*/")).map(|end| end + 4)
        };
        match comment {
            Some(end) => rest = &rest[end..],
            None => return text.len() - rest.len(),
        }
    }
}

/// The token that `text` begins with, and its bytes.
fn first(text: &str) -> Option<(Token, usize)> {
    let bytes = text.as_bytes();
    let run = |from: usize, belongs: fn(u8) -> bool| {
        from + bytes[from..].iter().take_while(|&&byte| belongs(byte)).count()
    };
    let until = |from: usize, end: &str| text[from..].find(end).map(|at| from + at + end.len());
    let digits = run(0, |byte| byte.is_ascii_digit());
    let has_fraction = matches!(bytes[digits..], [b'.', b'0'..=b'9', ..]);
    Some(match *bytes {
        [b'.', b'.', b'.', ..] => (Token::Ellipsis, 3),
        [b'0', b'x', next, ..] if next.is_ascii_hexdigit() => {
            (Token::Hex, run(2, |byte| byte.is_ascii_hexdigit()))
        }
        _ if has_fraction => (Token::Decimal, run(digits + 1, |byte| byte.is_ascii_digit())),
        _ if digits > 0 => (Token::Integer, digits),
        [first, ..] if is_word(first) => (Token::Word, run(0, is_word)),
        [b'"', ..] => {
            let mut is_escaped = false;
            let end = bytes[1..].iter().position(|&byte| {
                let is_end = byte == b'"' && !is_escaped;
                is_escaped = byte == b'\\' && !is_escaped;
                is_end
            });
            (Token::Text, end? + 2)
        }
        [b'`', ..] => (Token::Command, until(1, "`")?),
        [b'%', b'{', ..] => (Token::Code, until(2, "}%")?),
        [b'-', b'-', next, ..] if is_word(next) => (Token::Flag, run(2, is_word)),
        [sign, ..] if SIGNS.contains(&sign) => (Token::Sign, 1),
        _ => return None,
    })
}

/// The tokens of a script, and how far they are read.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    /// Token and place of its first byte and of the byte after it.
    tokens: Vec<(Token, std::ops::Range<usize>)>,
    /// Line of `text`'s first byte.
    first_line: usize,
    position: usize,
}

impl<'a> Cursor<'a> {
    /// Splits `text`, whose first line is `first_line`.
    pub(crate) fn new(text: &'a str, first_line: usize) -> Result<Self, Refusal> {
        let (mut tokens, mut at) = (Vec::new(), blank(text));
        while let Some(next) = text[at..].chars().next() {
            let Some((token, len)) = first(&text[at..]) else {
                let line = first_line + text[..at].matches('\n').count();
                return Err(Refusal::new(line, next.to_string(), "no sign of the notation"));
            };
            tokens.push((token, at..at + len));
            at += len + blank(&text[at + len..]);
        }
        Ok(Self { text, tokens, first_line, position: 0 })
    }

    /// The next token and its text.
    pub(crate) fn peek(&self) -> Option<(Token, &'a str)> {
        self.tokens.get(self.position).map(|(token, place)| (*token, &self.text[place.clone()]))
    }

    /// Takes the next token.
    pub(crate) fn next(&mut self) -> Option<(Token, &'a str)> {
        let token = self.peek();
        self.position += 1;
        token
    }

    /// Takes the next token if it is this word or sign.
    pub(crate) fn take(&mut self, what: &str) -> bool {
        let is_there = self.peek().is_some_and(|(_, text)| text == what);
        self.position += usize::from(is_there);
        is_there
    }

    /// Takes this word or sign, or refuses what stands there instead.
    pub(crate) fn expect(&mut self, what: &str) -> Result<(), Refusal> {
        if self.take(what) { Ok(()) } else { Err(self.refuse(format!("expected `{what}`"))) }
    }

    /// Takes a token of this kind.
    pub(crate) fn take_kind(&mut self, kind: Token) -> Option<&'a str> {
        let (_, text) = self.peek().filter(|(token, _)| *token == kind)?;
        self.position += 1;
        Some(text)
    }

    /// Takes a number without point that fits.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, Refusal> {
        let refusal = self.refuse(format!("expected {what}"));
        let value = match self.next() {
            Some((Token::Integer, digits)) => digits.parse::<u64>().ok(),
            Some((Token::Hex, digits)) => u64::from_str_radix(&digits[2..], 16).ok(),
            _ => None,
        };
        value.and_then(|value| T::try_from(value).ok()).ok_or(refusal)
    }

    /// The line of the next token, or of the last one at the end.
    pub(crate) fn line(&self) -> usize {
        let last = self.tokens.len().checked_sub(1);
        let place = last.and_then(|last| self.tokens.get(self.position.min(last)));
        self.first_line + place.map_or(0, |(_, place)| self.text[..place.start].matches('\n').count())
    }

    /// A refusal of the next token, which shows it with what follows on its line.
    pub(crate) fn refuse(&self, why: impl Into<String>) -> Refusal {
        let rest = self.tokens.get(self.position).map_or("", |(_, place)| &self.text[place.start..]);
        let shown = rest.lines().next().map_or("end of the script", |line| line.trim_end());
        Refusal::new(self.line(), shown, why)
    }
}
