//! Fuzz body for expressions.

use ugas_core::expr::{Ast, Environment, EvalError, Names, Program, Side};
use ugas_core::id::{AttributeId, CurveId, TagId};

/// Compiles any text as an expression: it has errors with positions inside the text, or evaluates to a finite
/// number or an error, deterministically.
pub fn expression(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let length = text.len();
    let ast = match Ast::parse(&text) {
        Ok(ast) => ast,
        Err(error) => {
            assert!(error.span.start <= error.span.end && error.span.end as usize <= length, "{error:?}");
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for name in ast.names() {
        assert!(name.span.end as usize <= length, "{name:?}");
    }
    let program = match Program::from_ast(&ast, &AnyName) {
        Ok(program) => program,
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|error| error.span.end as usize <= length), "{errors:?}");
            return;
        }
    };
    let first = program.evaluate(&mut Numbers { bytes, dice: 0 });
    if let Ok(value) = first {
        assert!(value.is_finite(), "{text} gives {value}");
    }
    let second = program.evaluate(&mut Numbers { bytes, dice: 0 });
    assert_eq!(
        first.as_ref().ok().map(|value| value.to_bits()),
        second.as_ref().ok().map(|value| value.to_bits())
    );
    if let (Some(constant), Ok(value)) = (program.constant(), &first) {
        assert_eq!(constant.to_bits(), value.to_bits(), "{text}");
    }
}

/// Name resolver that knows every name with a capital first letter.
struct AnyName;

impl Names for AnyName {
    /// Knows every name with a capital first letter; names of the same length are the same attribute.
    fn attribute(&self, name: &str) -> Option<AttributeId> {
        number(name).map(AttributeId::from_index)
    }

    /// Knows every tag with a capital first letter, by a number from its name.
    fn tag(&self, name: &str) -> Option<TagId> {
        number(name).map(TagId::from_index)
    }

    /// Knows every curve with a capital first letter, by a number from its name.
    fn curve(&self, name: &str) -> Option<CurveId> {
        number(name).map(CurveId::from_index)
    }

    /// Knows one local variable, `x`, at index 0.
    fn local(&self, name: &str) -> Option<u16> {
        (name == "x").then_some(0)
    }
}

/// Index of a name: its length; `None` without a capital first letter.
fn number(name: &str) -> Option<u32> {
    name.starts_with(|first: char| first.is_ascii_uppercase()).then_some(name.len() as u32)
}

/// Values chosen by the input bytes, including extreme ones.
struct Numbers<'a> {
    bytes: &'a [u8],
    dice: usize,
}

impl Numbers<'_> {
    /// Value that the input byte at a position chooses.
    fn value(&self, at: usize) -> f64 {
        const VALUES: [f64; 12] =
            [0.0, -0.0, 1.0, -1.0, 0.5, 100.0, -3.25, 1e308, -1e308, 5e-324, 9_007_199_254_740_993.0, 1e-9];
        let byte = self.bytes.get(at % self.bytes.len().max(1)).copied().unwrap_or_default();
        VALUES[usize::from(byte) % VALUES.len()]
    }
}

impl Environment for Numbers<'_> {
    /// Value that the input chooses; every seventh attribute is missing.
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        match attribute.index() % 7 {
            6 => Err(EvalError::MissingAttribute { side, attribute }),
            at => Ok(self.value(at as usize)),
        }
    }

    /// Every other tag is present.
    fn has_tag(&mut self, _: Side, tag: TagId) -> bool {
        tag.index().is_multiple_of(2)
    }

    fn level(&self) -> f64 {
        self.value(1)
    }

    /// Value that the input chooses by the tag's index; never missing.
    fn set_by_caller(&self, tag: TagId) -> Result<f64, EvalError> {
        Ok(self.value(tag.index() as usize))
    }

    fn param(&self, name: &str) -> Result<f64, EvalError> {
        Ok(self.value(name.len()))
    }

    /// Next byte of the input as a random number from 0 to below 1.
    fn random(&mut self) -> Result<f64, EvalError> {
        self.dice += 1;
        Ok(f64::from(self.bytes.get(self.dice).copied().unwrap_or_default()) / 256.0)
    }
}
