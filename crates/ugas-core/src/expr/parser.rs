//! Parser: builds a syntax tree from tokens, by operator precedence.
//!
//! Unfinished nodes lie on an explicit stack instead of the call stack, whose size depends on the host: no
//! input may exhaust it. The limit on nesting keeps formulas readable and their operand stacks small.

use super::ast::{Ast, Node, NodeKind};
use super::environment::Side;
use super::error::{ExprError, ExprErrorKind, Span};
use super::function::Function;
use super::lexer::{Lexer, Token, TokenKind};
use super::op::{BinaryOp, UnaryOp};
use smallvec::SmallVec;

/// The longest text that is parsed, in bytes.
const LONGEST: usize = 16 * 1024;
/// The deepest nesting of parentheses, calls, prefix operators and powers.
const DEEPEST: u32 = 64;

const A_VALUE: &str = "a value";

/// Parses an expression into a tree whose root is the last node. Unfinished nodes are kept in a list instead
/// of the call stack, so that deep nesting is an error and not an overflow.
pub(super) fn parse(text: &str) -> Result<Ast, ExprError> {
    if text.len() > LONGEST {
        return Err(ExprError {
            span: Span::new(0, LONGEST as u32),
            kind: ExprErrorKind::TooLong { length: text.len(), most: LONGEST },
        });
    }
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ahead: None,
        begun: Vec::new(),
        depth: 0,
        ast: Ast { text: text.to_owned(), nodes: Vec::new(), arguments: Vec::new() },
    };
    parser.step()?;
    loop {
        let Some(value) = parser.begin_value()? else { continue };
        if parser.continue_after(value)? == Next::Nothing {
            return Ok(parser.ast);
        }
    }
}

/// How tightly operators bind, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Negation,
    Power,
}

/// An operator between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Or,
    And,
    Binary(BinaryOp),
}

/// An unfinished node that waits for an operand.
enum Begun {
    Parenthesis(Span),
    Call { side: Option<Side>, function: Option<Function>, name: Span, arguments: SmallVec<[u32; 4]> },
    Prefix { op: UnaryOp, span: Span, binding: Binding },
    Infix { infix: Infix, binding: Binding, left: u32 },
}

impl Begun {
    /// Binding strength, if it is an operator.
    fn binding(&self) -> Option<Binding> {
        match self {
            Self::Parenthesis(_) | Self::Call { .. } => None,
            Self::Prefix { binding, .. } | Self::Infix { binding, .. } => Some(*binding),
        }
    }

    /// Whether it counts as a level of nesting; other operators cannot accumulate.
    fn nests(&self) -> bool {
        match self {
            Self::Infix { binding, .. } => *binding == Binding::Power,
            Self::Parenthesis(_) | Self::Call { .. } | Self::Prefix { .. } => true,
        }
    }
}

/// Meaning of a name at the start of a value.
enum Word {
    Value(NodeKind),
    Side(Side),
    Function(Function),
    Name,
}

/// Expectation after a finished value.
#[derive(PartialEq, Eq)]
enum Next {
    Value,
    Nothing,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    ahead: Option<Token>,
    begun: Vec<Begun>,
    /// Number of unfinished nodes that count as nesting.
    depth: u32,
    ast: Ast,
}

impl Parser<'_> {
    /// Reads one step of a value. Returns a finished node, or `None` if it began a node whose operand comes
    /// next.
    fn begin_value(&mut self) -> Result<Option<u32>, ExprError> {
        let Some(Token { kind, span }) = self.ahead else {
            return Err(self.unexpected(A_VALUE));
        };
        match kind {
            TokenKind::Number(number) => {
                self.step()?;
                return Ok(Some(self.push(NodeKind::Number(number), span)));
            }
            TokenKind::Name if self.text(span) == "not" => {
                if self.begun.last().and_then(Begun::binding).is_some_and(|outer| outer > Binding::Not) {
                    return Err(self.unexpected("a value (put `not` and what follows it in parentheses)"));
                }
                self.begin(Begun::Prefix { op: UnaryOp::Not, span, binding: Binding::Not }, span)?;
            }
            TokenKind::Name => return self.begin_named(span),
            TokenKind::Minus => {
                self.begin(Begun::Prefix { op: UnaryOp::Negate, span, binding: Binding::Negation }, span)?;
            }
            TokenKind::Open => self.begin(Begun::Parenthesis(span), span)?,
            TokenKind::Text => return self.text_argument(span).map(Some),
            _ => return Err(self.unexpected(A_VALUE)),
        }
        self.step()?;
        Ok(None)
    }

    /// Reads a keyword, a name, or the beginning of a call, with or without a prefix.
    fn begin_named(&mut self, first: Span) -> Result<Option<u32>, ExprError> {
        let word = match self.text(first) {
            "and" | "or" => return Err(self.unexpected(A_VALUE)),
            "Source" => Word::Side(Side::Source),
            "Target" => Word::Side(Side::Target),
            "Level" => Word::Value(NodeKind::Level),
            "Stacks" => Word::Value(NodeKind::Stacks),
            "Jump" => Word::Value(NodeKind::Jump),
            "true" => Word::Value(NodeKind::Number(1.0)),
            "false" => Word::Value(NodeKind::Number(0.0)),
            name => Function::by_name(name).map_or(Word::Name, Word::Function),
        };
        self.step()?;
        match word {
            Word::Value(kind) => Ok(Some(self.push(kind, first))),
            Word::Side(side) => {
                self.expect(TokenKind::Dot, "`.`")?;
                let name = self.expect(TokenKind::Name, "the name of an attribute, or `HasTag`")?;
                let span = first.to(name);
                if self.ahead_is(TokenKind::Open) {
                    // Besides attributes, the two sides have only tags.
                    let function = (self.text(name) == Function::HasTag.name()).then_some(Function::HasTag);
                    return self.begin_call(Some(side), function, span);
                }
                Ok(Some(self.push(NodeKind::Name { side: Some(side), name }, span)))
            }
            Word::Function(Function::ParamTag) => self.param_tag(first).map(Some),
            Word::Function(function) => self.begin_call(None, Some(function), first),
            // An attribute may have this name; with a dot it is the effect, which has asset tags only.
            Word::Name if self.text(first) == "Effect" && self.ahead_is(TokenKind::Dot) => {
                self.expect(TokenKind::Dot, "`.`")?;
                let name = self.expect(TokenKind::Name, "`HasTag`")?;
                let function = (self.text(name) == "HasTag").then_some(Function::EffectHasTag);
                self.begin_call(None, function, first.to(name))
            }
            Word::Name if self.text(first) == "Event" && self.ahead_is(TokenKind::Dot) => {
                self.begin_event(first)
            }
            Word::Name if self.ahead_is(TokenKind::Open) => self.begin_call(None, None, first),
            Word::Name => Ok(Some(self.push(NodeKind::Name { side: None, name: first }, first))),
        }
    }

    /// Reads `Event.Magnitude` or `Event.Payload("name")` after `Event`.
    fn begin_event(&mut self, first: Span) -> Result<Option<u32>, ExprError> {
        const EXPECTED: &str = "`Magnitude` or `Payload(\"name\")`";
        self.expect(TokenKind::Dot, "`.`")?;
        let unexpected = self.unexpected(EXPECTED);
        let name = self.expect(TokenKind::Name, EXPECTED)?;
        match self.text(name) {
            "Magnitude" => Ok(Some(self.push(NodeKind::EventMagnitude, first.to(name)))),
            "Payload" => self.begin_call(None, Some(Function::EventPayload), first.to(name)),
            _ => Err(unexpected),
        }
    }

    /// Begins a call after its name. Returns the finished node if it has no arguments.
    fn begin_call(
        &mut self,
        side: Option<Side>,
        function: Option<Function>,
        name: Span,
    ) -> Result<Option<u32>, ExprError> {
        self.expect(TokenKind::Open, "`(`")?;
        if self.ahead_is(TokenKind::Close) {
            let close = self.expect(TokenKind::Close, "`)`")?;
            let kind = NodeKind::Call { side, function, name, first: 0, count: 0 };
            return Ok(Some(self.push(kind, name.to(close))));
        }
        self.begin(Begun::Call { side, function, name, arguments: SmallVec::new() }, name)?;
        Ok(None)
    }

    /// Reads `ParamTag("Name")` after `ParamTag`, which can only be the whole tag argument of a call (A18).
    fn param_tag(&mut self, first: Span) -> Result<u32, ExprError> {
        let is_tag = match self.begun.last() {
            Some(Begun::Call { function: Some(function), arguments, .. }) => {
                function.takes_tag() && arguments.is_empty()
            }
            _ => false,
        };
        if !is_tag {
            return Err(ExprError { span: first, kind: ExprErrorKind::ParamTagAsValue });
        }
        self.expect(TokenKind::Open, "`(`")?;
        let name = self.expect(TokenKind::Text, "the name of a parameter in quotes")?;
        self.expect(TokenKind::Close, "`)`")?;
        let node = self.push(NodeKind::Text { function: Some((None, Function::ParamTag)) }, name);
        if self.ahead_is(TokenKind::Comma) || self.ahead_is(TokenKind::Close) {
            return Ok(node);
        }
        Err(self.unexpected("`,` or `)`"))
    }

    /// Reads a text in quotes, which can only be a whole argument.
    fn text_argument(&mut self, span: Span) -> Result<u32, ExprError> {
        let Some(Begun::Call { side, function, arguments, .. }) = self.begun.last() else {
            return Err(self.unexpected(A_VALUE));
        };
        let function = function.filter(|_| arguments.is_empty()).map(|function| (*side, function));
        let node = self.push(NodeKind::Text { function }, span);
        self.step()?;
        if self.ahead_is(TokenKind::Comma) || self.ahead_is(TokenKind::Close) {
            return Ok(node);
        }
        Err(self.unexpected("`,` or `)`"))
    }

    /// Continues after a value: finishes the nodes that it completes, up to the next value or the end.
    fn continue_after(&mut self, mut value: u32) -> Result<Next, ExprError> {
        loop {
            if let Some((token, infix, binding)) = self.infix() {
                let left = self.finish_operators(value, Some((token, binding)))?;
                self.begin(Begun::Infix { infix, binding, left }, token.span)?;
                self.step()?;
                return Ok(Next::Value);
            }
            value = self.finish_operators(value, None)?;
            match (self.begun.last_mut(), self.ahead) {
                (None, None) => return Ok(Next::Nothing),
                (None, Some(_)) => return Err(self.unexpected("an operator or the end")),
                (Some(Begun::Call { arguments, .. }), Some(Token { kind: TokenKind::Comma, .. })) => {
                    arguments.push(value);
                    self.step()?;
                    return Ok(Next::Value);
                }
                (Some(_), Some(Token { kind: TokenKind::Close, span })) => {
                    value = self.close(value, span);
                    self.step()?;
                }
                (Some(Begun::Call { .. }), _) => return Err(self.unexpected("an operator, `,` or `)`")),
                (Some(_), _) => return Err(self.unexpected("an operator or `)`")),
            }
        }
    }

    /// Finishes the operators that hold `value` more tightly than the operator that follows it, or all if
    /// none follows. Returns the node that they form; a chain of comparisons is an error.
    fn finish_operators(
        &mut self,
        mut value: u32,
        following: Option<(Token, Binding)>,
    ) -> Result<u32, ExprError> {
        while let Some(holding) = self.begun.last().and_then(Begun::binding) {
            if let Some((token, following)) = following {
                // Powers group from the right.
                if holding < following || (holding, following) == (Binding::Power, Binding::Power) {
                    break;
                }
                if (holding, following) == (Binding::Comparison, Binding::Comparison) {
                    return Err(ExprError { span: token.span, kind: ExprErrorKind::ChainedComparison });
                }
            }
            value = self.close(value, self.span(value));
        }
        Ok(value)
    }

    /// Finishes the innermost unfinished node with its last operand and returns it; `end` is the span of its
    /// last token.
    fn close(&mut self, value: u32, end: Span) -> u32 {
        let Some(begun) = self.begun.pop() else { return value };
        self.depth -= u32::from(begun.nests());
        match begun {
            Begun::Parenthesis(open) => {
                if let Some(node) = self.ast.nodes.get_mut(value as usize) {
                    node.span = open.to(end);
                }
                value
            }
            Begun::Call { side, function, name, mut arguments } => {
                arguments.push(value);
                let (first, count) = (self.ast.arguments.len() as u32, arguments.len() as u32);
                self.ast.arguments.extend(arguments);
                self.push(NodeKind::Call { side, function, name, first, count }, name.to(end))
            }
            Begun::Prefix { op, span, .. } => self.push(NodeKind::Unary(op, value), span.to(end)),
            Begun::Infix { infix, left, .. } => {
                let kind = match infix {
                    Infix::Or => NodeKind::Or(left, value),
                    Infix::And => NodeKind::And(left, value),
                    Infix::Binary(op) => NodeKind::Binary(op, left, value),
                };
                self.push(kind, self.span(left).to(end))
            }
        }
    }

    /// Puts a node on the stack of unfinished ones; an error if the nesting is too deep.
    fn begin(&mut self, begun: Begun, span: Span) -> Result<(), ExprError> {
        self.depth += u32::from(begun.nests());
        if self.depth > DEEPEST {
            return Err(ExprError { span, kind: ExprErrorKind::TooDeep { most: DEEPEST } });
        }
        self.begun.push(begun);
        Ok(())
    }

    /// The next token as an infix operator, if it is one.
    fn infix(&self) -> Option<(Token, Infix, Binding)> {
        let token = self.ahead?;
        let (op, binding) = match token.kind {
            TokenKind::Plus => (BinaryOp::Add, Binding::Sum),
            TokenKind::Minus => (BinaryOp::Subtract, Binding::Sum),
            TokenKind::Star => (BinaryOp::Multiply, Binding::Product),
            TokenKind::Slash => (BinaryOp::Divide, Binding::Product),
            TokenKind::Percent => (BinaryOp::Remainder, Binding::Product),
            TokenKind::Caret => (BinaryOp::Power, Binding::Power),
            TokenKind::Less => (BinaryOp::Less, Binding::Comparison),
            TokenKind::LessEqual => (BinaryOp::LessEqual, Binding::Comparison),
            TokenKind::Greater => (BinaryOp::Greater, Binding::Comparison),
            TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, Binding::Comparison),
            TokenKind::Equal => (BinaryOp::Equal, Binding::Comparison),
            TokenKind::NotEqual => (BinaryOp::NotEqual, Binding::Comparison),
            TokenKind::Name => {
                return match self.text(token.span) {
                    "and" => Some((token, Infix::And, Binding::And)),
                    "or" => Some((token, Infix::Or, Binding::Or)),
                    _ => None,
                };
            }
            _ => return None,
        };
        Some((token, Infix::Binary(op), binding))
    }

    /// Reads the next token ahead; `None` at the end of the text.
    fn step(&mut self) -> Result<(), ExprError> {
        self.ahead = self.lexer.next()?;
        Ok(())
    }

    fn ahead_is(&self, kind: TokenKind) -> bool {
        self.ahead.is_some_and(|token| token.kind == kind)
    }

    /// Takes a token of this kind and returns its span; another one is an error that names `expected`.
    fn expect(&mut self, kind: TokenKind, expected: &'static str) -> Result<Span, ExprError> {
        match self.ahead {
            Some(token) if token.kind == kind => {
                self.step()?;
                Ok(token.span)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Error for the token ahead, or for the end of the text.
    fn unexpected(&self, expected: &'static str) -> ExprError {
        match self.ahead {
            Some(token) => ExprError {
                span: token.span,
                kind: ExprErrorKind::UnexpectedToken { found: self.text(token.span).to_owned(), expected },
            },
            None => {
                let end = self.ast.text.len() as u32;
                ExprError { span: Span::new(end, end), kind: ExprErrorKind::UnexpectedEnd { expected } }
            }
        }
    }

    /// Appends a finished node and returns its index.
    fn push(&mut self, kind: NodeKind, span: Span) -> u32 {
        self.ast.nodes.push(Node { kind, span });
        (self.ast.nodes.len() - 1) as u32
    }

    fn span(&self, node: u32) -> Span {
        self.ast.nodes.get(node as usize).map_or(Span::new(0, 0), |node| node.span)
    }

    fn text(&self, span: Span) -> &str {
        span.of(&self.ast.text)
    }
}
