//! Text that comes from others: names and reasons, which are shown on terminals and in logs.

use unicode_security::confusable_detection::skeleton as confusable_skeleton;

/// Whether a character is not shown as itself: control characters, which steer terminals; characters that
/// change the direction of the text; and invisible ones.
pub(crate) fn is_deceptive(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            // Soft hyphen, combining grapheme joiner, Arabic letter mark, Hangul fillers, Khmer inherent vowels.
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            // Mongolian separators, zero-width and directional characters, separators, invisible operators.
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            // Musical controls, tags and variation selectors.
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text of others, with each deceptive character replaced by `�`.
pub(crate) fn shown(text: &str) -> String {
    text.chars().map(|letter| if is_deceptive(letter) { '\u{fffd}' } else { letter }).collect()
}

/// The form in which names that look alike are equal: without regard to case, spaces and the script of a
/// letter (Unicode Technical Standard 39).
pub(crate) fn skeleton(name: &str) -> String {
    let visible: String =
        name.chars().filter(|letter| !letter.is_whitespace() && !is_deceptive(*letter)).collect();
    // Before and after, because some letters look alike only in one case.
    let folded: String = confusable_skeleton(&visible).collect::<String>().to_lowercase();
    confusable_skeleton(&folded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deceptive_characters_are_replaced() {
        for text in [
            "\u{1b}[2J",
            "a\u{202e}b",
            "\u{2066}x",
            "a\u{200b}",
            "\u{feff}",
            "x\u{7f}",
            "\u{9b}1m",
            "\u{e0041}",
        ] {
            let clean = shown(text);
            assert!(clean.contains('\u{fffd}') && !clean.contains(is_deceptive), "{text:?}");
        }
        assert_eq!(shown("Ada Ärger 李 🐉"), "Ada Ärger 李 🐉");
    }

    #[test]
    fn names_that_look_alike_have_the_same_skeleton() {
        // Cyrillic А and а, a full-width A, another case, a space, a digit for a letter.
        for name in ["\u{410}d\u{430}", "\u{ff21}da", "ADA", "A da", "ada"] {
            assert_eq!(skeleton(name), skeleton("Ada"), "{name}");
        }
        assert_eq!(skeleton("Bill"), skeleton("BiIl"));
        assert_ne!(skeleton("Ada"), skeleton("Eva"));
        assert_ne!(skeleton("player"), skeleton("player 2"));
    }
}
