//! Parser for JSON, strictly by RFC 8259, with positions.

use super::{Entry, Node, Style, Value, unique_keys};
use crate::diagnostics::{Sink, codes};
use crate::source::{FileId, Limits, Span, Spanned};

/// Parses a text as one document. Syntax errors are reported, and the result is then `None`.
pub(super) fn parse(text: &str, file: FileId, limits: &Limits, sink: &mut Sink) -> Option<Node> {
    let mut parser = Parser { text, at: 0, file, depth: 0, weight: 0, limits: *limits, sink };
    parser.space();
    let node = parser.value().ok()?;
    parser.space();
    if parser.at < text.len() {
        let _: Result<(), AlreadyReported> = parser.fail("expected the end of the file");
        return None;
    }
    Some(node)
}

/// Error that is already in the sink.
struct AlreadyReported;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    file: FileId,
    depth: u32,
    weight: u64,
    limits: Limits,
    sink: &'a mut Sink,
}

impl Parser<'_> {
    /// The next byte, without consuming it; `None` at the end.
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Span from `start` to the current position.
    fn span_from(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    /// Reports a syntax error at the current character.
    fn fail<T>(&mut self, message: &str) -> Result<T, AlreadyReported> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.chars().next().map_or(0, char::len_utf8);
        self.sink.push(codes::format::syntax_error(Span::new(self.file, self.at, self.at + length), message));
        Err(AlreadyReported)
    }

    /// Skips white space.
    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Parses any value with its span, and counts it towards the limit on nodes.
    fn value(&mut self) -> Result<Node, AlreadyReported> {
        self.weigh(1)?;
        let start = self.at;
        let mut style = Style::Plain;
        let value = match self.peek() {
            Some(b'{') => self.nested(Self::map)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => {
                style = Style::Double;
                Value::Text(self.string()?)
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return self.fail("expected a value, found the end of the file"),
        };
        Ok(Node { span: self.span_from(start), value, style })
    }

    /// Counts values towards the limit of the file; an exceeded limit is reported.
    fn weigh(&mut self, weight: u64) -> Result<(), AlreadyReported> {
        self.weight += weight;
        if self.weight > u64::from(self.limits.nodes) {
            self.sink.push(codes::pack::too_many_values(self.span_from(self.at), self.limits.nodes));
            return Err(AlreadyReported);
        }
        Ok(())
    }

    /// Parses a list or mapping after its bracket, one level deeper. An exceeded depth is reported.
    fn nested(
        &mut self,
        parse: fn(&mut Self) -> Result<Value, AlreadyReported>,
    ) -> Result<Value, AlreadyReported> {
        if self.depth >= self.limits.depth {
            self.sink.push(codes::pack::nested_too_deeply(self.span_from(self.at), self.limits.depth));
            return Err(AlreadyReported);
        }
        self.depth += 1;
        self.at += 1;
        let value = parse(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// Parses a mapping after `{`, up to and including `}`. Duplicate keys are reported and dropped.
    fn map(&mut self) -> Result<Value, AlreadyReported> {
        let mut entries = Vec::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Map(entries));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return self.fail("expected a key in double quotes");
            }
            let start = self.at;
            let value = self.string()?;
            let key = Spanned { value, span: self.span_from(start) };
            self.space();
            if self.peek() != Some(b':') {
                return self.fail("expected `:` after a key");
            }
            self.at += 1;
            self.space();
            let value = self.value()?;
            entries.push(Entry { key, value });
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.fail("expected `,` or `}`"),
            }
        }
        self.at += 1;
        Ok(Value::Map(unique_keys(entries, self.sink)))
    }

    /// Parses a list after `[`, up to and including `]`.
    fn list(&mut self) -> Result<Value, AlreadyReported> {
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(items));
        }
        loop {
            self.space();
            items.push(self.value()?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return self.fail("expected `,` or `]`"),
            }
        }
        self.at += 1;
        Ok(Value::List(items))
    }

    /// Parses `true`, `false` or `null`; anything else is an error.
    fn word(&mut self) -> Result<Value, AlreadyReported> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (word, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.fail("expected a value")
    }

    /// Skips decimal digits, and returns how many there were.
    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// Parses a number by the grammar of JSON. Numbers that overflow become infinite, so that the decoder
    /// reports them.
    fn number(&mut self) -> Result<Value, AlreadyReported> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (leading_zero && whole > 1) {
            return self.fail("this is not a JSON number");
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return self.fail("expected digits after the point");
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.fail("expected digits in the exponent");
            }
        }
        match self.text.get(start..self.at).unwrap_or_default().parse() {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => self.fail("this is not a number"),
        }
    }

    /// Parses a text in double quotes with its escapes. Every 32 bytes count as one more value.
    fn string(&mut self) -> Result<String, AlreadyReported> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= 0x20) {
                self.at += 1;
            }
            text.push_str(self.text.get(start..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut text)?;
                }
                Some(_) => return self.fail("a control character must be escaped in a text"),
                None => return self.fail("this text never ends; close it with `\"`"),
            }
        }
        self.at += 1;
        self.weigh(text.len() as u64 / 32)?;
        Ok(text)
    }

    /// Parses an escape after its backslash, and appends the character to `text`. Surrogates must come in
    /// pairs.
    fn escape(&mut self, text: &mut String) -> Result<(), AlreadyReported> {
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                let first = self.hex()?;
                let code = if (0xd800..0xdc00).contains(&first) {
                    if !self.text.get(self.at..).unwrap_or_default().starts_with("\\u") {
                        return self.fail("half of a surrogate pair");
                    }
                    self.at += 2;
                    let second = self.hex()?;
                    if !(0xdc00..0xe000).contains(&second) {
                        return self.fail("half of a surrogate pair");
                    }
                    0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                } else {
                    first
                };
                match char::from_u32(code) {
                    Some(character) => text.push(character),
                    None => return self.fail("half of a surrogate pair"),
                }
                return Ok(());
            }
            _ => return self.fail("unknown escape"),
        };
        text.push(character);
        self.at += 1;
        Ok(())
    }

    /// Parses the four digits of a `\u` escape.
    fn hex(&mut self) -> Result<u32, AlreadyReported> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        match u32::from_str_radix(digits, 16) {
            Ok(code) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                self.at += 4;
                Ok(code)
            }
            _ => self.fail("expected four hexadecimal digits"),
        }
    }
}
