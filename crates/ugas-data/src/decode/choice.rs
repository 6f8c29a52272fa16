//! Enumerations, written as one word of a fixed list.

use serde_json::{Value as Json, json};

use super::leaf::is_placeholder;
use super::{Definitions, Field};
use crate::diagnostics::{Sink, codes};
use crate::node::{Node, Value};
use crate::source::Spanned;

/// Enumeration whose values are words in files; declared with `choice!`.
pub trait Word: Sized + PartialEq {
    /// All words, for messages and schemas.
    const WORDS: &'static [&'static str];

    /// Value of a word; `None` if the word is not in the list.
    fn from_word(word: &str) -> Option<Self>;

    /// Word of the value in files; the inverse of [`Self::from_word`].
    fn word(&self) -> &'static str;
}

/// Value of an enumeration with its position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choice<T>(pub Spanned<T>);

impl<T: Word> Field for Choice<T> {
    /// Decodes a word. Placeholders, other types and unknown words are reported, and the result is then
    /// `None`.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        if is_placeholder(node, sink) {
            return None;
        }
        let Value::Text(word) = &node.value else {
            let expected = format!("one of {}", T::WORDS.join(", "));
            sink.push(codes::field::wrong_type(node, &expected));
            return None;
        };
        match T::from_word(word) {
            Some(value) => Some(Self(Spanned { value, span: node.span })),
            None => {
                sink.push(codes::field::unknown_word(node.span, word, T::WORDS));
                None
            }
        }
    }

    fn encode(&self) -> Value {
        Value::Text(self.0.value.word().to_owned())
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "enum": T::WORDS })
    }
}
