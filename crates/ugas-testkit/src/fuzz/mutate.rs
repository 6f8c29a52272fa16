//! Deterministic mutations for `cargo test`, which has no libFuzzer.

/// Generator of inputs from seeds.
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    state: u64,
}

/// Tokens of the formats.
const TOKENS: [&str; 44] = [
    "---\n",
    "\n  - ",
    ": ",
    "[",
    "]",
    "{ ",
    " }",
    "\"",
    "'",
    "|\n",
    ">-\n",
    "&a ",
    "*a",
    "# ",
    "~",
    "null",
    "true",
    "0",
    "-1",
    "1e308",
    "-1e309",
    "5e-324",
    ".inf",
    ".nan",
    "9007199254740993",
    "0x10",
    "string",
    "é",
    "\u{feff}",
    "\t",
    "\0",
    "\r\n",
    "Name: ",
    "$schema: x/schemas/gameplay_effect.json\n",
    "Steps: []",
    "Health",
    "Source.Health",
    "State.Debuff",
    "HasDuration",
    "Infinite",
    "Instant",
    " * (",
    "^",
    "if(",
];

impl Mutator {
    /// Creates a mutator of these seeds with a fixed random state. Panics without seeds.
    pub fn new(seeds: Vec<Vec<u8>>) -> Self {
        assert!(!seeds.is_empty(), "no seeds");
        Self { seeds, state: 0x9e37_79b9_7f4a_7c15 }
    }

    /// Seeds that inputs are mutated from; tests also run them unchanged.
    pub fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    /// Next input of a fuzz body: a random seed with one to four mutations. The sequence is the same in every
    /// run.
    pub fn input(&mut self) -> Vec<u8> {
        let at = self.below(self.seeds.len());
        let mut input = self.seeds[at].clone();
        for _ in 0..=self.below(4) {
            self.mutate(&mut input);
        }
        input
    }

    /// Applies one random mutation: deletes, copies, replaces or changes bytes, inserts a token or a piece of
    /// another seed, or changes a line or a word.
    fn mutate(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        let end = (at + 1 + self.below(24)).min(input.len());
        match self.below(10) {
            0 => drop(input.drain(at..end)),
            1 => {
                let piece = input[at..end].to_vec();
                let to = self.below(input.len() + 1);
                input.splice(to..to, piece);
            }
            2 | 3 => {
                let token = TOKENS[self.below(TOKENS.len())];
                let end = if self.below(2) == 0 { at } else { end };
                input.splice(at..end, token.bytes());
            }
            4 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << (self.state >> 60 & 7);
                }
            }
            5 => {
                let other = self.below(self.seeds.len());
                let other = self.seeds[other].clone();
                let from = self.below(other.len() + 1);
                let to = (from + self.below(200)).min(other.len());
                input.splice(at..at, other[from..to].iter().copied());
            }
            6 => self.mutate_line(input),
            // Binary formats are full of small related numbers.
            7 | 8 => {
                let by = self.below(5) as u8;
                if let Some(byte) = input.get_mut(at) {
                    *byte = byte.wrapping_add(by).wrapping_sub(2);
                }
            }
            _ => self.mutate_word(input),
        }
    }

    /// Deletes, doubles or moves a line: mutation for documents, which are lists of lines.
    fn mutate_line(&mut self, input: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> =
            input.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if lines.is_empty() {
            return;
        }
        let line = self.below(lines.len());
        let taken = if self.below(3) == 0 { lines[line].clone() } else { lines.remove(line) };
        if self.below(2) == 0 {
            let to = self.below(lines.len() + 1);
            lines.insert(to, taken);
        }
        *input = lines.concat();
    }

    /// Replaces one word of the input by another word of it: mutation that keeps the form of a document. Does
    /// nothing without words.
    fn mutate_word(&mut self, input: &mut Vec<u8>) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let mut words = Vec::new();
        let mut start = None;
        for (at, byte) in input.iter().enumerate() {
            match (is_word(byte), start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    words.push(from..at);
                    start = None;
                }
                _ => {}
            }
        }
        if words.is_empty() {
            return;
        }
        let (from, to) = (self.below(words.len()), self.below(words.len()));
        let word = input[words[from].clone()].to_vec();
        input.splice(words[to].clone(), word);
    }

    /// Random number below `bound`, from the mutator's own generator; 0 if the bound is 0.
    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64, whose constants are its definition.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}
