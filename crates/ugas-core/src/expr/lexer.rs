//! Lexer: splits text into tokens.

use super::error::{ExprError, ExprErrorKind, Span};

/// Kind of a token; its text is that of its span.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TokenKind {
    Number(f64),
    /// The span includes the quotes.
    Text,
    Name,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Open,
    Close,
    Comma,
    Dot,
}

/// A token and its position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// Operators by their text, longer ones before their prefixes.
const SYMBOLS: [(&str, TokenKind); 16] = [
    ("<=", TokenKind::LessEqual),
    (">=", TokenKind::GreaterEqual),
    ("==", TokenKind::Equal),
    ("!=", TokenKind::NotEqual),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("+", TokenKind::Plus),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
    ("^", TokenKind::Caret),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    (",", TokenKind::Comma),
    (".", TokenKind::Dot),
];

/// Operators of other languages and their replacements. Tried after [`SYMBOLS`].
const FOREIGN: [(&str, &str); 4] = [("&&", "and"), ("||", "or"), ("!", "not"), ("=", "==")];

/// Reads tokens from the front of a text. The text must be shorter than 4 GiB, which the parser's limit
/// ensures.
pub(super) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// The next token, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>, ExprError> {
        self.skip(char::is_whitespace);
        let start = self.position;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let second_is_digit = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let kind = if first.is_ascii_digit() || (first == '.' && second_is_digit) {
            self.number()?
        } else if first.is_alphabetic() || first == '_' {
            self.skip(|letter| letter.is_alphanumeric() || letter == '_');
            TokenKind::Name
        } else if first == '"' || first == '\'' {
            self.quoted(first)?
        } else {
            self.symbol(first)?
        };
        Ok(Some(Token { kind, span: self.since(start) }))
    }

    /// Reads a number. One that is too large for `f64` is an error; an `e` without digits is not part of it.
    fn number(&mut self) -> Result<TokenKind, ExprError> {
        let start = self.position;
        self.digits();
        if self.rest().starts_with('.') {
            self.position += 1;
            self.digits();
        }
        if self.rest().starts_with(['e', 'E']) {
            let mantissa_end = self.position;
            self.position += 1;
            if self.rest().starts_with(['+', '-']) {
                self.position += 1;
            }
            if !self.digits() {
                // `2e` and `2em` are a number and a name, which the parser rejects.
                self.position = mantissa_end;
            }
        }
        let span = self.since(start);
        let digits = span.of(self.text);
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(TokenKind::Number(number)),
            _ => Err(ExprError { span, kind: ExprErrorKind::NumberOutOfRange(digits.to_owned()) }),
        }
    }

    /// Skips digits; true if there were any.
    fn digits(&mut self) -> bool {
        let start = self.position;
        self.skip(|letter| letter.is_ascii_digit());
        self.position > start
    }

    /// Reads a quoted text. There are no escapes: it ends at the next quote of the same kind.
    fn quoted(&mut self, quote: char) -> Result<TokenKind, ExprError> {
        let start = self.position;
        self.position += 1;
        self.skip(|letter| letter != quote);
        if self.rest().is_empty() {
            return Err(ExprError {
                span: self.since(start),
                kind: ExprErrorKind::UnterminatedString(quote),
            });
        }
        self.position += 1;
        Ok(TokenKind::Text)
    }

    /// Reads an operator or punctuation, the longest that fits. Operators of other languages give an error
    /// that names the right one.
    fn symbol(&mut self, first: char) -> Result<TokenKind, ExprError> {
        let start = self.position;
        let rest = self.rest();
        if let Some(&(symbol, kind)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            self.position += symbol.len();
            return Ok(kind);
        }
        let kind = match FOREIGN.iter().find(|(found, _)| rest.starts_with(found)) {
            Some(&(found, instead)) => {
                self.position += found.len();
                ExprErrorKind::ForeignOperator { found, instead }
            }
            None => {
                self.position += first.len_utf8();
                ExprErrorKind::UnexpectedCharacter(first)
            }
        };
        Err(ExprError { span: self.since(start), kind })
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    /// Moves past all letters that belong to a token.
    fn skip(&mut self, belongs: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.position += rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
    }

    /// The span from `start` to the current position.
    fn since(&self, start: usize) -> Span {
        Span::new(start as u32, self.position as u32)
    }
}
