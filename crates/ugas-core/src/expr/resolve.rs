//! Name resolution: looks up the names and functions of a syntax tree, and collects all errors.

use super::ast::{Ast, Node, NodeKind, inside_quotes};
use super::environment::{NameKind, Names, Side};
use super::error::{ExprError, ExprErrorKind, Span};
use super::function::{Function, VALUE_WORDS};
use super::names::{EVENT_MAGNITUDE, EVENT_PAYLOAD};
use super::op::{BinaryOp, Op, TernaryOp, UnaryOp};
use crate::id::{CurveId, TagId};
use crate::nearest::nearest;

/// Operation of a node of the tree. Children are given by their index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning<'a> {
    /// A text in quotes: no value.
    Text,
    Number(f64),
    /// A value of the environment, without operands.
    Load(Op),
    Unary(UnaryOp, u32),
    /// Any number of operands, from left to right.
    Chain(BinaryOp, Operands<'a>),
    Ternary(TernaryOp, [u32; 3]),
    Curve(CurveId, u32),
    And(u32, u32),
    Or(u32, u32),
    If([u32; 3]),
}

/// The operands of a chain: those of an operator or of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operands<'a> {
    Two([u32; 2]),
    Many(&'a [u32]),
}

impl Operands<'_> {
    pub(super) fn as_slice(&self) -> &[u32] {
        match self {
            Self::Two(operands) => operands,
            Self::Many(operands) => operands,
        }
    }
}

/// The meaning of every node, and the parameter names that [`Op::Param`] indexes.
pub(super) struct Resolved<'a> {
    pub(super) meanings: Vec<Meaning<'a>>,
    pub(super) params: Vec<String>,
}

/// Resolves a tree.
///
/// # Errors
/// All mistakes, in the order of the text.
pub(super) fn resolve<'a>(ast: &'a Ast, names: &dyn Names) -> Result<Resolved<'a>, Vec<ExprError>> {
    let mut resolver = Resolver { ast, names, params: Vec::new() };
    let mut meanings = Vec::with_capacity(ast.nodes.len());
    let mut errors = Vec::new();
    for &node in &ast.nodes {
        match resolver.meaning(node) {
            Ok(meaning) => meanings.push(meaning),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        return Ok(Resolved { meanings, params: resolver.params });
    }
    // One error for each span: a name without quotes is reported at the call, and not also as unknown.
    errors.reverse();
    errors.sort_by_key(|error| error.span);
    errors.dedup_by_key(|error| error.span);
    Err(errors)
}

struct Resolver<'a, 'n> {
    ast: &'a Ast,
    names: &'n dyn Names,
    params: Vec<String>,
}

impl<'a> Resolver<'a, '_> {
    /// Resolves a node: names to ids, calls to operators. Unknown names and wrong arguments are errors.
    fn meaning(&mut self, node: Node) -> Result<Meaning<'a>, ExprError> {
        Ok(match node.kind {
            NodeKind::Number(number) => Meaning::Number(number),
            NodeKind::Level => Meaning::Load(Op::Level),
            NodeKind::Stacks => Meaning::Load(Op::Stacks),
            NodeKind::Jump => Meaning::Load(Op::ChainJump),
            NodeKind::EventMagnitude => Meaning::Load(Op::Param(self.param_named(EVENT_MAGNITUDE))),
            NodeKind::Text { .. } => Meaning::Text,
            NodeKind::Name { side, name } => Meaning::Load(self.name(side, name)?),
            NodeKind::Unary(op, operand) => Meaning::Unary(op, operand),
            NodeKind::Binary(op, left, right) => Meaning::Chain(op, Operands::Two([left, right])),
            NodeKind::And(left, right) => Meaning::And(left, right),
            NodeKind::Or(left, right) => Meaning::Or(left, right),
            NodeKind::Call { side, function: Some(function), first, count, .. } => {
                let arguments = self.ast.arguments(first, count);
                self.check_arguments(function, arguments, node.span)?;
                self.call(side.unwrap_or(Side::Owner), function, arguments)?
            }
            NodeKind::Call { function: None, name: span, .. } => {
                let name = span.of(&self.ast.text).to_owned();
                let nearest = nearest(&name, Function::known_names()).map(str::to_owned);
                return Err(ExprError { span, kind: ExprErrorKind::UnknownFunction { name, nearest } });
            }
        })
    }

    /// The operation that loads a name: a local, which shadows attributes unless a side is given, or an
    /// attribute.
    fn name(&self, side: Option<Side>, span: Span) -> Result<Op, ExprError> {
        let name = span.of(&self.ast.text);
        if side.is_none()
            && let Some(local) = self.names.local(name)
        {
            return Ok(Op::Local(local));
        }
        if let Some(attribute) = self.names.attribute(name) {
            return Ok(Op::Attribute(side.unwrap_or(Side::Owner), attribute));
        }
        let attribute = self.names.nearest(NameKind::Attribute, name);
        if side.is_some() {
            return Err(unknown(NameKind::Attribute, name, span, attribute));
        }
        let local = self.names.nearest(NameKind::Local, name);
        let candidates = VALUE_WORDS.into_iter().chain(attribute.as_deref()).chain(local.as_deref());
        let best = nearest(name, candidates).or(attribute.as_deref()).or(local.as_deref());
        let kind = if best == attribute.as_deref() || best.is_none() {
            NameKind::Attribute
        } else {
            NameKind::Local
        };
        Err(unknown(kind, name, span, best.map(str::to_owned)))
    }

    /// Checks the number of arguments, and that exactly the name argument is a quoted text.
    fn check_arguments(&self, function: Function, arguments: &[u32], call: Span) -> Result<(), ExprError> {
        let (expected, found) = (function.arguments(), arguments.len() as u32);
        let name = function.name();
        if !expected.accepts(found) {
            let kind = ExprErrorKind::WrongArgumentCount { function: name, expected, found };
            return Err(ExprError { span: call, kind });
        }
        for (position, &argument) in arguments.iter().enumerate() {
            let Some(node) = self.ast.nodes.get(argument as usize) else { continue };
            let is_text = matches!(node.kind, NodeKind::Text { .. });
            let kind = match (position == 0 && function.takes_text(), is_text) {
                (true, false) => ExprErrorKind::ExpectedText { function: name },
                (false, true) => ExprErrorKind::UnexpectedText { function: name },
                (true, true) | (false, false) => continue,
            };
            return Err(ExprError { span: node.span, kind });
        }
        Ok(())
    }

    /// Resolves a call whose arguments were checked: names in quotes to ids, and the function to its
    /// operation.
    fn call(
        &mut self,
        side: Side,
        function: Function,
        arguments: &'a [u32],
    ) -> Result<Meaning<'a>, ExprError> {
        let argument = |position: usize| arguments.get(position).copied().unwrap_or_default();
        let three = [argument(0), argument(1), argument(2)];
        let unary = |op| Meaning::Unary(op, argument(0));
        let chain = |op| Meaning::Chain(op, Operands::Many(arguments));
        Ok(match function {
            Function::If => Meaning::If(three),
            Function::Min => chain(BinaryOp::Minimum),
            Function::Max => chain(BinaryOp::Maximum),
            Function::Pow => chain(BinaryOp::Power),
            Function::Clamp => Meaning::Ternary(TernaryOp::Clamp, three),
            Function::Lerp => Meaning::Ternary(TernaryOp::Interpolate, three),
            Function::Abs => unary(UnaryOp::Absolute),
            Function::Floor => unary(UnaryOp::Floor),
            Function::Ceil => unary(UnaryOp::Ceiling),
            Function::Round => unary(UnaryOp::Round),
            Function::Sqrt => unary(UnaryOp::Root),
            Function::Rand => Meaning::Load(Op::Random),
            Function::HasTag => Meaning::Load(Op::HasTag(side, self.tag(argument(0))?)),
            Function::EffectHasTag => Meaning::Load(Op::EffectHasTag(self.tag(argument(0))?)),
            Function::SetByCaller => Meaning::Load(Op::SetByCaller(self.tag(argument(0))?)),
            Function::Param => Meaning::Load(Op::Param(self.param(argument(0))?)),
            // The parser only allows it as a tag argument.
            Function::ParamTag => Meaning::Text,
            Function::EventPayload => {
                let name = format!("{EVENT_PAYLOAD}{}", self.text(argument(0)).0);
                Meaning::Load(Op::Param(self.param_named(&name)))
            }
            Function::Curve => {
                let (name, span) = self.text(argument(0));
                let curve = self.names.curve(name).ok_or_else(|| {
                    unknown(NameKind::Curve, name, span, self.names.nearest(NameKind::Curve, name))
                })?;
                Meaning::Curve(curve, argument(1))
            }
        })
    }

    /// The tag of a text argument, or of the ability parameter that `ParamTag` names.
    fn tag(&self, node: u32) -> Result<TagId, ExprError> {
        let (name, span) = self.text(node);
        let kind = self.ast.nodes.get(node as usize).map(|node| node.kind);
        if let Some(NodeKind::Text { function: Some((_, Function::ParamTag)) }) = kind {
            let tag = self.names.param_tag(name);
            return tag.map_err(|fault| ExprError { span, kind: ExprErrorKind::Parameter(fault) });
        }
        self.names
            .tag(name)
            .ok_or_else(|| unknown(NameKind::Tag, name, span, self.names.nearest(NameKind::Tag, name)))
    }

    /// Index of the parameter that a text argument names; an error if the ability does not allow it.
    fn param(&mut self, node: u32) -> Result<u32, ExprError> {
        let (name, span) = self.text(node);
        let allowed = self.names.number_param(name);
        allowed.map_err(|fault| ExprError { span, kind: ExprErrorKind::Parameter(fault) })?;
        Ok(self.param_named(name))
    }

    /// Index of a parameter in the list of the program; adds it if it is new.
    fn param_named(&mut self, name: &str) -> u32 {
        let known = self.params.iter().position(|param| param == name);
        known.unwrap_or_else(|| {
            self.params.push(name.to_owned());
            self.params.len() - 1
        }) as u32
    }

    /// The text of a text node, without quotes.
    fn text(&self, node: u32) -> (&'a str, Span) {
        let span = self.ast.nodes.get(node as usize).map_or(Span::new(0, 0), |node| inside_quotes(node.span));
        (span.of(&self.ast.text), span)
    }
}

/// Error for an unknown name, with the known name that was probably meant.
fn unknown(kind: NameKind, name: &str, span: Span, nearest: Option<String>) -> ExprError {
    ExprError { span, kind: ExprErrorKind::UnknownName { kind, name: name.to_owned(), nearest } }
}
