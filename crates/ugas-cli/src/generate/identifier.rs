//! Identifiers for names of a pack: valid in every target language, whatever the name contains.

use std::collections::{BTreeMap, BTreeSet};

/// A name with the words that its identifiers are made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Name {
    /// As in the pack.
    pub(super) text: String,
    words: Vec<String>,
    /// Distinguishes names that would have the same identifier; the first of them has none.
    number: Option<u32>,
}

impl Name {
    /// A name whose identifiers are made of the whole text.
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), words: words(text), number: None }
    }

    /// A name whose identifiers leave out a prefix of the text.
    pub(super) fn without_prefix(text: &str, prefix: &str) -> Self {
        Self { words: words(text.strip_prefix(prefix).unwrap_or(text)), ..Self::new(text) }
    }

    /// `MaxHealth`. Letters within a word stay as they are: `GE_Stun` becomes `GEStun`.
    pub(super) fn pascal(&self) -> String {
        let upper = self.words.iter().map(|word| {
            let (first, rest) = word.split_at(1); // Words are ASCII, and never empty.
            first.to_ascii_uppercase() + rest
        });
        self.numbered(upper.collect())
    }

    /// `max_health`.
    pub(super) fn snake(&self) -> String {
        self.numbered(self.words.join("_").to_ascii_lowercase())
    }

    /// `MAX_HEALTH`.
    pub(super) fn screaming(&self) -> String {
        self.numbered(self.words.join("_").to_ascii_uppercase())
    }

    fn numbered(&self, identifier: String) -> String {
        let digit = identifier.starts_with(|letter: char| letter.is_ascii_digit());
        let identifier = if digit { format!("_{identifier}") } else { identifier };
        match self.number {
            Some(number) => format!("{identifier}_{number}"),
            None => identifier,
        }
    }

    /// Form in which names are equal that would have an equal identifier in any case.
    fn key(&self) -> String {
        let number = self.number.map(|number| number.to_string()).unwrap_or_default();
        self.words.concat().to_ascii_lowercase() + &number
    }
}

/// Splits a name into words of ASCII letters and digits: at other ASCII characters, and where a capital begins a
/// word. A character outside ASCII becomes its code point, so that no identifier depends on Unicode tables.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    let letters: Vec<char> = text.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        if letter.is_ascii() && !letter.is_ascii_alphanumeric() {
            inside = false;
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let is_lower = |letter: Option<&char>| letter.is_some_and(char::is_ascii_lowercase);
        let is_upper = |letter: Option<&char>| letter.is_some_and(char::is_ascii_uppercase);
        let begins = letter.is_ascii_uppercase()
            && (is_lower(before)
                || before.is_some_and(char::is_ascii_digit)
                || (is_upper(before) && is_lower(letters.get(at + 1))));
        if !inside || begins {
            words.push(String::new());
        }
        inside = true;
        let word = words.last_mut().expect("a word was begun");
        match letter.is_ascii() {
            true => word.push(*letter),
            false => word.push_str(&format!("u{:04x}", u32::from(*letter))),
        }
    }
    if words.is_empty() { vec!["Unnamed".to_owned()] } else { words }
}

/// Numbers the names of one kind that would have the same identifier, in the order of the names. Returns a
/// sentence about each number.
pub(super) fn make_unique(names: &mut [Name]) -> Vec<String> {
    let mut taken: BTreeSet<String> = names.iter().map(Name::key).collect();
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let mut notes = Vec::new();
    for name in names {
        let Some(earlier) = first.get(&name.key()) else {
            first.insert(name.key(), name.text.clone());
            continue;
        };
        let mut number = 2;
        loop {
            name.number = Some(number);
            if taken.insert(name.key()) {
                break;
            }
            number += 1;
        }
        notes.push(format!(
            "`{}` and `{}` would have the same identifier; the second is `{}`",
            earlier.escape_default(),
            name.text.escape_default(),
            name.screaming()
        ));
    }
    notes
}

/// An identifier that is no word of the language: a reserved one gets an underscore, which no other ends with.
pub(super) fn unreserved(identifier: String, reserved: &[&str]) -> String {
    if reserved.contains(&identifier.as_str()) { identifier + "_" } else { identifier }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, pascal: &str, snake: &str, screaming: &str) {
        let name = Name::new(text);
        assert_eq!(
            (name.pascal(), name.snake(), name.screaming()),
            (pascal.into(), snake.into(), screaming.into())
        );
    }

    #[test]
    fn names_split_at_capitals_and_separators() {
        check("MaxHealth", "MaxHealth", "max_health", "MAX_HEALTH");
        check(
            "State.Debuff.Poisoned",
            "StateDebuffPoisoned",
            "state_debuff_poisoned",
            "STATE_DEBUFF_POISONED",
        );
        check("GE_Stun", "GEStun", "ge_stun", "GE_STUN");
        check("HPBar", "HPBar", "hp_bar", "HP_BAR");
        check("Slot1Key", "Slot1Key", "slot1_key", "SLOT1_KEY");
        check("2Handed", "_2Handed", "_2_handed", "_2_HANDED");
    }

    #[test]
    fn hostile_names_give_valid_identifiers() {
        check("", "Unnamed", "unnamed", "UNNAMED");
        check("\"; */ {", "Unnamed", "unnamed", "UNNAMED");
        check("Stärke", "Stu00e4rke", "stu00e4rke", "STU00E4RKE");
        check("\u{202e}🐉", "U202eu1f409", "u202eu1f409", "U202EU1F409");
        check("a\nb\0c", "ABC", "a_b_c", "A_B_C");
    }

    #[test]
    fn equal_identifiers_are_numbered_around_existing_names() {
        let mut names: Vec<Name> = ["Max.Health", "Max Health 2", "MaxHealth", "Maxhealth"]
            .iter()
            .map(|name| Name::new(name))
            .collect();
        let notes = make_unique(&mut names);
        let identifiers: Vec<String> = names.iter().map(Name::screaming).collect();
        // `MAX_HEALTH_2` belongs to the second name already.
        assert_eq!(identifiers, ["MAX_HEALTH", "MAX_HEALTH_2", "MAX_HEALTH_3", "MAXHEALTH_4"]);
        assert_eq!(notes.len(), 2);
        assert_eq!(
            notes[0],
            "`Max.Health` and `MaxHealth` would have the same identifier; the second is `MAX_HEALTH_3`"
        );
    }
}
