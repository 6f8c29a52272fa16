//! Compiled expressions and their evaluation.

use super::ast::Ast;
use super::compile::{Code, compile};
use super::environment::{Environment, Names, Side};
use super::error::{EvalError, ExprError};
use super::op::{Op, finite, is_true, truth};
use super::resolve::resolve;
use crate::hash::{HashSink, StateHash};
use crate::id::{AttributeId, CurveId, TagId};

/// Stack size up to which operands stay off the heap.
const INLINE_OPERANDS: usize = 16;

/// An input that the value of an expression depends on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dependency {
    /// An attribute's current value.
    Attribute(Side, AttributeId),
    /// Whether a side has a tag.
    Tag(Side, TagId),
    /// Whether the effect has an asset tag.
    EffectTag(TagId),
    /// The level.
    Level,
    /// The stack count.
    Stacks,
    /// The index of the target in its chain.
    Jump,
    /// A magnitude set by the caller.
    SetByCaller(TagId),
    /// A parameter.
    Param(String),
    /// A curve.
    Curve(CurveId),
    /// Random numbers: every evaluation may give another value.
    Random,
    /// A local name.
    Local(u16),
}

/// A compiled expression: plain data, evaluated as often as needed without looking at the text again.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    source: String,
    ops: Vec<Op>,
    params: Vec<String>,
    dependencies: Vec<Dependency>,
    height: u32,
}

impl Program {
    /// Parses and compiles `text`.
    ///
    /// # Errors
    /// The first mistake in the grammar; or else all unknown names and wrong calls; or else all parts without
    /// variables that can never be computed.
    pub fn compile(text: &str, names: &dyn Names) -> Result<Self, Vec<ExprError>> {
        let ast = Ast::parse(text).map_err(|error| vec![error])?;
        Self::from_ast(&ast, names)
    }

    /// Compiles a tree, for callers that need its names first.
    ///
    /// # Errors
    /// As [`Program::compile`], without those in the grammar.
    pub fn from_ast(ast: &Ast, names: &dyn Names) -> Result<Self, Vec<ExprError>> {
        let resolved = resolve(ast, names)?;
        let Code { ops, height } = compile(ast, &resolved.meanings)?;
        let params = resolved.params;
        let mut dependencies: Vec<_> = ops.iter().filter_map(|&op| dependency(op, &params)).collect();
        dependencies.sort_unstable();
        dependencies.dedup();
        Ok(Self { source: ast.text().to_owned(), ops, params, dependencies, height })
    }

    /// The value of the expression in `env`: always finite, operands evaluated from left to right, and of
    /// `and`, `or` and `if` only those needed.
    ///
    /// # Errors
    /// If an operation has no finite result (V2) or `env` lacks a value.
    pub fn evaluate(&self, env: &mut dyn Environment) -> Result<f64, EvalError> {
        if self.height as usize <= INLINE_OPERANDS {
            self.run(&mut [0.0; INLINE_OPERANDS], env)
        } else {
            self.run(&mut vec![0.0; self.height as usize], env)
        }
    }

    /// The text it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Inputs that the value depends on, sorted, without duplicates and without branches that are never
    /// taken.
    pub fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    /// The value, if it depends on nothing.
    pub fn constant(&self) -> Option<f64> {
        match self.ops.as_slice() {
            [Op::Number(number)] => Some(*number),
            _ => None,
        }
    }

    /// Evaluates with room for `self.height` operands, the maximum height that the compiler computed, so that
    /// the indices below are in bounds.
    fn run(&self, stack: &mut [f64], env: &mut dyn Environment) -> Result<f64, EvalError> {
        // The topmost operand lives in `top`, the others in `stack`; `height` counts the others.
        let mut height = 0;
        let mut top = 0.0;
        let mut position = 0;
        while let Some(&op) = self.ops.get(position) {
            position += 1;
            let loaded = match op {
                Op::Number(number) => number,
                Op::Attribute(side, attribute) => finite(env.attribute(side, attribute)?)?,
                Op::HasTag(side, tag) => truth(env.has_tag(side, tag)),
                Op::EffectHasTag(tag) => truth(env.effect_has_tag(tag)),
                Op::Level => finite(env.level())?,
                Op::Stacks => finite(env.stacks())?,
                Op::ChainJump => finite(env.jump())?,
                Op::SetByCaller(tag) => finite(env.set_by_caller(tag)?)?,
                Op::Param(index) => {
                    finite(env.param(self.params.get(index as usize).map_or("", String::as_str))?)?
                }
                Op::Random => finite(env.random()?)?,
                Op::Local(local) => finite(env.local(local))?,
                Op::Curve(curve) => {
                    top = finite(env.curve(curve, top)?)?;
                    continue;
                }
                Op::Unary(op) => {
                    top = op.apply(top)?;
                    continue;
                }
                Op::Binary(op) => {
                    height -= 1;
                    top = op.apply(stack[height], top)?;
                    continue;
                }
                Op::Ternary(op) => {
                    height -= 2;
                    top = op.apply(stack[height], stack[height + 1], top)?;
                    continue;
                }
                Op::Jump(to) => {
                    position = to as usize;
                    continue;
                }
                Op::JumpIfFalse(to) => {
                    if !is_true(top) {
                        position = to as usize;
                    }
                    height -= 1;
                    top = stack[height];
                    continue;
                }
                Op::And(to) | Op::Or(to) => {
                    let decides = matches!(op, Op::Or(_));
                    if is_true(top) == decides {
                        top = truth(decides);
                        position = to as usize;
                    } else {
                        height -= 1;
                        top = stack[height];
                    }
                    continue;
                }
            };
            stack[height] = top;
            height += 1;
            top = loaded;
        }
        Ok(top)
    }
}

impl StateHash for Program {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        // The rest follows from these.
        let Self { source, ops, params, dependencies: _, height: _ } = self;
        source.state_hash(hasher);
        ops.state_hash(hasher);
        params.state_hash(hasher);
    }
}

/// The input that an operation reads; `None` if it reads none.
fn dependency(op: Op, params: &[String]) -> Option<Dependency> {
    Some(match op {
        Op::Attribute(side, attribute) => Dependency::Attribute(side, attribute),
        Op::HasTag(side, tag) => Dependency::Tag(side, tag),
        Op::EffectHasTag(tag) => Dependency::EffectTag(tag),
        Op::Level => Dependency::Level,
        Op::Stacks => Dependency::Stacks,
        Op::ChainJump => Dependency::Jump,
        Op::SetByCaller(tag) => Dependency::SetByCaller(tag),
        Op::Param(index) => Dependency::Param(params.get(index as usize)?.clone()),
        Op::Random => Dependency::Random,
        Op::Local(local) => Dependency::Local(local),
        Op::Curve(curve) => Dependency::Curve(curve),
        Op::Number(_)
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Ternary(_)
        | Op::JumpIfFalse(_)
        | Op::Jump(_)
        | Op::And(_)
        | Op::Or(_) => return None,
    })
}
