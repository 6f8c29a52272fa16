//! Error tests: invalid texts give errors with their spans, and no text panics.

use super::tests::{Fixture, check};
use super::*;
use proptest::prelude::*;

/// Expected errors as (spanned text, message).
#[track_caller]
fn check_errors(text: &str, expected: &[(&str, &str)]) {
    let errors = Program::compile(text, &Fixture { dice: 0 }).expect_err(text);
    let found: Vec<_> = errors.iter().map(|error| (error.span.of(text), error.to_string())).collect();
    let found: Vec<_> = found.iter().map(|(place, message)| (*place, message.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[track_caller]
fn check_span(text: &str, start: u32, end: u32) {
    let errors = Program::compile(text, &Fixture { dice: 0 }).expect_err(text);
    assert_eq!(errors[0].span, Span { start, end }, "{text}");
}

#[test]
fn grammar_errors() {
    check_errors("", &[("", "the expression ends where a value should follow")]);
    check_errors("1 +", &[("", "the expression ends where a value should follow")]);
    check_errors("(1", &[("", "the expression ends where an operator or `)` should follow")]);
    check_errors("min(1", &[("", "the expression ends where an operator, `,` or `)` should follow")]);
    check_errors("min(1,)", &[(")", "unexpected `)`; expected a value")]);
    check_errors("HasTag('a' + 1)", &[("+", "unexpected `+`; expected `,` or `)`")]);
    check_errors("(1, 2)", &[(",", "unexpected `,`; expected an operator or `)`")]);
    check_errors("1 2", &[("2", "unexpected `2`; expected an operator or the end")]);
    check_errors("2x", &[("x", "unexpected `x`; expected an operator or the end")]);
    check_errors("2e", &[("e", "unexpected `e`; expected an operator or the end")]);
    check_errors("1)", &[(")", "unexpected `)`; expected an operator or the end")]);
    check_errors("+1", &[("+", "unexpected `+`; expected a value")]);
    check_errors("1 * and", &[("and", "unexpected `and`; expected a value")]);
    check_errors("min", &[("", "the expression ends where `(` should follow")]);
    check_errors("Source + 1", &[("+", "unexpected `+`; expected `.`")]);
    check_errors("Target.1", &[(".1", "unexpected `.1`; expected `.`")]);
    check_errors("Target.(", &[("(", "unexpected `(`; expected the name of an attribute, or `HasTag`")]);
    check_errors("\"a\" + 1", &[("\"a\"", "unexpected `\"a\"`; expected a value")]);
    check_errors(
        "1 + not 2",
        &[("not", "unexpected `not`; expected a value (put `not` and what follows it in parentheses)")],
    );
    check_errors("1 # 2", &[("#", "unexpected character `#`")]);
    check_errors("1 + é♥", &[("♥", "unexpected character `♥`")]);
    check_errors("1\u{0}", &[("\u{0}", "unexpected character `\\0`")]);
    check_errors("1 && 2", &[("&&", "`&&` is not an operator here; use `and`")]);
    check_errors("1 || 2", &[("||", "`||` is not an operator here; use `or`")]);
    check_errors("!1", &[("!", "`!` is not an operator here; use `not`")]);
    check_errors("Health = 2", &[("=", "`=` is not an operator here; use `==`")]);
    check_errors("1 + 1e999", &[("1e999", "the number `1e999` is out of range")]);
    check_errors("HasTag(\"a)", &[("\"a)", "this text in quotes never ends; close it with `\"`")]);
    check_errors("1 < 2 < 3", &[("<", "comparisons cannot be chained; write `a < b and b < c`")]);
    check_errors("1 < 2 == 3", &[("==", "comparisons cannot be chained; write `a < b and b < c`")]);
}

#[test]
fn error_spans_cover_the_mistake() {
    check_span("1 +", 3, 3);
    check_span("1 < 2 < 3", 6, 7);
    check_span("1 + Helth", 4, 9);
    check_span("Target.Helth", 7, 12);
    check_span("HasTag('State.Brning')", 8, 20);
    check_span("2 * (1 / 0)", 4, 11);
    check_span("1 + clamp(1, 2)", 4, 15);
}

#[test]
fn unknown_names() {
    check_errors("Helth", &[("Helth", "unknown attribute `Helth`; did you mean `Health`?")]);
    check_errors("Gold", &[("Gold", "unknown attribute `Gold`")]);
    check_errors("efective", &[("efective", "unknown name `efective`; did you mean `effective`?")]);
    check_errors("level", &[("level", "unknown name `level`; did you mean `Level`?")]);
    check_errors("Source.effective", &[("effective", "unknown attribute `effective`")]);
    check_errors(
        "HasTag(\"State.Buring\")",
        &[("State.Buring", "unknown tag `State.Buring`; did you mean `State.Burning`?")],
    );
    check_errors("SetByCaller('')", &[("", "unknown tag ``")]);
    check_errors("curve('growth', 1)", &[("growth", "unknown curve `growth`; did you mean `Growth`?")]);
    check_errors("Flor(1)", &[("Flor", "unknown function `Flor`; did you mean `floor`?")]);
    check_errors("Health(1)", &[("Health", "unknown function `Health`")]);
    check_errors("Source.min(1, 2)", &[("Source.min", "unknown function `Source.min`")]);
    check_errors(
        "Source.HasTg('x')",
        &[("Source.HasTg", "unknown function `Source.HasTg`; did you mean `Source.HasTag`?")],
    );
}

#[test]
fn wrong_arguments() {
    check_errors("clamp(1, 2)", &[("clamp(1, 2)", "`clamp` takes 3 arguments, not 2")]);
    check_errors("min(1)", &[("min(1)", "`min` takes 2 or more arguments, not 1")]);
    check_errors("abs()", &[("abs()", "`abs` takes 1 argument, not 0")]);
    check_errors("rand(1)", &[("rand(1)", "`rand` takes no arguments, not 1")]);
    check_errors(
        "HasTag(State)",
        &[("State", "`HasTag` takes a name in quotes first, as in `HasTag(\"Name\")`")],
    );
    check_errors("min(1, 'a')", &[("'a'", "`min` takes a number here, not a text in quotes")]);
    check_errors("curve('Growth', 'a')", &[("'a'", "`curve` takes a number here, not a text in quotes")]);
}

#[test]
fn all_mistakes_are_reported_in_the_order_of_the_text() {
    check_errors(
        "foo(Helth) + Target.Armr * clamp(1, Gold)",
        &[
            ("foo", "unknown function `foo`"),
            ("Helth", "unknown attribute `Helth`; did you mean `Health`?"),
            ("Armr", "unknown attribute `Armr`; did you mean `Armor`?"),
            ("clamp(1, Gold)", "`clamp` takes 3 arguments, not 2"),
            ("Gold", "unknown attribute `Gold`"),
        ],
    );
}

#[test]
fn constant_parts_that_fail_are_errors() {
    let division = "this can never be computed: division by zero";
    check_errors("Health + 1 / 0", &[("1 / 0", division)]);
    check_errors("if(Health, 1 % 0, 3 / (2 - 2))", &[("1 % 0", division), ("3 / (2 - 2)", division)]);
    check_errors("1 / 0 + 1", &[("1 / 0", division)]);
    check_errors("sqrt(-1)", &[("sqrt(-1)", "this can never be computed: square root of a negative number")]);
    check_errors(
        "1e308 * 10",
        &[("1e308 * 10", "this can never be computed: the result is not a finite number")],
    );
}

/// Runs on a thread with a small stack, since hosts choose its size.
#[test]
fn long_and_deep_texts_are_evaluated_or_rejected() {
    let thread = std::thread::Builder::new().stack_size(128 * 1024);
    thread.spawn(check_long_and_deep_texts).unwrap().join().unwrap();
}

fn check_long_and_deep_texts() {
    check(&format!("1{}", "+Health".repeat(2000)), 160_001.0);
    check(&format!("min(1{})", ",Health".repeat(2000)), 1.0);
    check(&format!("{}Health{}", "(".repeat(64), ")".repeat(64)), 80.0);
    check(&format!("{}Health", "-".repeat(64)), 80.0);
    // Deeper than the inline operand stack: 1 + (1 + (… + Health)).
    check(&format!("{}Health{}", "Level+(".repeat(60), ")".repeat(60)), 260.0);
    for text in [
        "(".repeat(16_000),
        "-".repeat(16_000),
        "not ".repeat(4_000),
        "1^".repeat(8_000),
        "min(1,".repeat(2_700),
        "if(".repeat(5_000),
        "2^-(".repeat(4_000),
        format!("{}Health{}", "(".repeat(65), ")".repeat(65)),
        "1 or 1 and 1<1+1*-1^(".repeat(700),
        "1 or 1 and 1<1+1*(".repeat(800),
    ] {
        let errors = Program::compile(&text, &Fixture { dice: 0 }).unwrap_err();
        assert_eq!(
            errors[0].to_string(),
            "the expression is nested more than 64 levels deep; name parts of it",
            "{}",
            &text[..8]
        );
    }
    let errors = Program::compile(&" ".repeat(16_385), &()).unwrap_err();
    assert_eq!(errors[0].to_string(), "the expression is 16385 bytes long; at most 16384 are allowed");
}

/// Parts of expressions, valid and invalid, for random texts.
const PIECES: [&str; 3] = [
    "1|0|2.5|1e308|(|(|)|)|,|+|-|*|/|%|^|<|==|and|or|not|if(|min(|max(|clamp(|sqrt(|lerp(",
    "curve('Growth',|rand()|HasTag('State.Burning')|Target.HasTag(|SetByCaller('Data.Damage')",
    "Param('Radius')|Health|Source.Armor|Target.|Level|Stacks|effective|'|\"|.|é|=|\n",
];

fn survives(text: &str) {
    match Program::compile(text, &Fixture { dice: 0 }) {
        Ok(program) => {
            if let Ok(value) = program.evaluate(&mut Fixture { dice: 0 }) {
                assert!(value.is_finite());
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(text.get(error.span.start as usize..error.span.end as usize).is_some());
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_compiled_or_rejected(text in any::<String>()) {
        survives(&text);
    }

    #[test]
    fn any_bytes_are_compiled_or_rejected(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_sequence_of_parts_is_compiled_or_rejected(
        pieces in prop::collection::vec(prop::sample::select(PIECES.iter().flat_map(|line| line.split('|')).collect::<Vec<_>>()), 0..40),
    ) {
        survives(&pieces.join(" "));
        survives(&pieces.concat());
    }
}
