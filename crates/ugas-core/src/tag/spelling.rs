//! Edit distance, for the "did you mean" of an unknown tag.

/// Finds the candidate nearest to `word`, by insertions, deletions and replacements of bytes; the first of equals.
/// Case does not count: `state.debuff` is how `State.Debuff` is mistyped most. Candidates with more than about a
/// quarter of the word mistyped are no help and are left out.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut limit = (word.len() / 4).clamp(1, 4);
    let mut row = Vec::new();
    let mut best = None;
    for candidate in candidates {
        if let Some(distance) = distance_within(word.as_bytes(), candidate.as_bytes(), limit, &mut row) {
            best = Some(candidate);
            if distance == 0 {
                break;
            }
            limit = distance - 1;
        }
    }
    best
}

/// The edit distance of `left` and `right`, if it is at most `limit`.
///
/// Cells further than `limit` from the diagonal cannot be on a path that short, so only that band is computed: the
/// cost is length times limit.
fn distance_within(left: &[u8], right: &[u8], limit: usize, row: &mut Vec<usize>) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    row.clear();
    row.extend(0..=right.len());
    for (above, left_byte) in left.iter().enumerate() {
        let current = above + 1;
        let first = current.saturating_sub(limit).max(1);
        let last = right.len().min(current + limit);
        let mut diagonal = row[first - 1];
        row[first - 1] = if first == 1 { current } else { limit + 1 };
        let mut smallest = row[first - 1];
        for column in first..=last {
            let replaced = diagonal + usize::from(!left_byte.eq_ignore_ascii_case(&right[column - 1]));
            diagonal = row[column];
            // The right-most cell of the band still has its first value, which exceeds the limit as it should.
            row[column] = replaced.min(diagonal + 1).min(row[column - 1] + 1);
            smallest = smallest.min(row[column]);
        }
        if smallest > limit {
            return None;
        }
    }
    let distance = row[right.len()];
    (distance <= limit).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook recurrence over the whole table.
    fn plain_distance(left: &[u8], right: &[u8]) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                table[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => {
                        let replaced = table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                        replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                    }
                };
            }
        }
        table[left.len()][right.len()]
    }

    #[test]
    fn nearest_prefers_the_fewest_edits_and_the_first_of_equals() {
        let names = ["State", "State.Debuff.Stunned", "Status", "Status.Burning"];
        let check = |word, expected| assert_eq!(nearest(word, names.into_iter()), expected, "{word}");
        check("State.Debuff.Stuned", Some("State.Debuff.Stunned"));
        check("state.debuff.stunned", Some("State.Debuff.Stunned"));
        check("Stat", Some("State"));
        check("Statu", Some("State"));
        check("Completely.Different", None);
        check("", None);
        check("é", None);
    }

    proptest! {
        #[test]
        fn the_band_gives_the_textbook_distance(left in "[abc]{0,9}", right in "[abc]{0,9}", limit in 0usize..6) {
            let plain = plain_distance(left.as_bytes(), right.as_bytes());
            let banded = distance_within(left.as_bytes(), right.as_bytes(), limit, &mut Vec::new());
            prop_assert_eq!(banded, (plain <= limit).then_some(plain));
        }
    }
}
