//! Tag names (§7.1, T1).

use thiserror::Error;

/// First segments that §7.1 reserves. Packs may add tags below them, for the reserved meaning only:
///
/// - `GameplayCue`: triggers of cues (§12);
/// - `Cooldown`: granted by cooldown effects (§8.5);
/// - `State`: states of an actor (§7.5);
/// - `Ability`: classification of abilities;
/// - `DamageType`: classification of damage.
pub const RESERVED_PREFIXES: [&str; 5] = ["GameplayCue", "Cooldown", "State", "Ability", "DamageType"];

/// Recommended maximum depth of a hierarchy (§7.1, rule 2). Deeper tags work; loaders warn about them (T1).
pub const MAX_RECOMMENDED_DEPTH: u32 = 5;

/// Maximum length of a name in bytes. The pattern alone has no limit, but the cost of a grant grows with the
/// number of levels, and a hostile pack must not be able to choose it.
pub const MAX_NAME_LENGTH: usize = 1024;

/// Error of an invalid tag name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("tag name {name:?}, byte {offset}: {problem}")]
pub struct TagNameError {
    /// The invalid name.
    pub name: String,
    /// Byte offset in `name` at which the problem begins.
    pub offset: usize,
    /// The problem at the offset.
    pub problem: TagNameProblem,
}

/// Problem of a tag name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum TagNameProblem {
    /// The name is empty.
    #[error("the name is empty; write at least one segment, such as `State`")]
    Empty,
    /// Two dots in a row, or a dot at either end.
    #[error("empty segment; remove the extra dot")]
    EmptySegment,
    /// A segment that is not PascalCase from its first character.
    #[error("segment begins with {0:?}; begin it with an upper-case ASCII letter")]
    SegmentStart(char),
    /// A character that no segment may have.
    #[error("character {0:?} is not allowed; use ASCII letters and digits, and dots between segments")]
    Character(char),
    /// More than [`MAX_NAME_LENGTH`] bytes.
    #[error("the name is too long; use at most {MAX_NAME_LENGTH} bytes")]
    TooLong,
    /// All names of a registry together have more than `u32::MAX` bytes.
    #[error("the registry is full; declare fewer or shorter tags")]
    RegistryFull,
}

/// Checks a name against the schema's pattern, `^[A-Z][a-zA-Z0-9]*(\.[A-Z][a-zA-Z0-9]*)*$` (§7.1, T1).
///
/// # Errors
/// The first problem in the name.
///
/// ```
/// use ugas_core::tag::{TagNameProblem, check_tag_name};
///
/// assert!(check_tag_name("State.Debuff.Stunned").is_ok());
/// let error = check_tag_name("State.debuff").unwrap_err();
/// assert_eq!((error.offset, error.problem), (6, TagNameProblem::SegmentStart('d')));
/// ```
pub fn check_tag_name(name: &str) -> Result<(), TagNameError> {
    match first_problem(name) {
        None => Ok(()),
        Some((offset, problem)) => Err(TagNameError { name: name.to_owned(), offset, problem }),
    }
}

/// Byte offset and kind of the first problem; `None` if the name is valid.
fn first_problem(name: &str) -> Option<(usize, TagNameProblem)> {
    if name.is_empty() {
        return Some((0, TagNameProblem::Empty));
    }
    if name.len() > MAX_NAME_LENGTH {
        return Some((MAX_NAME_LENGTH, TagNameProblem::TooLong));
    }
    let mut at_segment_start = true;
    for (offset, character) in name.char_indices() {
        match character {
            '.' if at_segment_start => return Some((offset, TagNameProblem::EmptySegment)),
            '.' => at_segment_start = true,
            'A'..='Z' => at_segment_start = false,
            _ if !character.is_ascii_alphanumeric() => {
                return Some((offset, TagNameProblem::Character(character)));
            }
            _ if at_segment_start => return Some((offset, TagNameProblem::SegmentStart(character))),
            _ => {}
        }
    }
    at_segment_start.then_some((name.len(), TagNameProblem::EmptySegment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_section_7_1_are_valid_names() {
        for name in [
            "State.Debuff.Stunned.Magic",
            "Ability.Type.Melee.Slash",
            "DamageType.Physical.Blunt",
            "Cooldown.Ability.Fireball",
            "GameplayCue.Impact.Fire",
            "A",
            "A1.B2c",
        ] {
            assert_eq!(check_tag_name(name), Ok(()));
        }
    }

    #[test]
    fn t1_invalid_name_reports_offset_and_problem() {
        use TagNameProblem::{Character, Empty, EmptySegment, SegmentStart, TooLong};
        let longest = "A".repeat(MAX_NAME_LENGTH);
        assert_eq!(check_tag_name(&longest), Ok(()));
        for (name, offset, problem) in [
            ("", 0, Empty),
            (".", 0, EmptySegment),
            ("State.", 6, EmptySegment),
            (".State", 0, EmptySegment),
            ("State..Debuff", 6, EmptySegment),
            ("state", 0, SegmentStart('s')),
            ("State.1Up", 6, SegmentStart('1')),
            ("State.De buff", 8, Character(' ')),
            ("State_Debuff", 5, Character('_')),
            ("State.Éclair", 6, Character('É')),
            ("State\n", 5, Character('\n')),
            (&format!("{longest}A"), MAX_NAME_LENGTH, TooLong),
        ] {
            assert_eq!(check_tag_name(name), Err(TagNameError { name: name.to_owned(), offset, problem }));
        }
    }

    #[test]
    fn tag_name_error_message_says_what_to_do() {
        let message = check_tag_name("State..Debuff").unwrap_err().to_string();
        assert_eq!(message, r#"tag name "State..Debuff", byte 6: empty segment; remove the extra dot"#);
    }

    #[test]
    fn section_7_1_reserved_prefixes_are_valid_names() {
        for prefix in RESERVED_PREFIXES {
            assert_eq!(check_tag_name(prefix), Ok(()));
        }
    }
}
