//! Single values: texts, numbers, booleans, expressions.

use serde_json::{Value as Json, json};

use ugas_core::hash::StateHasher;

use super::{Definitions, Field, Visitor};
use crate::diagnostics::{Sink, codes};
use crate::node::{Node, Style, Value};
use crate::source::Spanned;

/// Placeholders that the specification's listings print in place of values.
const PLACEHOLDERS: [&str; 6] = ["string", "float", "enum", "boolean", "object", "number"];

/// Reports a text that is a placeholder; true if it is one.
pub(crate) fn is_placeholder(node: &Node, sink: &mut Sink) -> bool {
    match &node.value {
        Value::Text(text) if PLACEHOLDERS.contains(&text.as_str()) => {
            sink.push(codes::field::placeholder(node.span, text));
            true
        }
        _ => false,
    }
}

/// Decodes a text. Placeholders and values of other types are reported, and the result is then `None`;
/// `title` describes the text in the message.
pub(super) fn text(node: &Node, title: &str, sink: &mut Sink) -> Option<Text> {
    if is_placeholder(node, sink) {
        return None;
    }
    match &node.value {
        Value::Text(text) => Some(Text(Spanned { value: text.clone(), span: node.span })),
        _ => {
            sink.push(codes::field::wrong_type(node, &format!("a text ({title})")));
            None
        }
    }
}

/// Decodes a finite number. Placeholders, non-finite numbers and values of other types are reported, and the
/// result is then `None`; `expected` describes the number in the message.
fn number(node: &Node, expected: &str, sink: &mut Sink) -> Option<Spanned<f64>> {
    if is_placeholder(node, sink) {
        return None;
    }
    match node.value {
        Value::Number(value) if value.is_finite() => Some(Spanned { value, span: node.span }),
        Value::Number(_) => {
            sink.push(codes::value_range::not_finite(node.span));
            None
        }
        _ => {
            sink.push(codes::field::wrong_type(node, expected));
            None
        }
    }
}

/// Any text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Text(pub Spanned<String>);

impl Field for Text {
    /// Decodes a text; placeholders are reported.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        text(node, "free", sink)
    }

    fn encode(&self) -> Value {
        Value::Text(self.0.value.clone())
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string" })
    }
}

/// Any text, also one that looks like a placeholder.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Label(pub Spanned<String>);

impl Field for Label {
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        match &node.value {
            Value::Text(text) => Some(Self(Spanned { value: text.clone(), span: node.span })),
            _ => {
                sink.push(codes::field::wrong_type(node, "a text"));
                None
            }
        }
    }

    fn encode(&self) -> Value {
        Value::Text(self.0.value.clone())
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string" })
    }
}

/// Number of an actor, written as a text because a number in a file cannot hold 64 bits exactly.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ActorNumber(pub Spanned<u64>);

impl Field for ActorNumber {
    /// Decodes a text of digits. Plain numbers are reported, because they are not exact above 2^53.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let number = match &node.value {
            Value::Text(text) => text.parse().ok(),
            _ => None,
        };
        if number.is_none() {
            sink.push(codes::field::wrong_type(node, "the number of an actor, in quotes"));
        }
        Some(Self(Spanned { value: number?, span: node.span }))
    }

    fn encode(&self) -> Value {
        Value::Text(self.0.value.to_string())
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string", "pattern": "^[0-9]+$" })
    }
}

/// Bytes, written as hexadecimal digits after `hex:`, so that they are never parsed as a number.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Hex(pub Spanned<Vec<u8>>);

const HEX: &str = "hex:";

impl Field for Hex {
    /// Decodes bytes from pairs of digits after `hex:`. Anything else is reported, and the result is then
    /// `None`.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let digits = node.text().and_then(|text| text.strip_prefix(HEX));
        let digits = digits.filter(|digits| digits.len() % 2 == 0 && digits.is_ascii());
        let byte = |at: usize| u8::from_str_radix(digits?.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> =
            digits.and_then(|digits| (0..digits.len()).step_by(2).map(byte).collect());
        if bytes.is_none() {
            sink.push(codes::field::wrong_type(node, "`hex:` and pairs of hexadecimal digits"));
        }
        Some(Self(Spanned { value: bytes?, span: node.span }))
    }

    fn encode(&self) -> Value {
        let digits = self.0.value.iter().map(|byte| format!("{byte:02x}"));
        Value::Text(std::iter::once(HEX.to_owned()).chain(digits).collect())
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string", "pattern": "^hex:([0-9a-fA-F]{2})*$" })
    }
}

/// A finite number.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Number(pub Spanned<f64>);

impl Field for Number {
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        number(node, "a number", sink).map(Self)
    }

    fn encode(&self) -> Value {
        Value::Number(self.0.value)
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "number" })
    }
}

/// A number that is not negative.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NonNegative(pub Spanned<f64>);

impl Field for NonNegative {
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let number = number(node, "a number from 0", sink)?;
        if number.value < 0.0 {
            sink.push(codes::value_range::out_of_range(node.span, number.value, "a number from 0"));
            return None;
        }
        Some(Self(number))
    }

    fn encode(&self) -> Value {
        Value::Number(self.0.value)
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "number", "minimum": 0 })
    }
}

/// Id of an actor of the host, or `None`. Digits are the number itself; any other text is hashed to a number,
/// the same on every machine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ActorText(pub Spanned<Option<u64>>);

impl ActorText {
    /// Number of the actor with this text: the number that it spells, else its hash.
    fn number(text: &str) -> u64 {
        text.parse().unwrap_or_else(|_| StateHasher::of(text))
    }
}

impl Field for ActorText {
    /// Decodes an id: the text `None`, any other text that is not empty, or a whole number that a float holds
    /// exactly.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let id = match &node.value {
            Value::Text(text) if text == "None" => None,
            Value::Text(text) if !text.is_empty() => Some(Self::number(text)),
            Value::Number(number) if number.fract() == 0.0 && (0.0..9e15).contains(number) => {
                Some(*number as u64)
            }
            _ => {
                sink.push(codes::field::wrong_type(node, "the id of an actor (a text), or `None`"));
                return None;
            }
        };
        Some(Self(Spanned { value: id, span: node.span }))
    }

    /// Writes the number, or `None`. The text of an id that was hashed is not kept, but decoding the number
    /// results in the same id.
    fn encode(&self) -> Value {
        Value::Text(self.0.value.map_or("None".to_owned(), |id| id.to_string()))
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": ["string", "integer"], "minLength": 1, "minimum": 0 })
    }
}

/// A number, or a boolean that counts as 1 or 0.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlainValue(pub Spanned<f64>);

impl Field for PlainValue {
    /// Decodes a number; true is 1 and false is 0. It is encoded as a number.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        match node.value {
            Value::Bool(value) => Some(Self(Spanned { value: f64::from(u8::from(value)), span: node.span })),
            _ => number(node, "a number, `true` or `false`", sink).map(Self),
        }
    }

    fn encode(&self) -> Value {
        Value::Number(self.0.value)
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": ["number", "boolean"] })
    }
}

/// The value of a parameter of an ability (A18): a number, a boolean or a text. A text that is a tag of the
/// pack is a tag.
#[derive(Clone, PartialEq, Debug)]
pub enum ParameterValue {
    /// A number.
    Number(Spanned<f64>),
    /// A boolean.
    Flag(Spanned<bool>),
    /// A tag, or a text for the host.
    Text(Spanned<String>),
}

impl Default for ParameterValue {
    fn default() -> Self {
        Self::Number(Spanned::default())
    }
}

impl Field for ParameterValue {
    /// Decodes a boolean, a text or a number. Whether a text is a tag is decided later, with the registry.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        match &node.value {
            Value::Bool(value) => Some(Self::Flag(Spanned { value: *value, span: node.span })),
            Value::Text(_) => text(node, "a tag, or free", sink).map(|text| Self::Text(text.0)),
            _ => number(node, "a number, `true` or `false`, a tag or a text", sink).map(Self::Number),
        }
    }

    fn encode(&self) -> Value {
        match self {
            Self::Number(number) => Value::Number(number.value),
            Self::Flag(flag) => Value::Bool(flag.value),
            Self::Text(text) => Value::Text(text.value.clone()),
        }
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": ["number", "boolean", "string"], "title": "a number, a boolean, a tag or a text" })
    }
}

/// A number from 0 to 1.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unit(pub Spanned<f64>);

impl Field for Unit {
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let number = number(node, "a number from 0 to 1", sink)?;
        if !(0.0..=1.0).contains(&number.value) {
            sink.push(codes::value_range::out_of_range(node.span, number.value, "a number from 0 to 1"));
            return None;
        }
        Some(Self(number))
    }

    fn encode(&self) -> Value {
        Value::Number(self.0.value)
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Integer<const MIN: i64, const MAX: i64>(pub Spanned<i64>);

impl<const MIN: i64, const MAX: i64> Field for Integer<MIN, MAX> {
    /// Decodes a whole number from `MIN` to `MAX`. Fractions and numbers outside of the range are reported.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        // A `MAX` above a million stands for no limit, and is not named.
        let expected = match (MIN, MAX) {
            (_, 0..=1_000_000) => format!("a whole number from {MIN} to {MAX}"),
            (-1_000_000..=1_000_000, _) => format!("a whole number from {MIN}"),
            _ => "a whole number".to_owned(),
        };
        let number = number(node, &expected, sink)?;
        let whole = number.value as i64;
        if number.value.fract() != 0.0 || !(MIN..=MAX).contains(&whole) {
            sink.push(codes::value_range::out_of_range(node.span, number.value, &expected));
            return None;
        }
        Some(Self(Spanned { value: whole, span: node.span }))
    }

    fn encode(&self) -> Value {
        Value::Number(self.0.value as f64)
    }

    fn schema(_: &mut Definitions) -> Json {
        let mut schema = json!({ "type": "integer", "minimum": MIN });
        if MAX <= 1_000_000 {
            schema["maximum"] = json!(MAX);
        }
        schema
    }
}

/// True or false.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Flag(pub Spanned<bool>);

impl Field for Flag {
    /// Decodes `true` or `false`; other words, such as `yes`, are reported.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        if is_placeholder(node, sink) {
            return None;
        }
        match node.value {
            Value::Bool(value) => Some(Self(Spanned { value, span: node.span })),
            _ => {
                sink.push(codes::field::wrong_type(node, "true or false"));
                None
            }
        }
    }

    fn encode(&self) -> Value {
        Value::Bool(self.0.value)
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "boolean" })
    }
}

/// An expression; a plain number is one too.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Formula {
    /// The text of the expression.
    pub text: Spanned<String>,
    /// Quoting style, which determines where its bytes are in the file.
    pub style: Style,
    number: Option<f64>,
}

impl Field for Formula {
    /// Decodes a number or the text of an expression, which is not parsed here.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        if let Value::Number(_) = node.value {
            let number = number(node, "", sink)?;
            let text = Spanned { value: format!("{}", number.value), span: node.span };
            return Some(Self { text, style: node.style, number: Some(number.value) });
        }
        if !matches!(node.value, Value::Text(_)) {
            sink.push(codes::field::wrong_type(node, "an expression or a number"));
            return None;
        }
        let Text(text) = text(node, "an expression", sink)?;
        Some(Self { text, style: node.style, number: None })
    }

    fn encode(&self) -> Value {
        match self.number {
            Some(number) => Value::Number(number),
            None => Value::Text(self.text.value.clone()),
        }
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": ["string", "number"], "title": "an expression or a number" })
    }

    /// Passes the expression to the visitor.
    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        visitor.expression(self);
    }
}

impl Formula {
    /// The number, if the expression is a plain number.
    pub fn number(&self) -> Option<f64> {
        self.number
    }

    /// The expression as a text node with its position and style, to find byte offsets of the file with
    /// `byte_in_file`.
    pub(crate) fn node(&self) -> Node {
        Node { span: self.text.span, value: Value::Text(self.text.value.clone()), style: self.style }
    }
}

/// Any value, kept undecoded.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Raw(pub Node);

impl Field for Raw {
    /// Keeps the value as it is; nothing is reported.
    fn decode(node: &Node, _: &mut Sink) -> Option<Self> {
        Some(Self(node.clone()))
    }

    fn encode(&self) -> Value {
        self.0.value.clone()
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({})
    }
}
