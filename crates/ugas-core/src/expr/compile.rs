//! Code generation from a resolved tree: folds constants, then emits operations with jumps.

use super::ast::Ast;
use super::error::{EvalError, ExprError, ExprErrorKind, Span};
use super::op::{Op, UnaryOp, is_true, truth};
use super::resolve::Meaning;

/// Flat code and the maximum height of its operand stack.
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) height: u32,
}

/// Emits the code of a resolved tree.
///
/// # Errors
/// Every constant part that fails and would be evaluated for some input. Parts that are never evaluated may
/// fail.
pub(super) fn compile(ast: &Ast, meanings: &[Meaning<'_>]) -> Result<Code, Vec<ExprError>> {
    let mut writer = Writer {
        ast,
        meanings,
        folds: fold(meanings),
        work: Vec::new(),
        ops: Vec::new(),
        open: Vec::new(),
        height: 0,
        highest: 0,
        errors: Vec::new(),
    };
    writer.write();
    if writer.errors.is_empty() {
        return Ok(Code { ops: writer.ops, height: writer.highest });
    }
    writer.errors.sort_by_key(|error| error.span);
    Err(writer.errors)
}

/// Result of constant folding for a node.
#[derive(Clone, Copy)]
enum Fold {
    Number(f64),
    /// The operation of this very node fails. Nodes above it count as unknown, so that the error is reported
    /// once.
    Fails(EvalError),
    Unknown,
}

/// Folds constants in one pass: children come before their parents.
fn fold(meanings: &[Meaning<'_>]) -> Vec<Fold> {
    let mut folds: Vec<Fold> = Vec::with_capacity(meanings.len());
    for meaning in meanings {
        let number = |node: u32| match folds.get(node as usize) {
            Some(&Fold::Number(number)) => Some(number),
            _ => None,
        };
        let fold = match meaning {
            Meaning::Number(number) => Some(Ok(*number)),
            Meaning::Unary(op, operand) => number(*operand).map(|x| op.apply(x)),
            Meaning::Chain(op, operands) => {
                let numbers = operands.as_slice().iter().map(|&operand| number(operand));
                let numbers: Option<Vec<f64>> = numbers.collect();
                numbers.and_then(|numbers| {
                    let (&first, rest) = numbers.split_first()?;
                    Some(rest.iter().try_fold(first, |left, &right| op.apply(left, right)))
                })
            }
            Meaning::Ternary(op, [first, second, third]) => {
                let numbers = (number(*first), number(*second), number(*third));
                if let (Some(first), Some(second), Some(third)) = numbers {
                    Some(op.apply(first, second, third))
                } else {
                    None
                }
            }
            Meaning::And(left, right) => match number(*left) {
                Some(left) if !is_true(left) => Some(Ok(0.0)),
                Some(_) => number(*right).map(|right| Ok(truth(is_true(right)))),
                None => None,
            },
            Meaning::Or(left, right) => match number(*left) {
                Some(left) if is_true(left) => Some(Ok(1.0)),
                Some(_) => number(*right).map(|right| Ok(truth(is_true(right)))),
                None => None,
            },
            Meaning::If([condition, then, otherwise]) => number(*condition)
                .and_then(|condition| number(if is_true(condition) { *then } else { *otherwise }))
                .map(Ok),
            Meaning::Text | Meaning::Load(_) | Meaning::Curve(..) => None,
        };
        folds.push(match fold {
            Some(Ok(number)) => Fold::Number(number),
            Some(Err(error)) => Fold::Fails(error),
            None => Fold::Unknown,
        });
    }
    folds
}

/// Pending work of the code generator. A stack of it replaces recursion.
#[derive(Clone, Copy)]
enum Work {
    Node(u32),
    Emit(Op),
    /// Emits a jump whose target is not yet known.
    Open(Op),
    /// Ends the first branch of an `if` and begins the second.
    Otherwise,
    /// Sets the target of the last open jump to the current position.
    Close,
}

struct Writer<'a> {
    ast: &'a Ast,
    meanings: &'a [Meaning<'a>],
    folds: Vec<Fold>,
    work: Vec<Work>,
    ops: Vec<Op>,
    /// Positions of jumps without a target.
    open: Vec<u32>,
    height: u32,
    highest: u32,
    errors: Vec<ExprError>,
}

impl Writer<'_> {
    /// Emits the code of the whole tree, from the root, and records errors of constant parts.
    fn write(&mut self) {
        // The parser puts the root last.
        self.work.push(Work::Node(self.meanings.len().saturating_sub(1) as u32));
        while let Some(work) = self.work.pop() {
            match work {
                Work::Node(node) => self.node(node),
                Work::Emit(op) => self.emit(op),
                Work::Open(op) => {
                    self.open.push(self.ops.len() as u32);
                    self.emit(op);
                }
                Work::Otherwise => {
                    let position = self.ops.len() as u32;
                    self.emit(Op::Jump(0));
                    // Only one of the two branches leaves its value.
                    self.height = self.height.saturating_sub(1);
                    self.close();
                    self.open.push(position);
                }
                Work::Close => self.close(),
            }
        }
    }

    /// Emits the code of a node, or schedules it with that of its operands. A folded node becomes its number;
    /// a branch that a constant rules out is not emitted.
    fn node(&mut self, node: u32) {
        let index = node as usize;
        let (Some(&meaning), Some(&fold)) = (self.meanings.get(index), self.folds.get(index)) else { return };
        match fold {
            Fold::Number(number) => return self.emit(Op::Number(number)),
            Fold::Fails(error) => {
                let span = self.ast.nodes.get(index).map_or(Span::new(0, 0), |node| node.span);
                self.errors.push(ExprError { span, kind: ExprErrorKind::Constant(error) });
                return;
            }
            Fold::Unknown => {}
        }
        match meaning {
            Meaning::Text => {}
            Meaning::Number(number) => self.emit(Op::Number(number)),
            Meaning::Load(op) => self.emit(op),
            Meaning::Unary(op, operand) => self.next(&[Work::Node(operand), Work::Emit(Op::Unary(op))]),
            Meaning::Chain(op, operands) => {
                for (position, &operand) in operands.as_slice().iter().enumerate().rev() {
                    if position > 0 {
                        self.work.push(Work::Emit(Op::Binary(op)));
                    }
                    self.work.push(Work::Node(operand));
                }
            }
            Meaning::Ternary(op, [first, second, third]) => self.next(&[
                Work::Node(first),
                Work::Node(second),
                Work::Node(third),
                Work::Emit(Op::Ternary(op)),
            ]),
            Meaning::Curve(curve, x) => self.next(&[Work::Node(x), Work::Emit(Op::Curve(curve))]),
            Meaning::And(left, right) => self.logic(Op::And(0), left, right),
            Meaning::Or(left, right) => self.logic(Op::Or(0), left, right),
            Meaning::If([condition, then, otherwise]) => match self.known(condition) {
                Some(condition) => {
                    self.work.push(Work::Node(if is_true(condition) { then } else { otherwise }));
                }
                None => self.next(&[
                    Work::Node(condition),
                    Work::Open(Op::JumpIfFalse(0)),
                    Work::Node(then),
                    Work::Otherwise,
                    Work::Node(otherwise),
                    Work::Close,
                ]),
            },
        }
    }

    /// Emits `and` or `or` with a jump over the right side. A left side that decides alone has been folded
    /// already; a known one that does not is dropped.
    fn logic(&mut self, jump: Op, left: u32, right: u32) {
        let result = Work::Emit(Op::Unary(UnaryOp::Truth));
        match self.known(left) {
            Some(_) => self.next(&[Work::Node(right), result]),
            None => {
                self.next(&[Work::Node(left), Work::Open(jump), Work::Node(right), result, Work::Close]);
            }
        }
    }

    /// The number that a node folds to; `None` if it depends on inputs or fails.
    fn known(&self, node: u32) -> Option<f64> {
        match self.folds.get(node as usize) {
            Some(&Fold::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// Schedules `steps` before all other work, in their order.
    fn next(&mut self, steps: &[Work]) {
        self.work.extend(steps.iter().rev());
    }

    /// Appends an operation and tracks the height of the operand stack.
    fn emit(&mut self, op: Op) {
        self.ops.push(op);
        match op {
            Op::Number(_)
            | Op::Attribute(..)
            | Op::HasTag(..)
            | Op::EffectHasTag(_)
            | Op::Level
            | Op::Stacks
            | Op::ChainJump
            | Op::SetByCaller(_)
            | Op::Param(_)
            | Op::Random
            | Op::Local(_) => self.height += 1,
            Op::Curve(_) | Op::Unary(_) | Op::Jump(_) => {}
            Op::Binary(_) | Op::JumpIfFalse(_) | Op::And(_) | Op::Or(_) => {
                self.height = self.height.saturating_sub(1);
            }
            Op::Ternary(_) => self.height = self.height.saturating_sub(2),
        }
        self.highest = self.highest.max(self.height);
    }

    /// Sets the target of the innermost open jump to the current position.
    fn close(&mut self) {
        let here = self.ops.len() as u32;
        if let Some(Op::JumpIfFalse(to) | Op::Jump(to) | Op::And(to) | Op::Or(to)) =
            self.open.pop().and_then(|position| self.ops.get_mut(position as usize))
        {
            *to = here;
        }
    }
}
