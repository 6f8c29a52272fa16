//! Expressions: the formulas of magnitudes, derived attributes, calculations and task parameters.
//!
//! A text is compiled once, against the known [`Names`], to a [`Program`], and evaluated as often as needed
//! in an [`Environment`] that provides the values. Evaluation returns a finite number or an [`EvalError`]
//! (V2), the same on every platform (V6), and takes random numbers only from the environment (V5).
//!
//! | | |
//! |---|---|
//! | numbers | `12`, `0.5`, `1.5e3`; `true` is 1, `false` is 0 |
//! | attributes | `Health` (the owner's), `Source.Health`, `Target.Health` |
//! | local names | `reduction`, where the caller binds any; they win over attributes |
//! | tags | `HasTag("Tag")`, `Source.HasTag("Tag")`, `Target.HasTag("Tag")`, `Effect.HasTag("Tag")` (asset tags of the effect): 1 or 0 |
//! | other values | `Level`, `Stacks`, `Jump`, `SetByCaller("Tag")`, `Param("Name")`, `Event.Magnitude`, `Event.Payload("name")`, `curve("Name", x)`, `rand()` |
//! | functions | `min(a, b, …)`, `max(a, b, …)`, `clamp(x, lo, hi)`, `abs`, `floor`, `ceil`, `round` (halves away from zero), `sqrt`, `pow(x, y)`, `lerp(a, b, t)` |
//! | choice | `if(condition, then, otherwise)` |
//!
//! Operators, those that bind tightest first:
//!
//! | | |
//! |---|---|
//! | `^` | power; from the right: `2 ^ 3 ^ 2` is `2 ^ 9` |
//! | `-` before a value | `-2 ^ 2` is `-4` |
//! | `*` `/` `%` | the remainder has the sign of its left operand |
//! | `+` `-` | |
//! | `<` `<=` `>` `>=` `==` `!=` | 1 or 0; cannot be chained |
//! | `not` | |
//! | `and` | 1 or 0; the right side is evaluated only if the left is true |
//! | `or` | 1 or 0; the right side is evaluated only if the left is false |
//!
//! Every number but 0 is true. Names are in single or double quotes. `clamp` lets the lower bound win (B0).
//!
//! ```
//! use ugas_core::expr::{Environment, EvalError, Names, Program, Side};
//! use ugas_core::id::AttributeId;
//!
//! struct Warrior;
//!
//! impl Names for Warrior {
//!     fn attribute(&self, name: &str) -> Option<AttributeId> {
//!         (name == "Strength").then_some(AttributeId::from_index(0))
//!     }
//! }
//!
//! impl Environment for Warrior {
//!     fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
//!         match side {
//!             Side::Source => Ok(40.0),
//!             _ => Err(EvalError::MissingAttribute { side, attribute }),
//!         }
//!     }
//!
//!     fn level(&self) -> f64 {
//!         3.0
//!     }
//! }
//!
//! let damage = Program::compile("10 + Source.Strength * 0.5 * Level", &Warrior).unwrap();
//! assert_eq!(damage.evaluate(&mut Warrior), Ok(70.0));
//!
//! let errors = Program::compile("Source.Speed + Max(1, 2)", &Warrior).unwrap_err();
//! assert_eq!(errors[0].to_string(), "unknown attribute `Speed`");
//! assert_eq!(errors[1].to_string(), "unknown function `Max`; did you mean `max`?");
//! ```

mod ast;
mod compile;
mod environment;
mod error;
mod function;
mod lexer;
pub mod names;
mod op;
mod parser;
mod program;
mod resolve;

#[cfg(test)]
mod error_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;

pub use ast::{Ast, NameUse};
pub use environment::{Environment, NameKind, Names, Side};
pub use error::{ArgumentCount, EvalError, ExprError, ExprErrorKind, Span};
pub use function::is_keyword;
pub use program::{Dependency, Program};
