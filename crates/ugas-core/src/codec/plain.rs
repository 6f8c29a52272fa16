//! Macros that generate hash, encoding and decoding from one list of fields.

/// Implements [`StateHash`](crate::hash::StateHash), [`Encode`](super::Encode) and [`Decode`](super::Decode) for a
/// struct, field by field. The list must be complete: the pattern has no `..`, so a field that is added and forgotten
/// here does not compile.
///
/// A field may be marked:
///
/// - `field: derived` is hashed and not encoded; it is derived from other fields and starts empty.
/// - `field: unhashed` is encoded and not hashed: pending work.
/// - `field: index` is neither; it is derived from encoded fields or not worth keeping, and starts empty.
/// - `field: since 2` was added in format version 2: it is always encoded, decoded only from that version on,
///   and has its default in older bytes. It is hashed, with its name, only if it differs from the default, so
///   that definitions that do not use it keep their hash.
/// - `field: unhashed_since 4` is encoded and decoded like `since 4` and not hashed, so that states of older
///   versions keep their hash.
///
/// With `cloned` before the name there is also a [`Clone`], whose `clone_from` reuses the allocations of each
/// field: a rollback buffer that copies every tick must not allocate (I6).
///
/// `=> check` names a function that validates a decoded value: the invariants that the constructors of the
/// type maintain.
macro_rules! plain_struct {
    ($name:ident ($item:ident)) => {
        impl $crate::hash::StateHash for $name {
            fn state_hash<S: $crate::hash::HashSink>(&self, hasher: &mut S) {
                let Self($item) = self;
                $crate::hash::StateHash::state_hash($item, hasher);
            }
        }

        impl $crate::codec::Encode for $name {
            fn encode(&self, encoder: &mut $crate::codec::Encoder) {
                let Self($item) = self;
                $crate::codec::Encode::encode($item, encoder);
            }
        }

        impl $crate::codec::Decode for $name {
            fn decode(decoder: &mut $crate::codec::Decoder<'_>) -> Result<Self, $crate::codec::DecodeError> {
                Ok(Self($crate::codec::Decode::decode(decoder)?))
            }
        }
    };
    (cloned $name:ident { $($field:ident $(: $mark:ident $($since:literal)?)?),* $(,)? } $(=> $check:path)?) => {
        $crate::codec::cloned_struct!($name { $($field),* });
        $crate::codec::plain_struct!($name { $($field $(: $mark $($since)?)?),* } $(=> $check)?);
    };
    ($name:ident { $($field:ident $(: $mark:ident $($since:literal)?)?),* $(,)? } $(=> $check:path)?) => {
        impl $crate::hash::StateHash for $name {
            fn state_hash<S: $crate::hash::HashSink>(&self, hasher: &mut S) {
                let Self { $($field),* } = self;
                $($crate::codec::plain_struct!(@hash $field, hasher $(, $mark $($since)?)?);)*
            }
        }

        impl $crate::codec::Encode for $name {
            fn encode(&self, encoder: &mut $crate::codec::Encoder) {
                let Self { $($field),* } = self;
                $($crate::codec::plain_struct!(@encode $field, encoder $(, $mark $($since)?)?);)*
            }
        }

        impl $crate::codec::Decode for $name {
            fn decode(decoder: &mut $crate::codec::Decoder<'_>) -> Result<Self, $crate::codec::DecodeError> {
                let value = Self { $($field: $crate::codec::plain_struct!(@decode decoder $(, $mark $($since)?)?)),* };
                $($check(&value).map_err(|what| decoder.invalid(what))?;)?
                Ok(value)
            }
        }
    };
    (@hash $field:ident, $hasher:ident) => { $crate::hash::StateHash::state_hash($field, $hasher) };
    (@hash $field:ident, $hasher:ident, derived) => { $crate::hash::StateHash::state_hash($field, $hasher) };
    (@hash $field:ident, $hasher:ident, unhashed) => { let _ = $field; };
    (@hash $field:ident, $hasher:ident, index) => { let _ = $field; };
    (@hash $field:ident, $hasher:ident, since $version:literal) => {
        if !$crate::codec::is_default($field) {
            $crate::hash::StateHash::state_hash(stringify!($field), $hasher);
            $crate::hash::StateHash::state_hash($field, $hasher);
        }
    };
    (@hash $field:ident, $hasher:ident, unhashed_since $version:literal) => { let _ = $field; };
    (@encode $field:ident, $encoder:ident) => { $crate::codec::Encode::encode($field, $encoder) };
    (@encode $field:ident, $encoder:ident, unhashed) => { $crate::codec::Encode::encode($field, $encoder) };
    (@encode $field:ident, $encoder:ident, derived) => { let _ = $field; };
    (@encode $field:ident, $encoder:ident, index) => { let _ = $field; };
    (@encode $field:ident, $encoder:ident, since $version:literal) => {
        $crate::codec::Encode::encode($field, $encoder)
    };
    (@encode $field:ident, $encoder:ident, unhashed_since $version:literal) => {
        $crate::codec::Encode::encode($field, $encoder)
    };
    (@decode $decoder:ident) => { $crate::codec::Decode::decode($decoder)? };
    (@decode $decoder:ident, unhashed) => { $crate::codec::Decode::decode($decoder)? };
    (@decode $decoder:ident, derived) => { Default::default() };
    (@decode $decoder:ident, index) => { Default::default() };
    (@decode $decoder:ident, unhashed_since $version:literal) => {
        $crate::codec::plain_struct!(@decode $decoder, since $version)
    };
    (@decode $decoder:ident, since $version:literal) => {
        if $decoder.version() >= $version { $crate::codec::Decode::decode($decoder)? } else { Default::default() }
    };
}
pub(crate) use plain_struct;

/// Implements [`Clone`] for a struct, field by field, with a `clone_from` that reuses the allocations of each
/// field (I6).
macro_rules! cloned_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl Clone for $name {
            fn clone(&self) -> Self {
                let Self { $($field),* } = self;
                Self { $($field: Clone::clone($field)),* }
            }

            fn clone_from(&mut self, source: &Self) {
                #[allow(unused_imports, reason = "not every struct has fields of both kinds")]
                use $crate::codec::overwrite::{Over, OverwriteBits as _, OverwriteClone as _};

                let Self { $($field),* } = source;
                $((&mut Over(&mut self.$field)).write($field);)*
            }
        }
    };
}
pub(crate) use cloned_struct;

/// Implements [`StateHash`](crate::hash::StateHash), [`Encode`](super::Encode), [`Decode`](super::Decode) and
/// [`Debug`](core::fmt::Debug) for a type whose encoding differs from its fields: a list of parts in the
/// order of the format, each with an expression for it, and how the decoded parts become the type again.
/// Marks are those of [`plain_struct`], with `since4` for a part added in format version 4. Patterns after
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
    (@of $part:ident) => { $part };
    (@of $part:ident: $of:expr) => { $of };
    (@hash [index] $($rest:tt)*) => {};
    (@hash [unhashed] $($rest:tt)*) => {};
    (@hash [since $version:literal] $hasher:ident, $part:ident) => {
        $crate::codec::plain_struct!(@hash $part, $hasher, since $version)
    };
    (@hash [since $version:literal] $hasher:ident, $part:ident: $of:expr) => {
        if !$crate::codec::is_default(&$of) {
            $crate::hash::StateHash::state_hash(stringify!($part), $hasher);
            $crate::hash::StateHash::state_hash(&$of, $hasher);
        }
    };
    (@hash [$($derived:ident)?] $hasher:ident, $($part:tt)*) => {
        $crate::hash::StateHash::state_hash(&$crate::codec::plain_parts!(@of $($part)*), $hasher)
    };
    (@encode [index] $($rest:tt)*) => {};
    (@encode [derived] $($rest:tt)*) => {};
    (@encode [since $version:literal] $encoder:ident, $part:ident) => {
        $crate::codec::Encode::encode($part, $encoder)
    };
    (@encode [since $version:literal] $encoder:ident, $part:ident: $of:expr) => {
        $crate::codec::Encode::encode(&$of, $encoder)
    };
    (@encode [$($unhashed:ident)?] $encoder:ident, $($part:tt)*) => {
        $crate::codec::Encode::encode(&$crate::codec::plain_parts!(@of $($part)*), $encoder)
    };
    (@decode [index] $($rest:tt)*) => {};
    (@decode [derived] $($rest:tt)*) => {};
    (@decode [since $version:literal] $decoder:ident, $part:ident) => {
        let $part = $crate::codec::plain_struct!(@decode $decoder, since $version);
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

/// Implements [`StateHash`](crate::hash::StateHash), [`Encode`](super::Encode) and [`Decode`](super::Decode)
/// for an enum: a byte for the variant, then its fields. The bytes are part of the format: never reuse one
/// for another variant.
macro_rules! plain_enum {
    ($name:ident { $($index:literal => $variant:ident $(($($item:ident),*))? $({$($field:ident),* $(,)?})?),* $(,)? }) => {
        $crate::hash::state_hash_enum!($name {
            $($index => $variant $(($($item),*))? $({ $($field),* })?),*
        });

        impl $crate::codec::Encode for $name {
            fn encode(&self, encoder: &mut $crate::codec::Encoder) {
                match self {
                    $(Self::$variant $(($($item),*))? $({$($field),*})? => {
                        encoder.byte($index);
                        $($($crate::codec::Encode::encode($item, encoder);)*)?
                        $($($crate::codec::Encode::encode($field, encoder);)*)?
                    })*
                }
            }
        }

        impl $crate::codec::Decode for $name {
            fn decode(decoder: &mut $crate::codec::Decoder<'_>) -> Result<Self, $crate::codec::DecodeError> {
                let at = decoder.position() as u64;
                // One function per variant, so that recursive values take no more stack than they need.
                type Read<T> = fn(&mut $crate::codec::Decoder<'_>) -> Result<T, $crate::codec::DecodeError>;
                let read: Read<Self> = match decoder.byte()? {
                    $($index => |_decoder| {
                        $($(let $item = $crate::codec::Decode::decode(_decoder)?;)*)?
                        $($(let $field = $crate::codec::Decode::decode(_decoder)?;)*)?
                        Ok(Self::$variant $(($($item),*))? $({$($field),*})?)
                    },)*
                    found => {
                        let kind = $crate::codec::DecodeErrorKind::UnknownVariant { name: stringify!($name), found };
                        return Err($crate::codec::DecodeError { at, kind });
                    }
                };
                read(decoder)
            }
        }
    };
}
pub(crate) use plain_enum;

#[cfg(test)]
mod tests {
    use crate::codec::{Decode, Decoder, Encode, Encoder, to_bytes};
    use crate::hash::StateHasher;

    #[derive(PartialEq, Debug)]
    struct Old {
        name: String,
        size: u32,
    }
    plain_struct!(Old { name, size });

    #[derive(PartialEq, Debug)]
    struct New {
        name: String,
        floor: Option<f64>,
        size: u32,
        seed: u64,
    }
    plain_struct!(New { name, floor: since 2, size, seed: since 3 });

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
