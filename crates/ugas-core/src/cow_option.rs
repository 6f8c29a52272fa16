//! Optional fields that few records have: shared copy-on-write, or packed as a number and a presence bit.

use core::fmt;
use std::sync::Arc;

/// Optional fields in the space of a pointer. Default fields are always stored as `None`, so that equal
/// records compare, hash and encode alike.
///
/// Copies share the fields until one of them changes: copying a record does not allocate (I6).
pub(crate) struct CowOption<T>(Option<Arc<T>>);

impl<T> CowOption<T> {
    pub(crate) const NONE: Self = Self(None);

    /// The fields, or `None` if all of them have their defaults.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }

    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Clone + Default + PartialEq> CowOption<T> {
    /// Stores the fields; nothing is allocated if all are default.
    pub(crate) fn new(fields: T) -> Self {
        if fields == T::default() { Self::NONE } else { Self(Some(Arc::new(fields))) }
    }

    /// Changes the fields, through a copy of them if they are shared. Fields that all end up default are
    /// freed.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut T)) {
        let mut fields = self.0.take().unwrap_or_default();
        change(Arc::make_mut(&mut fields));
        self.0 = Some(fields).filter(|fields| **fields != T::default());
    }

    /// Writes one field; `None` is its default. Allocates nothing if there is nothing to store.
    pub(crate) fn set<V>(&mut self, value: Option<V>, field: impl FnOnce(&mut T) -> &mut Option<V>) {
        if value.is_some() || !self.is_none() {
            self.change(|fields| *field(fields) = value);
        }
    }
}

impl<T> Clone for CowOption<T> {
    #[inline]
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Skips the reference counts in the usual case that both sides are `None`.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        if self.0.is_some() || source.0.is_some() {
            self.0 = source.0.clone();
        }
    }
}

impl<T> Default for CowOption<T> {
    #[inline]
    fn default() -> Self {
        Self::NONE
    }
}

impl<T: PartialEq> PartialEq for CowOption<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: fmt::Debug> fmt::Debug for CowOption<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Accessors for optional numbers that are stored with a presence bit in `known`, which takes half the space
/// of an `Option`. An absent number is stored as `$none`, so that equal records are equal.
macro_rules! optional_numbers {
    ($($(#[$doc:meta])* $visibility:vis $field:ident, $set:ident: $bit:expr, $kind:ty = $none:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        $visibility fn $field(&self) -> Option<$kind> {
            (self.known & $bit != 0).then_some(self.$field)
        }

        #[doc = concat!("Sets or clears [`Self::", stringify!($field), "`].")]
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
    fn default_fields_are_stored_as_none() {
        assert_eq!(CowOption::new(Fields::default()), CowOption::NONE);
        let mut fields = CowOption::NONE;
        fields.set(None, |fields: &mut Fields| &mut fields.one);
        assert!(fields.is_none());
        fields.set(Some(7), |fields| &mut fields.one);
        assert_eq!(fields.get(), Some(&Fields { one: Some(7), other: None }));
        fields.set(None, |fields| &mut fields.one);
        assert!(fields.is_none());
    }

    #[test]
    fn copies_share_fields_until_one_changes() {
        let fields = CowOption::new(Fields { one: Some(1), other: None });
        let mut copy = CowOption::NONE;
        copy.clone_from(&fields);
        assert!(core::ptr::eq(fields.get().unwrap(), copy.get().unwrap()));
        copy.set(Some(2), |fields| &mut fields.other);
        assert_eq!(fields.get(), Some(&Fields { one: Some(1), other: None }));
        assert_eq!(copy.get(), Some(&Fields { one: Some(1), other: Some(2) }));
    }
}
