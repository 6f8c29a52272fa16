//! The syntax tree of an expression, with source spans.

use super::environment::{NameKind, Side};
use super::error::{ExprError, Span};
use super::function::Function;
use super::op::{BinaryOp, UnaryOp};
use super::parser;

/// A parsed expression whose names have not been looked up.
///
/// The nodes lie in one vector, children before parents and the root last: a chain of ten thousand additions
/// is walked and dropped without recursion.
#[derive(Clone, PartialEq, Debug)]
pub struct Ast {
    pub(super) text: String,
    pub(super) nodes: Vec<Node>,
    /// The arguments of all calls; those of one call are contiguous.
    pub(super) arguments: Vec<u32>,
}

impl Ast {
    /// Parses `text`, which may have 16 KiB and 64 levels of nesting.
    ///
    /// # Errors
    /// The first mistake in the grammar. Unknown names and functions are not yet looked at.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        parser::parse(text)
    }

    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All uses of names in the expression, repetitions included, in the order of the text.
    ///
    /// Keywords are left out. A name without a prefix is listed as an attribute of the owner, though the
    /// caller may have a local of that name, which would win.
    pub fn names(&self) -> impl Iterator<Item = NameUse<'_>> {
        // Arguments are numbered before their calls, so node order is text order for names.
        self.nodes.iter().filter_map(|node| match node.kind {
            NodeKind::Name { side, name } => Some(NameUse {
                kind: NameKind::Attribute,
                side: Some(side.unwrap_or(Side::Owner)),
                name: name.of(&self.text),
                span: name,
            }),
            NodeKind::Text { function: Some((side, function)) } => {
                let (kind, side) = match function {
                    Function::HasTag => (NameKind::Tag, Some(side.unwrap_or(Side::Owner))),
                    Function::SetByCaller | Function::EffectHasTag => (NameKind::Tag, None),
                    Function::Curve => (NameKind::Curve, None),
                    Function::Param => (NameKind::Param, None),
                    Function::ParamTag => (NameKind::ParamTag, None),
                    _ => return None,
                };
                let span = inside_quotes(node.span);
                Some(NameUse { kind, side, name: span.of(&self.text), span })
            }
            _ => None,
        })
    }

    /// The argument nodes of a call.
    pub(super) fn arguments(&self, first: u32, count: u32) -> &[u32] {
        let first = first as usize;
        self.arguments.get(first..first.saturating_add(count as usize)).unwrap_or_default()
    }
}

/// One use of a name in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameUse<'a> {
    /// Kind of the named thing.
    pub kind: NameKind,
    /// Side that has the attribute or tag; `None` for curves, parameters and set-by-caller tags.
    pub side: Option<Side>,
    /// The name, without prefix and quotes.
    pub name: &'a str,
    /// Position in the text.
    pub span: Span,
}

/// A node and the text it covers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Span,
}

/// Kind of a node. Children are given by their index.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum NodeKind {
    Number(f64),
    Level,
    Stacks,
    Jump,
    /// `Event.Magnitude`.
    EventMagnitude,
    /// A text in quotes, which is only allowed as an argument; with the function whose first argument it is,
    /// if that takes a name.
    Text {
        function: Option<(Option<Side>, Function)>,
    },
    /// An attribute or a local; `name` is the span without the prefix.
    Name {
        side: Option<Side>,
        name: Span,
    },
    Unary(UnaryOp, u32),
    Binary(BinaryOp, u32, u32),
    And(u32, u32),
    Or(u32, u32),
    /// A call; `name` is the span with the prefix.
    Call {
        side: Option<Side>,
        function: Option<Function>,
        name: Span,
        first: u32,
        count: u32,
    },
}

/// The span without its first and last byte, which are the quotes.
pub(super) fn inside_quotes(span: Span) -> Span {
    Span::new(span.start + 1, span.end.saturating_sub(1))
}
