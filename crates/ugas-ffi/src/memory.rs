//! Access to the caller's memory: the only module that dereferences pointers from C.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, align_of, size_of};

use crate::status::{Failure, Outcome, ugas_status};

/// Text: UTF-8 with a length in bytes. A null pointer with length 0 is the empty text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_str {
    /// The first byte.
    pub data: *const core::ffi::c_char,
    /// Length in bytes.
    pub length: usize,
}

/// Bytes with a length.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_bytes {
    /// The first byte.
    pub data: *const u8,
    /// Length in bytes.
    pub length: usize,
}

impl ugas_str {
    /// The empty text.
    pub(crate) const EMPTY: Self = Self { data: core::ptr::null(), length: 0 };
}

impl Default for ugas_str {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl From<&str> for ugas_str {
    /// Points to the text in place; the function that creates it documents how long it is valid.
    fn from(text: &str) -> Self {
        Self { data: text.as_ptr().cast(), length: text.len() }
    }
}

impl From<&[u8]> for ugas_bytes {
    /// Points to the bytes in place; the function that creates it documents how long they are valid.
    fn from(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr(), length: bytes.len() }
    }
}

/// A structure that C and Rust lay out alike and whose every bit pattern is a value.
///
/// # Safety
/// `repr(C)` or a number, and made of numbers, pointers and such structures only.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: numbers.
unsafe impl Plain for u8 {}
// SAFETY: numbers.
unsafe impl Plain for u32 {}
// SAFETY: numbers.
unsafe impl Plain for u64 {}
// SAFETY: numbers.
unsafe impl Plain for usize {}
// SAFETY: numbers.
unsafe impl Plain for i64 {}
// SAFETY: numbers.
unsafe impl Plain for f64 {}
// SAFETY: a pointer and a number.
unsafe impl Plain for ugas_str {}
// SAFETY: a pointer and a number.
unsafe impl Plain for ugas_bytes {}

/// A structure that begins with its size in bytes, as a `usize`, which the caller sets.
///
/// # Safety
/// As [`Plain`], and its first field is the `usize`.
pub(crate) unsafe trait SizePrefixed: Plain {}

/// Maximum size of a structure in bytes. No structure of this interface comes near it; a larger size is an
/// error of the caller.
const LARGEST: usize = 4096;

/// Permission to dereference the pointers of one call from C.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a>(PhantomData<&'a ()>);

impl<'a> Memory<'a> {
    /// # Safety
    /// All pointers that are given to its methods come from the caller of one C function, who guarantees that
    /// each of them is null or points to as much memory as the header says, for the duration of the call.
    pub(crate) unsafe fn of_call() -> Self {
        Self(PhantomData)
    }

    /// A text of the caller.
    pub(crate) fn text(self, text: ugas_str) -> Outcome<&'a str> {
        let bytes = self.list(text.data.cast::<u8>(), text.length)?;
        core::str::from_utf8(bytes)
            .map_err(|error| Failure::new(ugas_status::BadString, format!("the text is not UTF-8: {error}")))
    }

    /// A list of the caller.
    pub(crate) fn list<T: Plain>(self, data: *const T, length: usize) -> Outcome<&'a [T]> {
        if length == 0 {
            return Ok(&[]);
        }
        check(data, length)?;
        // SAFETY: not null, aligned and not too long, checked above; `of_call` promises the rest.
        Ok(unsafe { core::slice::from_raw_parts(data, length) })
    }

    /// A buffer for a fixed number of results that are written in bulk.
    pub(crate) fn block<T: Plain>(self, data: *mut T, length: usize) -> Outcome<&'a mut [MaybeUninit<T>]> {
        if length == 0 {
            return Ok(&mut []);
        }
        check(data.cast_const(), length)?;
        // SAFETY: not null, aligned and not too long, checked above; it need not be initialised; `of_call` promises the
        // rest.
        Ok(unsafe { core::slice::from_raw_parts_mut(data.cast(), length) })
    }

    /// A result pointer.
    pub(crate) fn out<T: Plain>(self, pointer: *mut T) -> Outcome<OutValue<'a, T>> {
        check(pointer.cast_const(), 1)?;
        Ok(OutValue { pointer, memory: PhantomData })
    }

    /// A result pointer that may be null.
    pub(crate) fn optional<T: Plain>(self, pointer: *mut T) -> Outcome<Option<OutValue<'a, T>>> {
        if pointer.is_null() { Ok(None) } else { self.out(pointer).map(Some) }
    }

    /// A result pointer to a structure that begins with its size.
    pub(crate) fn out_sized<T: SizePrefixed>(self, pointer: *mut T) -> Outcome<OutStruct<'a, T>> {
        let size = self.size_of(pointer.cast_const())?;
        Ok(OutStruct { pointer: pointer.cast(), size, memory: PhantomData, item: PhantomData })
    }

    /// Reads a structure that begins with its size. Fields that an older caller does not know become zero;
    /// fields that this library does not know must be zero.
    pub(crate) fn input<T: SizePrefixed>(self, pointer: *const T) -> Outcome<T> {
        let size = self.size_of(pointer)?;
        let bytes = self.list(pointer.cast::<u8>(), size)?;
        if bytes.iter().skip(size_of::<T>()).any(|&byte| byte != 0) {
            return Err(Failure::new(
                ugas_status::BadStruct,
                "the structure sets fields that this library does not know: use a newer library",
            ));
        }
        let mut value = MaybeUninit::<T>::zeroed();
        let known = size.min(size_of::<T>());
        // SAFETY: `bytes` has at least `known` bytes and `value` has room for them; every bit pattern, the zeros that
        // are left included, is a value of `T` (`Plain`).
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), value.as_mut_ptr().cast::<u8>(), known);
            Ok(value.assume_init())
        }
    }

    /// [`Self::input`], or all zeros for a null pointer.
    pub(crate) fn optional_input<T: SizePrefixed>(self, pointer: *const T) -> Outcome<T> {
        if !pointer.is_null() {
            return self.input(pointer);
        }
        // SAFETY: every bit pattern is a value of `T` (`Plain`).
        Ok(unsafe { MaybeUninit::<T>::zeroed().assume_init() })
    }

    /// A list of results, of which the caller accepts at most `capacity`.
    pub(crate) fn handles<T: Plain>(
        self,
        data: *mut T,
        capacity: usize,
        count: *mut usize,
    ) -> Outcome<OutRows<'a, T>> {
        self.rows(data, size_of::<T>(), capacity, count)
    }

    /// A list of structures that occupy `row_size` bytes each in the caller's memory.
    pub(crate) fn rows<T: Plain>(
        self,
        data: *mut T,
        row_size: usize,
        capacity: usize,
        count: *mut usize,
    ) -> Outcome<OutRows<'a, T>> {
        let count = self.out(count)?;
        let is_possible = (1..=LARGEST).contains(&row_size) && capacity <= isize::MAX as usize / LARGEST;
        if !is_possible {
            return Err(Failure::new(
                ugas_status::BadStruct,
                format!("{capacity} rows of {row_size} bytes are not possible"),
            ));
        }
        if capacity > 0 && data.is_null() {
            return Err(null());
        }
        Ok(OutRows { data: data.cast(), row_size, capacity, count, written: 0, item: PhantomData })
    }

    fn size_of<T: SizePrefixed>(self, pointer: *const T) -> Outcome<usize> {
        if pointer.is_null() {
            return Err(null());
        }
        // SAFETY: not null, and it begins with a `usize` (`SizePrefixed`); alignment is not asked for.
        let size = unsafe { pointer.cast::<usize>().read_unaligned() };
        if (size_of::<usize>()..=LARGEST).contains(&size) {
            return Ok(size);
        }
        Err(Failure::new(
            ugas_status::BadStruct,
            format!("the size of a structure is {size}: set `size` to sizeof of its type"),
        ))
    }
}

/// A checked result pointer.
pub(crate) struct OutValue<'a, T> {
    pointer: *mut T,
    memory: PhantomData<&'a mut T>,
}

impl<T: Plain> OutValue<'_, T> {
    pub(crate) fn set(self, value: T) {
        // SAFETY: checked by `out`, and valid for the duration of the call; it need not be initialised.
        unsafe { self.pointer.write(value) }
    }
}

/// A checked result pointer to a structure that begins with its size.
pub(crate) struct OutStruct<'a, T> {
    pointer: *mut u8,
    size: usize,
    memory: PhantomData<&'a mut u8>,
    item: PhantomData<T>,
}

impl<T: SizePrefixed> OutStruct<'_, T> {
    /// Writes the fields that the caller knows, except the size, and zeros for fields that this library does
    /// not know.
    pub(crate) fn set(self, value: T) {
        let head = size_of::<usize>();
        let known = self.size.min(size_of::<T>());
        let value = &raw const value;
        // SAFETY: the caller has `size` bytes there, `value` has at least `known`, and `head <= known`.
        unsafe {
            let from = value.cast::<u8>().add(head);
            core::ptr::copy_nonoverlapping(from, self.pointer.add(head), known - head);
            core::ptr::write_bytes(self.pointer.add(known), 0, self.size - known);
        }
    }
}

/// A checked list of results. Writes as many rows as fit, and the total count.
pub(crate) struct OutRows<'a, T> {
    data: *mut u8,
    row_size: usize,
    capacity: usize,
    count: OutValue<'a, usize>,
    written: usize,
    item: PhantomData<T>,
}

impl<T: Plain> OutRows<'_, T> {
    /// Number of rows that still fit.
    pub(crate) fn left(&self) -> usize {
        self.capacity.saturating_sub(self.written)
    }

    /// Writes a row if it fits, and counts it in any case.
    pub(crate) fn push(&mut self, value: T) {
        if self.written < self.capacity {
            let known = self.row_size.min(size_of::<T>());
            let value = &raw const value;
            // SAFETY: the caller has `capacity` rows of `row_size` bytes there, and `written` is less; `value` has at
            // least `known` bytes.
            unsafe {
                let row = self.data.add(self.written * self.row_size);
                core::ptr::copy_nonoverlapping(value.cast::<u8>(), row, known);
                core::ptr::write_bytes(row.add(known), 0, self.row_size - known);
            }
        }
        self.written += 1;
    }

    /// Writes the total count.
    pub(crate) fn finish(self) {
        self.count.set(self.written);
    }

    /// Writes all rows that fit, and the total count.
    pub(crate) fn fill(mut self, values: impl IntoIterator<Item = T>) {
        for value in values {
            self.push(value);
        }
        self.finish();
    }
}

fn null() -> Failure {
    Failure::new(ugas_status::NullPointer, "a pointer is null that must not be")
}

fn check<T>(data: *const T, length: usize) -> Outcome {
    if data.is_null() {
        return Err(null());
    }
    if !data.addr().is_multiple_of(align_of::<T>()) {
        return Err(Failure::argument("a pointer is not aligned for what it points to"));
    }
    if length > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("a list of {length} elements does not fit into memory")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Two {
        size: usize,
        one: u64,
        two: u64,
    }

    // SAFETY: numbers.
    unsafe impl Plain for Two {}
    // SAFETY: it begins with its size.
    unsafe impl SizePrefixed for Two {}

    fn memory() -> Memory<'static> {
        // SAFETY: the tests pass valid pointers.
        unsafe { Memory::of_call() }
    }

    #[test]
    fn structure_of_an_older_caller_is_completed_with_zeros() {
        let older = Two { size: 16, one: 5, two: 6 };
        assert_eq!(memory().input(&raw const older).unwrap(), Two { size: 16, one: 5, two: 0 });
        let mut out = Two { size: 16, one: 0, two: 9 };
        memory().out_sized(&raw mut out).unwrap().set(Two { size: 24, one: 1, two: 2 });
        assert_eq!(out, Two { size: 16, one: 1, two: 9 });
    }

    #[test]
    fn structure_of_a_newer_caller_must_leave_unknown_fields_zero() {
        let mut newer = [32_u64, 5, 6, 0];
        let pointer = newer.as_ptr().cast::<Two>();
        assert_eq!(memory().input(pointer).unwrap(), Two { size: 32, one: 5, two: 6 });
        newer[3] = 1;
        let failure = memory().input(newer.as_ptr().cast::<Two>()).unwrap_err();
        assert_eq!(failure.status, ugas_status::BadStruct);
        memory().out_sized(newer.as_mut_ptr().cast::<Two>()).unwrap().set(Two { size: 24, one: 1, two: 2 });
        assert_eq!(newer, [32, 1, 2, 0]);
    }

    #[test]
    fn sizes_and_pointers_are_checked() {
        for size in [0, 7, 5000] {
            let wrong = Two { size, one: 0, two: 0 };
            assert_eq!(memory().input(&raw const wrong).unwrap_err().status, ugas_status::BadStruct);
        }
        let null = core::ptr::null::<Two>();
        assert_eq!(memory().input(null).unwrap_err().status, ugas_status::NullPointer);
        assert_eq!(memory().optional_input(null).unwrap(), Two { size: 0, one: 0, two: 0 });
        let bytes = [0_u64; 2];
        let unaligned = bytes.as_ptr().cast::<u8>().wrapping_add(1).cast::<u64>();
        assert_eq!(memory().list(unaligned, 1).unwrap_err().status, ugas_status::BadArgument);
        assert_eq!(memory().list(bytes.as_ptr(), usize::MAX).unwrap_err().status, ugas_status::BadArgument);
        assert_eq!(memory().text(ugas_str::EMPTY).unwrap(), "");
        let latin = [0xE4_u8];
        let latin = ugas_str { data: latin.as_ptr().cast(), length: 1 };
        assert_eq!(memory().text(latin).unwrap_err().status, ugas_status::BadString);
    }

    #[test]
    fn list_writes_rows_that_fit_and_counts_all() {
        let (mut rows, mut count) = ([7_u64; 3], 0);
        memory().handles(rows.as_mut_ptr(), 2, &raw mut count).unwrap().fill([1, 2, 3]);
        assert_eq!((rows, count), ([1, 2, 7], 3));
        memory().handles(core::ptr::null_mut::<u64>(), 0, &raw mut count).unwrap().fill([1]);
        assert_eq!(count, 1);
        // Rows of another version: narrower rows get the first fields, wider rows are padded with zeros.
        let mut narrow = [9_u32; 4];
        memory().rows(narrow.as_mut_ptr().cast::<u64>(), 4, 2, &raw mut count).unwrap().fill([1, 2]);
        assert_eq!(narrow, [1, 2, 9, 9]);
        let mut wide = [9_u64; 4];
        memory().rows(wide.as_mut_ptr(), 16, 2, &raw mut count).unwrap().fill([1, 2]);
        assert_eq!(wide, [1, 0, 2, 0]);
    }
}
