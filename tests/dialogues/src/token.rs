//! Words and signs of the notation, and a cursor over them.

use logos::Logos;

use crate::Refusal;

/// A word or sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum Token {
    #[regex(r"[0-9]+")]
    Integer,
    #[regex(r"0x[0-9a-fA-F]+")]
    Hex,
    #[regex(r"[0-9]*\.[0-9]+")]
    Decimal,
    #[regex(r"[a-zA-Z_][a-zA-Z0-9_]*")]
    Word,
    #[regex(r#""([^"\\]|\\.)*""#)]
    Text,
    #[regex(r"`[^`]*`")]
    Command,
    #[regex(r"%\{([^}]|\}[^%])*\}%")]
    Code,
    #[regex(r"--[a-zA-Z0-9_]+")]
    Flag,
    #[token("...")]
    Ellipsis,
    #[regex(r"[-+*~<>.:()\[\]{},=|&!;]")]
    Sign,
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
        let mut tokens = Vec::new();
        for (token, place) in Token::lexer(text).spanned() {
            match token {
                Ok(token) => tokens.push((token, place)),
                Err(()) => {
                    let line = first_line + text[..place.start].matches('\n').count();
                    return Err(Refusal::new(line, &text[place], "no sign of the notation"));
                }
            }
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
