//! Lists and mappings.

use std::ops::Deref;

use serde_json::{Value as Json, json};

use super::{Definitions, Field, Number, Visitor};
use crate::diagnostics::{Sink, codes};
use crate::node::{Entry, Node, Value};
use crate::source::{Span, Spanned};

/// List of values of one type. Items that cannot be decoded are reported and left out.
#[derive(Clone, PartialEq, Debug)]
pub struct List<T> {
    /// The items.
    pub items: Vec<T>,
    /// Position of the list; `None` if the file does not have it.
    pub span: Option<Span>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { items: Vec::new(), span: None }
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> List<T> {
    /// Whether the file has the list, even an empty one.
    pub fn is_written(&self) -> bool {
        self.span.is_some()
    }
}

impl<T: Field> Field for List<T> {
    /// Decodes every item; items that cannot be decoded are reported and left out. `None` for anything but a
    /// list.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let Value::List(items) = &node.value else {
            if !super::leaf::is_placeholder(node, sink) {
                sink.push(codes::field::wrong_type(node, "a list"));
            }
            return None;
        };
        let items = items.iter().filter_map(|item| T::decode(item, sink)).collect();
        Some(Self { items, span: Some(node.head()) })
    }

    fn encode(&self) -> Value {
        Value::List(self.items.iter().map(|item| Node::synthetic(item.encode())).collect())
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "array", "items": T::schema(definitions) })
    }

    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        for item in &self.items {
            item.visit(visitor);
        }
    }
}

/// One value, or a list of values of the same type.
#[derive(Clone, PartialEq, Debug)]
pub struct OneOrMany<T>(pub List<T>);

impl<T: Field> Field for OneOrMany<T> {
    /// Decodes a list, or any other value as its only item.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        if let Value::List(_) = &node.value {
            return List::decode(node, sink).map(Self);
        }
        let item = T::decode(node, sink)?;
        Some(Self(List { items: vec![item], span: Some(node.head()) }))
    }

    /// Writes a list of one item as the item itself.
    fn encode(&self) -> Value {
        match &*self.0 {
            [item] => item.encode(),
            _ => self.0.encode(),
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "oneOf": [T::schema(definitions), List::<T>::schema(definitions)] })
    }

    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        self.0.visit(visitor);
    }
}

/// List that must not be empty.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AtLeastOne<T>(pub List<T>);

impl<T> Deref for AtLeastOne<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0.items
    }
}

impl<T: Field> Field for AtLeastOne<T> {
    /// Decodes a list. An empty list is reported and kept.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let list = List::decode(node, sink)?;
        if node.items().is_empty() {
            sink.push(codes::field::wrong_length(node.span, 0, "at least 1 item"));
        }
        Some(Self(list))
    }

    fn encode(&self) -> Value {
        self.0.encode()
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "array", "minItems": 1, "items": T::schema(definitions) })
    }

    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        self.0.visit(visitor);
    }
}

/// Fixed number of numbers, such as a position or a rotation.
#[derive(Clone, PartialEq, Debug)]
pub struct Vector<const N: usize>(pub Spanned<[f64; N]>);

impl<const N: usize> Field for Vector<N> {
    /// Decodes exactly `N` numbers. Another length is reported, and the result is then `None`.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let list: List<Number> = List::decode(node, sink)?;
        let found = node.items().len();
        if found != N {
            sink.push(codes::field::wrong_length(node.head(), found, &format!("{N} numbers")));
            return None;
        }
        let numbers: Vec<f64> = list.iter().map(|number| number.0.value).collect();
        let value = numbers.try_into().ok()?;
        Some(Self(Spanned { value, span: node.head() }))
    }

    fn encode(&self) -> Value {
        Value::List(self.0.value.iter().map(|number| Node::synthetic(Value::Number(*number))).collect())
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "array", "items": { "type": "number" }, "minItems": N, "maxItems": N })
    }
}

/// A mapping whose keys are names of type `K`.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedMap<K, T>(pub Vec<(K, T)>);

impl<K, T> Default for NamedMap<K, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Field, T: Field> Field for NamedMap<K, T> {
    /// Decodes every key and value. A pair of which either cannot be decoded is reported and left out.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            sink.push(codes::field::wrong_type(node, "a mapping"));
            return None;
        };
        let mut pairs = Vec::with_capacity(entries.len());
        for Entry { key, value } in entries {
            let name =
                Node { span: key.span, value: Value::Text(key.value.clone()), style: Default::default() };
            let (name, value) = (K::decode(&name, sink), T::decode(value, sink));
            pairs.extend(name.zip(value));
        }
        Some(Self(pairs))
    }

    /// Writes the pairs in their order.
    fn encode(&self) -> Value {
        let mut entries = Vec::new();
        for (key, value) in &self.0 {
            if let Value::Text(key) = key.encode() {
                super::push_entry(&mut entries, &key, value.encode());
            }
        }
        Value::Map(entries)
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "object", "additionalProperties": T::schema(definitions) })
    }

    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        for (key, value) in &self.0 {
            key.visit(visitor);
            value.visit(visitor);
        }
    }
}
