//! Nearest known name to a mistyped one, for "did you mean" hints.

/// Longer names are not compared: they are no typing mistakes, and the work must stay bounded on any input.
const LONGEST: usize = 64;
/// Shorter parts of a name occur in too many names.
const SHORTEST_PART: usize = 3;

/// Upper limit of differences, however long a name is.
const MOST_DIFFERENCES: usize = 4;

/// The known name that `wanted` most probably means, or `None` if none is near.
///
/// Near means at most one difference (a letter added, left out, changed, or swapped with its neighbour) for
/// every three letters, and no more than four. Case is ignored. Of equally near names the alphabetically
/// first wins, so the result does not depend on the order of `known` (V6).
///
/// ```
/// use ugas_core::nearest::nearest;
///
/// assert_eq!(nearest("Helth", ["Mana", "Health", "MaxHealth"]), Some("Health"));
/// assert_eq!(nearest("Hit", ["GE_Hit", "GE_Heal"]), Some("GE_Hit"));
/// assert_eq!(nearest("Gold", ["Mana", "Health"]), None);
/// ```
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = Letters::of(wanted)?;
    let mut containing: Option<(usize, &str)> = None;
    let near = known
        .into_iter()
        .filter_map(|name| {
            let letters = Letters::of(name)?;
            if wanted.length >= SHORTEST_PART && letters.contains(&wanted) {
                let candidate = (letters.length, name);
                containing = Some(containing.map_or(candidate, |best| best.min(candidate)));
            }
            let allowed = (wanted.length.max(letters.length) / 3).min(MOST_DIFFERENCES);
            if wanted.length.abs_diff(letters.length) > allowed {
                return None;
            }
            let differences = wanted.differences(&letters);
            (differences <= allowed).then_some((differences, name))
        })
        .min();
    // A missing prefix is more than a few letters: `Hit` for `GE_Hit`.
    near.or(containing).map(|(_, name)| name)
}

/// The letters of a name in lower case, in a fixed buffer: comparing thousands of names does not allocate.
struct Letters {
    letters: [char; LONGEST],
    length: usize,
}

impl Letters {
    /// The letters of a name in lower case; `None` if it is too long to be compared.
    fn of(name: &str) -> Option<Self> {
        let mut letters = ['\0'; LONGEST];
        let mut length = 0;
        for letter in name.chars() {
            *letters.get_mut(length)? = letter.to_ascii_lowercase();
            length += 1;
        }
        Some(Self { letters, length })
    }

    /// Whether the other name is a part of this one.
    fn contains(&self, part: &Self) -> bool {
        self.as_slice().windows(part.length).any(|window| window == part.as_slice())
    }

    fn as_slice(&self) -> &[char] {
        &self.letters[..self.length]
    }

    /// The optimal string alignment distance, row by row.
    fn differences(&self, other: &Self) -> usize {
        let (left, right) = (self.as_slice(), other.as_slice());
        let mut before_last = [0; LONGEST + 1];
        let mut last: [usize; LONGEST + 1] = core::array::from_fn(|column| column);
        for (row, &from) in left.iter().enumerate() {
            let mut current = [0; LONGEST + 1];
            current[0] = row + 1;
            for (column, &to) in right.iter().enumerate() {
                let changed = last[column] + usize::from(from != to);
                let mut best = changed.min(last[column + 1] + 1).min(current[column] + 1);
                if row > 0 && column > 0 && from == right[column - 1] && left[row - 1] == to {
                    best = best.min(before_last[column - 1] + 1);
                }
                current[column + 1] = best;
            }
            before_last = last;
            last = current;
        }
        last[right.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, known: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(wanted, known.iter().copied()), expected, "{wanted}");
    }

    #[test]
    fn one_difference_of_each_kind_is_near() {
        let known = ["Armor", "Health", "Mana"];
        check("Helth", &known, Some("Health"));
        check("Heallth", &known, Some("Health"));
        check("Hexlth", &known, Some("Health"));
        check("Haelth", &known, Some("Health"));
        check("health", &known, Some("Health"));
    }

    #[test]
    fn short_name_allows_few_differences() {
        check("x", &["y"], None);
        check("ab", &["ac"], None);
        check("X", &["x"], Some("x"));
        check("mn", &["min", "max"], Some("min"));
        check("", &["a", ""], Some(""));
    }

    #[test]
    fn tie_goes_to_the_alphabetically_first() {
        check("Cold", &["Gold", "Bold"], Some("Bold"));
        check("Cold", &["Bold", "Gold"], Some("Bold"));
    }

    #[test]
    fn very_long_name_has_no_nearest() {
        let endless = "a".repeat(100_000);
        check(&endless, &["a"], None);
        check("a", &[&endless], None);
        let longest = "a".repeat(LONGEST);
        check(&longest, &[&longest], Some(&longest));
    }
}
