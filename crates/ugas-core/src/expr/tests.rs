//! Values, errors and dependencies of expressions. Expected numbers are computed by hand.

use super::*;
use crate::hash::StateHasher;
use crate::id::{AttributeId, CurveId, TagId};
use crate::nearest::nearest;

const ATTRIBUTES: [&str; 4] = ["Armor", "Health", "Shadowed", "Strength"];
const TAGS: [&str; 2] = ["Data.Damage", "State.Burning"];
const CURVES: [&str; 1] = ["Growth"];
const LOCALS: [&str; 3] = ["Shadowed", "effective", "Level"];

/// Owner: Armor 50, Health 80, Shadowed 1, Strength 10; source: ten times as much; target: 0 and no Strength.
/// Level 3, two stacks, Data.Damage set to 25, Param Radius 4, Growth doubles, the owner and the target burn.
pub(super) struct Fixture {
    pub(super) dice: u32,
}

fn index_of(names: &[&str], name: &str) -> Option<u32> {
    names.iter().position(|known| *known == name).map(|index| index as u32)
}

impl Names for Fixture {
    fn attribute(&self, name: &str) -> Option<AttributeId> {
        index_of(&ATTRIBUTES, name).map(AttributeId::from_index)
    }

    fn tag(&self, name: &str) -> Option<TagId> {
        index_of(&TAGS, name).map(TagId::from_index)
    }

    fn curve(&self, name: &str) -> Option<CurveId> {
        index_of(&CURVES, name).map(CurveId::from_index)
    }

    fn local(&self, name: &str) -> Option<u16> {
        index_of(&LOCALS, name).map(|index| index as u16)
    }

    fn nearest(&self, kind: NameKind, name: &str) -> Option<String> {
        let known: &[&str] = match kind {
            NameKind::Attribute => &ATTRIBUTES,
            NameKind::Tag => &TAGS,
            NameKind::Curve => &CURVES,
            NameKind::Local => &LOCALS,
            NameKind::Param | NameKind::ParamTag => &[],
        };
        nearest(name, known.iter().copied()).map(str::to_owned)
    }
}

impl Environment for Fixture {
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        let owners = [50.0, 80.0, 1.0, 10.0][attribute.usize()];
        match side {
            Side::Owner => Ok(owners),
            Side::Source => Ok(owners * 10.0),
            Side::Target if attribute.index() == 3 => Err(EvalError::MissingAttribute { side, attribute }),
            Side::Target => Ok(0.0),
        }
    }

    fn has_tag(&mut self, side: Side, tag: TagId) -> bool {
        side != Side::Source && tag.index() == 1
    }

    fn level(&self) -> f64 {
        3.0
    }

    fn stacks(&self) -> f64 {
        2.0
    }

    fn set_by_caller(&self, tag: TagId) -> Result<f64, EvalError> {
        if tag.index() == 0 { Ok(25.0) } else { Err(EvalError::MissingSetByCaller { tag }) }
    }

    fn param(&self, name: &str) -> Result<f64, EvalError> {
        if name == "Radius" { Ok(4.0) } else { Err(EvalError::MissingParam) }
    }

    fn curve(&self, _: CurveId, x: f64) -> Result<f64, EvalError> {
        Ok(x * 2.0)
    }

    fn random(&mut self) -> Result<f64, EvalError> {
        self.dice += 1;
        Ok(f64::from(self.dice) / 8.0)
    }

    fn local(&self, local: u16) -> f64 {
        [7.0, 30.0, 99.0][usize::from(local)]
    }
}

#[track_caller]
fn compiled(text: &str) -> Program {
    Program::compile(text, &Fixture { dice: 0 }).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

#[track_caller]
pub(super) fn check(text: &str, expected: f64) {
    assert_eq!(compiled(text).evaluate(&mut Fixture { dice: 0 }), Ok(expected), "{text}");
}

#[track_caller]
fn check_all(cases: &[(&str, f64)]) {
    for &(text, expected) in cases {
        check(text, expected);
    }
}

#[track_caller]
fn check_fails(text: &str, expected: EvalError) {
    assert_eq!(compiled(text).evaluate(&mut Fixture { dice: 0 }), Err(expected), "{text}");
}

#[test]
fn numbers() {
    check_all(&[("12", 12.0), ("0.5", 0.5), (".5", 0.5), ("3.", 3.0), ("1.5e3", 1500.0), ("2E-1", 0.2)]);
    check_all(&[("true", 1.0), ("false", 0.0), ("  1\n", 1.0), ("9007199254740993", 9007199254740992.0)]);
}

#[test]
fn arithmetic_and_precedence() {
    check_all(&[
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 2", 3.0),
        ("7 % 4 * 2", 6.0),
        ("-7 % 4", -3.0), // the sign of the left operand
        ("7 % -4", 3.0),
        ("2 ^ 3 ^ 2", 512.0), // 2^9
        ("-2 ^ 2", -4.0),
        ("(-2) ^ 2", 4.0),
        ("2 ^ -1", 0.5),
        ("2 ^ -2 * 4", 1.0), // (2^-2)·4
        ("2 ^ -1 ^ 2", 0.5), // 2^-(1^2)
        ("2 * 3 ^ 2", 18.0),
        ("--3", 3.0),
        ("2 - -3", 5.0),
        ("2 * -3", -6.0),
        ("1 + 2 < 4", 1.0),
        ("2 < 1 + 0", 0.0),
        ("1 + (2 < 4)", 2.0),
        ("-1 < 0", 1.0),
    ]);
}

#[test]
fn comparisons_and_logic() {
    check_all(&[
        ("1 < 2", 1.0),
        ("2 <= 2", 1.0),
        ("1 > 2", 0.0),
        ("2 >= 3", 0.0),
        ("2 == 2", 1.0),
        ("2 != 2", 0.0),
        ("5 and 3", 1.0),
        ("5 and 0", 0.0),
        ("0 or 3", 1.0),
        ("0 or 0", 0.0),
        ("not 0", 1.0),
        ("not 7", 0.0),
        ("not not 7", 1.0),
        ("not(0)", 1.0),
        ("not 1 == 2", 1.0),   // not (1 == 2)
        ("not 0 and 0", 0.0),  // (not 0) and 0
        ("1 or 1 and 0", 1.0), // 1 or (1 and 0)
        ("1 and not 0", 1.0),
        ("0 or not 1 or 1", 1.0),
        ("1 < 2 and 2 < 3", 1.0),
        ("(1 < 2) == (3 < 4)", 1.0),
        ("Health > 0 and Armor", 1.0),
        ("Target.Health or effective", 1.0),
    ]);
}

#[test]
fn functions() {
    check_all(&[
        ("if(Health > 50, 1, 2)", 1.0),
        ("if(Health > 90, 1, 2)", 2.0),
        ("min(3, 1, 2)", 1.0),
        ("max(Armor, Health, 60, 2)", 80.0),
        ("clamp(5, 0, 3)", 3.0),
        ("clamp(-5, 0, 3)", 0.0),
        ("clamp(5, 4, 3)", 4.0), // the lower bound wins
        ("abs(-4)", 4.0),
        ("floor(-1.5)", -2.0),
        ("ceil(-1.5)", -1.0),
        ("round(2.5)", 3.0),
        ("round(-2.5)", -3.0),
        ("round(2.4)", 2.0),
        ("sqrt(16)", 4.0),
        ("pow(2, 10)", 1024.0),
        ("lerp(10, 20, 0.25)", 12.5),
        ("lerp(10, 20, 2)", 30.0),
        ("min(1 + 1, if(1, 5, 6)) * 2", 4.0),
    ]);
}

#[test]
fn values_of_the_environment() {
    check_all(&[
        ("Health", 80.0),
        ("Source.Health", 800.0),
        ("Target.Health", 0.0),
        ("Health * (1 + Armor / 100)", 120.0), // 80 · 1.5
        ("Source.Strength * 0.01 * Level", 3.0),
        ("Stacks + Level", 5.0),
        ("SetByCaller(\"Data.Damage\") * 2", 50.0),
        ("SetByCaller('Data.Damage')", 25.0),
        ("Param(\"Radius\") + Param('Radius')", 8.0),
        ("HasTag(\"State.Burning\")", 1.0),
        ("Source.HasTag('State.Burning')", 0.0),
        ("Target.HasTag('State.Burning')", 1.0),
        ("curve(\"Growth\", Level + 1)", 8.0),
        ("rand() + rand()", 0.375), // 1/8 + 2/8
        ("effective / (effective + 90)", 0.25),
    ]);
}

#[test]
fn locals_shadow_attributes_but_not_keywords_or_sides() {
    check_all(&[("Shadowed", 7.0), ("Source.Shadowed", 10.0), ("Level", 3.0)]);
    for keyword in ["and", "Level", "if", "HasTag", "Source", "true"] {
        assert!(is_keyword(keyword), "{keyword}");
    }
    assert!(!is_keyword("level") && !is_keyword("Health"));
}

#[test]
fn evaluation_skips_operands_that_are_not_needed() {
    check_all(&[
        ("if(Target.Health > 0, 1 / Target.Health, 0)", 0.0),
        ("Target.Health and 1 / Target.Health", 0.0),
        ("Health or 1 / Target.Health", 1.0),
        ("if(0, 1 / 0, 3)", 3.0),
        ("0 and 1 / 0", 0.0),
        ("1 or 1 / 0", 1.0),
        // The die in the branch that is not taken is not rolled.
        ("if(Health, 0, rand()) + rand()", 0.125),
        ("(Health or rand()) + rand()", 1.125),
    ]);
}

#[test]
fn evaluation_errors() {
    check_fails("1 / Target.Health", EvalError::DivisionByZero);
    check_fails("1 % Target.Health", EvalError::DivisionByZero);
    check_fails("Health and 1 / Target.Health", EvalError::DivisionByZero);
    check_fails("sqrt(-Health)", EvalError::NegativeRoot);
    check_fails("(Health * 1e307) ^ 2", EvalError::NonFinite);
    check_fails("(Health * 1e308) > 0", EvalError::NonFinite);
    check_fails("(-Health) ^ 0.5", EvalError::NonFinite);
    check_fails("Target.Health ^ -1", EvalError::NonFinite);
    check_fails("Param('Nothing')", EvalError::MissingParam);
    check_fails("SetByCaller('State.Burning')", EvalError::MissingSetByCaller { tag: TagId::from_index(1) });
    let (side, attribute) = (Side::Target, AttributeId::from_index(3));
    check_fails("Target.Strength", EvalError::MissingAttribute { side, attribute });
}

#[test]
fn environment_without_values_reports_missing_ones() {
    let fixture = Fixture { dice: 0 };
    let evaluate = |text| Program::compile(text, &fixture).unwrap().evaluate(&mut ());
    let (side, attribute) = (Side::Owner, AttributeId::from_index(1));
    assert_eq!(evaluate("Health"), Err(EvalError::MissingAttribute { side, attribute }));
    assert_eq!(
        evaluate("curve('Growth', 1)"),
        Err(EvalError::MissingCurve { curve: CurveId::from_index(0) })
    );
    assert_eq!(evaluate("rand()"), Err(EvalError::NotAvailable));
    assert_eq!(evaluate("HasTag('State.Burning')"), Ok(0.0));
    assert_eq!(evaluate("Level + Stacks"), Ok(2.0));
}

#[test]
fn non_finite_values_of_the_environment_are_rejected() {
    struct Broken;
    impl Environment for Broken {
        fn level(&self) -> f64 {
            f64::NAN
        }
        fn local(&self, _: u16) -> f64 {
            f64::INFINITY
        }
    }
    assert_eq!(compiled("Level > 0").evaluate(&mut Broken), Err(EvalError::NonFinite));
    assert_eq!(compiled("effective").evaluate(&mut Broken), Err(EvalError::NonFinite));
}

#[test]
fn constants_fold() {
    assert_eq!(compiled("2 * (3 + 4) - -1").constant(), Some(15.0));
    assert_eq!(compiled("if(1 < 2, min(4, 3), Health)").constant(), Some(3.0));
    assert_eq!(compiled("false and Health").constant(), Some(0.0));
    assert_eq!(compiled("Health").constant(), None);
    assert_eq!(compiled("Health * 0").constant(), None);
    assert_eq!(compiled("if(1, Health, 1)").constant(), None);
}

#[test]
fn dependencies_are_sorted_and_distinct() {
    let attribute = |side, index| Dependency::Attribute(side, AttributeId::from_index(index));
    let text =
        "Stacks + Target.Armor + Health * Health + Armor + Level + Param('B') + Param('A') + Param('B')
        + HasTag('State.Burning') + SetByCaller('Data.Damage') + curve('Growth', 1) + rand() + effective
        + if(0, Strength, 0)";
    assert_eq!(
        compiled(text).dependencies(),
        [
            attribute(Side::Owner, 0),
            attribute(Side::Owner, 1),
            attribute(Side::Target, 0),
            Dependency::Tag(Side::Owner, TagId::from_index(1)),
            Dependency::Level,
            Dependency::Stacks,
            Dependency::SetByCaller(TagId::from_index(0)),
            Dependency::Param("A".into()),
            Dependency::Param("B".into()),
            Dependency::Curve(CurveId::from_index(0)),
            Dependency::Random,
            Dependency::Local(1),
        ]
    );
}

#[test]
fn names_are_listed_in_the_order_of_the_text() {
    let ast = Ast::parse("Source.A + min(b, Level) * curve('C', D) + Target.HasTag('E') - SetByCaller('F')")
        .unwrap();
    let names: Vec<_> = ast.names().map(|name| (name.kind, name.side, name.name)).collect();
    assert_eq!(
        names,
        [
            (NameKind::Attribute, Some(Side::Source), "A"),
            (NameKind::Attribute, Some(Side::Owner), "b"),
            (NameKind::Curve, None, "C"),
            (NameKind::Attribute, Some(Side::Owner), "D"),
            (NameKind::Tag, Some(Side::Target), "E"),
            (NameKind::Tag, None, "F"),
        ]
    );
}

#[test]
fn program_keeps_its_source_and_hash_distinguishes_programs() {
    assert_eq!(compiled(" 1 + Health ").source(), " 1 + Health ");
    assert_eq!(compiled("Health"), compiled("Health"));
    assert_eq!(StateHasher::of(&compiled("Health")), StateHasher::of(&compiled("Health")));
    assert_ne!(StateHasher::of(&compiled("Health")), StateHasher::of(&compiled("Armor")));
    let Ok(unshadowed) = Program::compile("1 + 1", &()) else { panic!("plain arithmetic needs no names") };
    assert_eq!(unshadowed.evaluate(&mut ()), Ok(2.0));
}
