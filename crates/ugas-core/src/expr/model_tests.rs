//! Random trees: the compiled program must agree with a recursive evaluator that knows nothing of code or
//! folding.

use super::*;
use crate::id::AttributeId;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Tree {
    Number(f64),
    Attribute(u32),
    Random,
    Negate(Box<Self>),
    Not(Box<Self>),
    Infix(&'static str, Box<Self>, Box<Self>),
    Call(&'static str, Vec<Self>),
}

/// Three attributes, and dice that count their rolls, so that a surplus or reordered roll is detected.
#[derive(Clone)]
struct World {
    values: [f64; 3],
    rolls: u32,
}

impl Names for World {
    fn attribute(&self, name: &str) -> Option<AttributeId> {
        ["A", "B", "C"].iter().position(|known| *known == name).map(|i| AttributeId::from_index(i as u32))
    }
}

impl Environment for World {
    fn attribute(&mut self, _: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        Ok(self.values[attribute.usize()])
    }

    fn random(&mut self) -> Result<f64, EvalError> {
        self.rolls += 1;
        Ok(f64::from(self.rolls % 3))
    }
}

impl Tree {
    /// The binding strength of the outermost operation, as the grammar table orders them.
    fn strength(&self) -> u8 {
        match self {
            Self::Infix("or", ..) => 1,
            Self::Infix("and", ..) => 2,
            Self::Not(_) => 3,
            Self::Infix("<" | "<=" | ">" | ">=" | "==" | "!=", ..) => 4,
            Self::Infix("+" | "-", ..) => 5,
            Self::Infix("*" | "/" | "%", ..) => 6,
            Self::Negate(_) => 7,
            Self::Infix(..) => 8,
            Self::Number(_) | Self::Attribute(_) | Self::Random | Self::Call(..) => 9,
        }
    }

    /// The text with no more parentheses than the grammar needs.
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Attribute(index) => ["A", "B", "C"][*index as usize].to_owned(),
            Self::Random => "rand()".to_owned(),
            Self::Negate(operand) => format!("-{}", operand.at_least(7)),
            Self::Not(operand) => format!("not {}", operand.at_least(3)),
            Self::Infix(op, left, right) => {
                let strength = self.strength();
                let (left_least, right_least) = match strength {
                    4 => (5, 5), // comparisons do not chain
                    8 => (9, 7), // powers group from the right and take a sign there
                    _ => (strength, strength + 1),
                };
                format!("{} {op} {}", left.at_least(left_least), right.at_least(right_least))
            }
            Self::Call(name, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(Self::text).collect();
                format!("{name}({})", arguments.join(", "))
            }
        }
    }

    fn at_least(&self, strength: u8) -> String {
        if self.strength() < strength { format!("({})", self.text()) } else { self.text() }
    }

    fn value(&self, world: &mut World) -> Result<f64, EvalError> {
        let truth = |condition: bool| if condition { 1.0 } else { 0.0 };
        let value = match self {
            Self::Number(number) => *number,
            Self::Attribute(index) => world.values[*index as usize],
            Self::Random => world.random()?,
            Self::Negate(operand) => -operand.value(world)?,
            Self::Not(operand) => truth(operand.value(world)? == 0.0),
            Self::Infix("and", left, right) => truth(left.value(world)? != 0.0 && right.value(world)? != 0.0),
            Self::Infix("or", left, right) => truth(left.value(world)? != 0.0 || right.value(world)? != 0.0),
            Self::Infix(op, left, right) => {
                let (left, right) = (left.value(world)?, right.value(world)?);
                match *op {
                    "+" => left + right,
                    "-" => left - right,
                    "*" => left * right,
                    "/" | "%" if right == 0.0 => return Err(EvalError::DivisionByZero),
                    "/" => left / right,
                    "%" => left % right,
                    "^" => libm::pow(left, right),
                    "<" => truth(left < right),
                    "<=" => truth(left <= right),
                    ">" => truth(left > right),
                    ">=" => truth(left >= right),
                    "==" => truth(left == right),
                    _ => truth(left != right),
                }
            }
            Self::Call("if", arguments) => {
                let taken = if arguments[0].value(world)? != 0.0 { 1 } else { 2 };
                arguments[taken].value(world)?
            }
            Self::Call(name, arguments) => {
                // Operands are checked from left to right, as in `min`.
                let numbers =
                    arguments.iter().map(|argument| argument.value(world)).collect::<Result<Vec<_>, _>>()?;
                match (*name, numbers.as_slice()) {
                    ("min", numbers) => numbers.iter().copied().fold(f64::INFINITY, f64::min),
                    ("max", numbers) => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    ("clamp", [x, low, high]) => x.min(*high).max(*low),
                    ("lerp", [from, to, share]) => from + (to - from) * share,
                    ("abs", [x]) => x.abs(),
                    ("floor", [x]) => x.floor(),
                    ("ceil", [x]) => x.ceil(),
                    ("round", [x]) => x.round(),
                    ("sqrt", [x]) if *x < 0.0 => return Err(EvalError::NegativeRoot),
                    ("sqrt", [x]) => x.sqrt(),
                    ("pow", [x, y]) => libm::pow(*x, *y),
                    _ => unreachable!("no other calls are generated"),
                }
            }
        };
        if value.is_finite() { Ok(value) } else { Err(EvalError::NonFinite) }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        2 => (0u8..12).prop_map(|n| Tree::Number(f64::from(n) / 2.0)),
        4 => (0u32..3).prop_map(Tree::Attribute),
        1 => Just(Tree::Random),
    ];
    leaf.prop_recursive(6, 48, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=", "==", "!=", "and", "or",
        ]);
        let call = prop::sample::select(vec![
            ("if", 3),
            ("if", 3),
            ("min", 2),
            ("min", 4),
            ("max", 3),
            ("clamp", 3),
            ("lerp", 3),
            ("abs", 1),
            ("floor", 1),
            ("ceil", 1),
            ("round", 1),
            ("sqrt", 1),
            ("pow", 2),
        ]);
        prop_oneof![
            1 => boxed.clone().prop_map(Tree::Negate),
            1 => boxed.clone().prop_map(Tree::Not),
            6 => (operator, boxed.clone(), boxed).prop_map(|(op, left, right)| Tree::Infix(op, left, right)),
            3 => (call, prop::collection::vec(inner, 4)).prop_map(|((name, count), mut arguments)| {
                arguments.truncate(count);
                Tree::Call(name, arguments)
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn programs_agree_with_a_recursive_evaluator(tree in trees(), values in prop::array::uniform3(-3i8..4)) {
        let world = World { values: values.map(f64::from), rolls: 0 };
        let text = tree.text();
        match Program::compile(&text, &world) {
            Ok(program) => {
                let (mut ours, mut naive) = (world.clone(), world.clone());
                prop_assert_eq!(program.evaluate(&mut ours), tree.value(&mut naive), "{}", text);
                prop_assert_eq!(ours.rolls, naive.rolls, "{}", text);
                if let Some(constant) = program.constant() {
                    prop_assert_eq!(tree.value(&mut naive), Ok(constant), "{}", text);
                }
            }
            Err(errors) => {
                for error in errors {
                    // The part by itself must fail, whatever the values.
                    let ExprErrorKind::Constant(reason) = error.kind else {
                        return Err(TestCaseError::fail(format!("{text}: {error}")));
                    };
                    let part = Program::compile(error.span.of(&text), &world).expect_err(&text);
                    prop_assert_eq!(&part[0].kind, &ExprErrorKind::Constant(reason), "{}", text);
                }
            }
        }
    }
}
