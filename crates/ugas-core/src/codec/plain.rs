//! Records whose encoding differs from their fields.

/// Implements [`StateHash`](crate::hash::StateHash), [`Encode`](super::Encode), [`Decode`](super::Decode) and
/// [`Debug`](core::fmt::Debug) for a type whose encoding differs from its fields: a list of parts in the
/// order of the format, each with an expression for it, and how the decoded parts become the type again.
/// Marks are those of fields ([`StateRecord`](super::StateRecord)). Patterns after
/// `where` name the components of parts; without `..` in them, a new field that is missing here does not
/// compile.
macro_rules! plain_parts {
    (
        $name:ident |$value:ident, $decoder:ident| $(where { $($pattern:pat = $from:expr;)* })?
        { $($part:ident $([$mark:ident $($since:literal)?])? $(: $of:expr)?),* $(,)? } => $made:block
    ) => {
        #[allow(unused_variables, reason = "what follows from other fields is only shown")]
        impl $crate::hash::StateHash for $name {
            fn state_hash<S: $crate::hash::HashSink>(&self, hasher: &mut S) {
                let $value = self;
                $($(let $pattern = $from;)*)?
                $($crate::codec::plain_parts!(@hash [$($mark $($since)?)?] hasher, $part $(: $of)?);)*
            }
        }

        #[allow(unused_variables, reason = "what follows from other fields is not written")]
        impl $crate::codec::Encode for $name {
            fn encode(&self, encoder: &mut $crate::codec::Encoder) {
                let $value = self;
                $($(let $pattern = $from;)*)?
                $($crate::codec::plain_parts!(@encode [$($mark $($since)?)?] encoder, $part $(: $of)?);)*
            }
        }

        impl $crate::codec::Decode for $name {
            fn decode($decoder: &mut $crate::codec::Decoder<'_>) -> Result<Self, $crate::codec::DecodeError> {
                $($crate::codec::plain_parts!(@decode [$($mark $($since)?)?] $decoder, $part);)*
                $made
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let $value = self;
                $($(let $pattern = $from;)*)?
                let mut shown = f.debug_struct(stringify!($name));
                $(shown.field(stringify!($part), &$crate::codec::plain_parts!(@of $part $(: $of)?));)*
                shown.finish()
            }
        }
    };
    (@ref $part:ident) => { $part };
    (@ref $part:ident: $of:expr) => { &$of };
    (@of $part:ident) => { $part };
    (@of $part:ident: $of:expr) => { $of };
    (@hash [index] $($rest:tt)*) => {};
    (@hash [unhashed] $($rest:tt)*) => {};
    (@hash [since $version:literal] $hasher:ident, $part:ident $(: $of:expr)?) => {
        if !$crate::codec::is_default($crate::codec::plain_parts!(@ref $part $(: $of)?)) {
            $crate::hash::StateHash::state_hash(stringify!($part), $hasher);
            $crate::hash::StateHash::state_hash(&$crate::codec::plain_parts!(@of $part $(: $of)?), $hasher);
        }
    };
    (@hash [$($derived:ident)?] $hasher:ident, $($part:tt)*) => {
        $crate::hash::StateHash::state_hash(&$crate::codec::plain_parts!(@of $($part)*), $hasher)
    };
    (@encode [index] $($rest:tt)*) => {};
    (@encode [derived] $($rest:tt)*) => {};
    (@encode [$($mark:ident $($since:literal)?)?] $encoder:ident, $($part:tt)*) => {
        $crate::codec::Encode::encode(&$crate::codec::plain_parts!(@of $($part)*), $encoder)
    };
    (@decode [index] $($rest:tt)*) => {};
    (@decode [derived] $($rest:tt)*) => {};
    (@decode [since $version:literal] $decoder:ident, $part:ident) => {
        let $part =
            if $decoder.version() >= $version { $crate::codec::Decode::decode($decoder)? } else { Default::default() };
    };
    (@decode [$($unhashed:ident)?] $decoder:ident, $part:ident) => {
        let $part = $crate::codec::Decode::decode($decoder)?;
    };
}
pub(crate) use plain_parts;

/// Whether a field that was added later has its default.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use crate::codec::{Decode, Decoder, Encode, Encoder, StateRecord, to_bytes};
    use crate::hash::StateHasher;

    #[derive(PartialEq, Debug, StateRecord)]
    struct Old {
        name: String,
        size: u32,
    }

    #[derive(PartialEq, Debug, StateRecord)]
    struct New {
        name: String,
        #[state(since = 2)]
        floor: Option<f64>,
        size: u32,
        #[state(since = 3)]
        seed: u64,
    }

    fn read(bytes: &[u8], version: u32) -> New {
        let mut decoder = Decoder::new(bytes, version);
        let value = New::decode(&mut decoder).unwrap();
        decoder.finish().unwrap();
        value
    }

    fn plain(floor: Option<f64>, seed: u64) -> New {
        New { name: "Health".to_owned(), floor, size: 7, seed }
    }

    #[test]
    fn later_field_is_absent_in_older_bytes() {
        let old = to_bytes(&Old { name: "Health".to_owned(), size: 7 });
        assert_eq!(read(&old, 1), plain(None, 0));
        // Version 2 has the floor (a byte for its presence, and 2.0), but not the seed.
        let mut second = Encoder::new();
        ("Health".to_owned(), Some(2.0)).encode(&mut second);
        7u32.encode(&mut second);
        assert_eq!(read(second.bytes(), 2), plain(Some(2.0), 0));
        assert_eq!(read(&to_bytes(&plain(Some(2.0), 9)), 3), plain(Some(2.0), 9));
    }

    #[test]
    fn later_field_with_its_default_keeps_the_hash() {
        let old = StateHasher::of(&Old { name: "Health".to_owned(), size: 7 });
        assert_eq!(StateHasher::of(&plain(None, 0)), old);
        let others =
            [plain(Some(0.0), 0), plain(None, 1), plain(Some(0.0), 1)].map(|new| StateHasher::of(&new));
        assert!(others.iter().all(|hash| *hash != old));
        assert!(others[0] != others[1] && others[0] != others[2] && others[1] != others[2]);
    }
}
