//! Fuzz body for expressions.

use ugas_core::expr::{Ast, Environment, EvalError, Names, Program, Side};
use ugas_core::id::{AttributeId, CurveId, TagId};

/// Fuzz body: compiles any text as an expression. It has errors with positions inside the text, or evaluates
/// to a finite number or an error, twice the same, and equal to its constant if it has one.
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
    /// Attribute of a name with a capital first letter; names of the same length are the same attribute.
    /// `None` otherwise, so that the fuzzer also reaches unknown names.
    fn attribute(&self, name: &str) -> Option<AttributeId> {
        index_of_name(name).map(AttributeId::from_index)
    }

    /// Tag of a name with a capital first letter; names of the same length are the same tag. `None`
    /// otherwise.
    fn tag(&self, name: &str) -> Option<TagId> {
        index_of_name(name).map(TagId::from_index)
    }

    /// Curve of a name with a capital first letter; names of the same length are the same curve. `None`
    /// otherwise.
    fn curve(&self, name: &str) -> Option<CurveId> {
        index_of_name(name).map(CurveId::from_index)
    }

    /// Index 0 for the only local variable, `x`; `None` for other names.
    fn local(&self, name: &str) -> Option<u16> {
        (name == "x").then_some(0)
    }
}

/// Index of the definition that a name stands for: the length of the name; `None` without a capital first
/// letter.
fn index_of_name(name: &str) -> Option<u32> {
    name.starts_with(|first: char| first.is_ascii_uppercase()).then_some(name.len() as u32)
}

/// Values chosen by the input bytes, including extreme ones.
struct Numbers<'a> {
    bytes: &'a [u8],
    dice: usize,
}

impl Numbers<'_> {
    /// Value that the input byte at a position chooses, among them extreme ones. Positions wrap around; 0 for
    /// an empty input.
    fn value(&self, at: usize) -> f64 {
        const VALUES: [f64; 12] =
            [0.0, -0.0, 1.0, -1.0, 0.5, 100.0, -3.25, 1e308, -1e308, 5e-324, 9_007_199_254_740_993.0, 1e-9];
        let byte = self.bytes.get(at % self.bytes.len().max(1)).copied().unwrap_or_default();
        VALUES[usize::from(byte) % VALUES.len()]
    }
}

impl Environment for Numbers<'_> {
    /// Value that the input chooses by the attribute's index, on both sides alike; every seventh attribute is
    /// missing, so that evaluation fails.
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        match attribute.index() % 7 {
            6 => Err(EvalError::MissingAttribute { side, attribute }),
            at => Ok(self.value(at as usize)),
        }
    }

    /// True for tags with an even index, on both sides alike, so that both branches of conditions are
    /// reached.
    fn has_tag(&mut self, _: Side, tag: TagId) -> bool {
        tag.index().is_multiple_of(2)
    }

    /// Level: the value that the input byte at position 1 chooses.
    fn level(&self) -> f64 {
        self.value(1)
    }

    /// Value that the input chooses by the tag's index; never missing.
    fn set_by_caller(&self, tag: TagId) -> Result<f64, EvalError> {
        Ok(self.value(tag.index() as usize))
    }

    /// Value that the input chooses by the length of the parameter's name; never missing.
    fn param(&self, name: &str) -> Result<f64, EvalError> {
        Ok(self.value(name.len()))
    }

    /// Next byte of the input as a random number from 0 to below 1; 0 after its end. Two evaluations of one
    /// input get the same numbers.
    fn random(&mut self) -> Result<f64, EvalError> {
        self.dice += 1;
        Ok(f64::from(self.bytes.get(self.dice).copied().unwrap_or_default()) / 256.0)
    }
}
