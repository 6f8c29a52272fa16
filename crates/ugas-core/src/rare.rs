//! What few records have: a pointer to it, or a number beside a bit that says whether there is one.

use core::fmt;
use std::sync::Arc;

/// Fields that most records leave alone, in the space of a pointer. There is one form for each content: fields that say
/// nothing are no fields, so that equal records are equal, hash alike and are written alike.
///
/// Copies share the fields until one of them changes: a copy of a record does not allocate (I6).
pub(crate) struct Rare<T>(Option<Arc<T>>);

impl<T> Rare<T> {
    pub(crate) const NONE: Self = Self(None);

    /// The fields, if one of them says something.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }

    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Clone + Default + PartialEq> Rare<T> {
    pub(crate) fn new(fields: T) -> Self {
        if fields == T::default() { Self::NONE } else { Self(Some(Arc::new(fields))) }
    }

    /// Changes the fields.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut T)) {
        let mut fields = self.0.take().unwrap_or_default();
        change(Arc::make_mut(&mut fields));
        self.0 = Some(fields).filter(|fields| **fields != T::default());
    }

    /// Writes one field, which says nothing if it is none.
    pub(crate) fn set<V>(&mut self, value: Option<V>, field: impl FnOnce(&mut T) -> &mut Option<V>) {
        if value.is_some() || !self.is_none() {
            self.change(|fields| *field(fields) = value);
        }
    }
}

impl<T> Clone for Rare<T> {
    #[inline]
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Most are nothing, before and after.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        if self.0.is_some() || source.0.is_some() {
            self.0 = source.0.clone();
        }
    }
}

impl<T> Default for Rare<T> {
    #[inline]
    fn default() -> Self {
        Self::NONE
    }
}

impl<T: PartialEq> PartialEq for Rare<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Rare<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Numbers that there may not be, each with a bit in `known`: beside a word of its own that says so, each would take the space
/// of two. One that there is not is zero, so that equal records are equal.
macro_rules! optional_numbers {
    ($($(#[$doc:meta])* $visibility:vis $field:ident, $set:ident: $bit:expr, $kind:ty = $none:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        $visibility fn $field(&self) -> Option<$kind> {
            (self.known & $bit != 0).then_some(self.$field)
        }

        #[doc = concat!("Sets or forgets [`Self::", stringify!($field), "`].")]
        #[inline]
        $visibility fn $set(&mut self, value: Option<$kind>) {
            self.known = if value.is_some() { self.known | $bit } else { self.known & !$bit };
            self.$field = value.unwrap_or($none);
        }
    )*};
}
pub(crate) use optional_numbers;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, PartialEq, Debug, Default)]
    struct Fields {
        one: Option<u8>,
        other: Option<u8>,
    }

    #[test]
    fn fields_that_say_nothing_are_none() {
        assert_eq!(Rare::new(Fields::default()), Rare::NONE);
        let mut fields = Rare::NONE;
        fields.set(None, |fields: &mut Fields| &mut fields.one);
        assert!(fields.is_none());
        fields.set(Some(7), |fields| &mut fields.one);
        assert_eq!(fields.get(), Some(&Fields { one: Some(7), other: None }));
        fields.set(None, |fields| &mut fields.one);
        assert!(fields.is_none());
    }

    #[test]
    fn copies_share_until_one_changes() {
        let fields = Rare::new(Fields { one: Some(1), other: None });
        let mut copy = Rare::NONE;
        copy.clone_from(&fields);
        assert!(core::ptr::eq(fields.get().unwrap(), copy.get().unwrap()));
        copy.set(Some(2), |fields| &mut fields.other);
        assert_eq!(fields.get(), Some(&Fields { one: Some(1), other: None }));
        assert_eq!(copy.get(), Some(&Fields { one: Some(1), other: Some(2) }));
    }
}
