//! The caller's memory: the only place where pointers from C are followed.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, align_of, size_of};

use crate::status::{Failure, Outcome, ugas_status};

/// Text: UTF-8 with a length in bytes. A null pointer with length 0 is the empty text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_str {
    /// The first byte.
    pub data: *const core::ffi::c_char,
    /// How many bytes there are.
    pub length: usize,
}

/// Bytes with a length.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_bytes {
    /// The first byte.
    pub data: *const u8,
    /// How many bytes there are.
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
    /// The text where it is: whoever makes one says how long it stays there.
    fn from(text: &str) -> Self {
        Self { data: text.as_ptr().cast(), length: text.len() }
    }
}

impl From<&[u8]> for ugas_bytes {
    /// The bytes where they are: whoever makes one says how long they stay there.
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
pub(crate) unsafe trait Headed: Plain {}

/// No structure of this interface comes near it: larger ones are mistakes.
const LARGEST: usize = 4096;

/// The right to follow the pointers of one call from C.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a>(PhantomData<&'a ()>);

impl<'a> Memory<'a> {
    /// # Safety
    /// All pointers that are given to its methods come from the caller of one C function, who vouches that each of them
    /// is null or leads to as much memory as the header says, for as long as the call takes.
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
        // SAFETY: not null, aligned and not too long, checked above; the rest is the promise of `of_call`.
        Ok(unsafe { core::slice::from_raw_parts(data, length) })
    }

    /// Places for a fixed number of results, side by side: what is written in bulk.
    pub(crate) fn block<T: Plain>(self, data: *mut T, length: usize) -> Outcome<&'a mut [MaybeUninit<T>]> {
        if length == 0 {
            return Ok(&mut []);
        }
        check(data.cast_const(), length)?;
        // SAFETY: not null, aligned and not too long, checked above; it need not be initialised; the rest is the promise
        // of `of_call`.
        Ok(unsafe { core::slice::from_raw_parts_mut(data.cast(), length) })
    }

    /// A place for one result.
    pub(crate) fn out<T: Plain>(self, place: *mut T) -> Outcome<Place<'a, T>> {
        check(place.cast_const(), 1)?;
        Ok(Place { place, memory: PhantomData })
    }

    /// A place for a result that the caller need not want.
    pub(crate) fn optional<T: Plain>(self, place: *mut T) -> Outcome<Option<Place<'a, T>>> {
        if place.is_null() { Ok(None) } else { self.out(place).map(Some) }
    }

    /// A place for a structure that begins with its size.
    pub(crate) fn out_sized<T: Headed>(self, place: *mut T) -> Outcome<SizedPlace<'a, T>> {
        let size = self.size_of(place.cast_const())?;
        Ok(SizedPlace { place: place.cast(), size, memory: PhantomData, item: PhantomData })
    }

    /// A structure that begins with its size. What an older caller does not know is zero; a newer one must not use what
    /// is not known here.
    pub(crate) fn input<T: Headed>(self, place: *const T) -> Outcome<T> {
        let size = self.size_of(place)?;
        let bytes = self.list(place.cast::<u8>(), size)?;
        if bytes.iter().skip(size_of::<T>()).any(|&byte| byte != 0) {
            return Err(Failure::new(
                ugas_status::BadStruct,
                "the structure asks for what this library does not know: use a newer library",
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

    /// The same, or what all zeros mean if there is none.
    pub(crate) fn optional_input<T: Headed>(self, place: *const T) -> Outcome<T> {
        if !place.is_null() {
            return self.input(place);
        }
        // SAFETY: every bit pattern is a value of `T` (`Plain`).
        Ok(unsafe { MaybeUninit::<T>::zeroed().assume_init() })
    }

    /// Room for a list of results, of which the caller wants at most `capacity`.
    pub(crate) fn room<T: Plain>(
        self,
        data: *mut T,
        capacity: usize,
        count: *mut usize,
    ) -> Outcome<Room<'a, T>> {
        self.rows(data, size_of::<T>(), capacity, count)
    }

    /// Room for a list of structures that take `row_size` bytes each at the caller.
    pub(crate) fn rows<T: Plain>(
        self,
        data: *mut T,
        row_size: usize,
        capacity: usize,
        count: *mut usize,
    ) -> Outcome<Room<'a, T>> {
        let count = self.out(count)?;
        let is_possible = (1..=LARGEST).contains(&row_size) && capacity <= isize::MAX as usize / LARGEST;
        if !is_possible {
            return Err(Failure::new(
                ugas_status::BadStruct,
                format!("{capacity} rows of {row_size} bytes are impossible"),
            ));
        }
        if capacity > 0 && data.is_null() {
            return Err(null());
        }
        Ok(Room { data: data.cast(), row_size, capacity, count, written: 0, item: PhantomData })
    }

    fn size_of<T: Headed>(self, place: *const T) -> Outcome<usize> {
        if place.is_null() {
            return Err(null());
        }
        // SAFETY: not null, and it begins with a `usize` (`Headed`); alignment is not asked for.
        let size = unsafe { place.cast::<usize>().read_unaligned() };
        if (size_of::<usize>()..=LARGEST).contains(&size) {
            return Ok(size);
        }
        Err(Failure::new(
            ugas_status::BadStruct,
            format!("the size of a structure is {size}: set `size` to sizeof of its type"),
        ))
    }
}

/// A checked place for one result.
pub(crate) struct Place<'a, T> {
    place: *mut T,
    memory: PhantomData<&'a mut T>,
}

impl<T: Plain> Place<'_, T> {
    pub(crate) fn set(self, value: T) {
        // SAFETY: checked by `out`, and the caller's for as long as the call takes; it need not be initialised.
        unsafe { self.place.write(value) }
    }
}

/// A checked place for a structure that begins with its size.
pub(crate) struct SizedPlace<'a, T> {
    place: *mut u8,
    size: usize,
    memory: PhantomData<&'a mut u8>,
    item: PhantomData<T>,
}

impl<T: Headed> SizedPlace<'_, T> {
    /// Writes as much as the caller knows of, but for the size, and zeros beyond what is known here.
    pub(crate) fn set(self, value: T) {
        let head = size_of::<usize>();
        let known = self.size.min(size_of::<T>());
        let value = &raw const value;
        // SAFETY: the caller has `size` bytes there, `value` has at least `known`, and `head <= known`.
        unsafe {
            let from = value.cast::<u8>().add(head);
            core::ptr::copy_nonoverlapping(from, self.place.add(head), known - head);
            core::ptr::write_bytes(self.place.add(known), 0, self.size - known);
        }
    }
}

/// Checked room for a list. Gives the caller as many as there is room for, and the number of all.
pub(crate) struct Room<'a, T> {
    data: *mut u8,
    row_size: usize,
    capacity: usize,
    count: Place<'a, usize>,
    written: usize,
    item: PhantomData<T>,
}

impl<T: Plain> Room<'_, T> {
    /// How many more fit.
    pub(crate) fn left(&self) -> usize {
        self.capacity.saturating_sub(self.written)
    }

    /// Writes one if there is room, and counts it in any case.
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

    /// Writes the number of all.
    pub(crate) fn finish(self) {
        self.count.set(self.written);
    }

    /// Writes all that fit, and the number of all.
    pub(crate) fn fill(mut self, values: impl IntoIterator<Item = T>) {
        for value in values {
            self.push(value);
        }
        self.finish();
    }
}

fn null() -> Failure {
    Failure::new(ugas_status::NullPointer, "a pointer that must not be null is")
}

fn check<T>(data: *const T, length: usize) -> Outcome {
    if data.is_null() {
        return Err(null());
    }
    if !data.addr().is_multiple_of(align_of::<T>()) {
        return Err(Failure::argument("a pointer is not aligned for what it points to"));
    }
    if length > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("a list of {length} does not fit into memory")));
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
    unsafe impl Headed for Two {}

    fn memory() -> Memory<'static> {
        // SAFETY: the tests give what they have.
        unsafe { Memory::of_call() }
    }

    #[test]
    fn an_older_structure_is_completed_with_zeros() {
        let older = Two { size: 16, one: 5, two: 6 };
        assert_eq!(memory().input(&raw const older).unwrap(), Two { size: 16, one: 5, two: 0 });
        let mut out = Two { size: 16, one: 0, two: 9 };
        memory().out_sized(&raw mut out).unwrap().set(Two { size: 24, one: 1, two: 2 });
        assert_eq!(out, Two { size: 16, one: 1, two: 9 });
    }

    #[test]
    fn a_newer_structure_must_not_use_what_is_not_known() {
        let mut newer = [32_u64, 5, 6, 0];
        let place = newer.as_ptr().cast::<Two>();
        assert_eq!(memory().input(place).unwrap(), Two { size: 32, one: 5, two: 6 });
        newer[3] = 1;
        let refused = memory().input(newer.as_ptr().cast::<Two>()).unwrap_err();
        assert_eq!(refused.status, ugas_status::BadStruct);
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
        let askew = bytes.as_ptr().cast::<u8>().wrapping_add(1).cast::<u64>();
        assert_eq!(memory().list(askew, 1).unwrap_err().status, ugas_status::BadArgument);
        assert_eq!(memory().list(bytes.as_ptr(), usize::MAX).unwrap_err().status, ugas_status::BadArgument);
        assert_eq!(memory().text(ugas_str::EMPTY).unwrap(), "");
        let latin = [0xE4_u8];
        let latin = ugas_str { data: latin.as_ptr().cast(), length: 1 };
        assert_eq!(memory().text(latin).unwrap_err().status, ugas_status::BadString);
    }

    #[test]
    fn a_list_gives_what_fits_and_counts_all() {
        let (mut rows, mut count) = ([7_u64; 3], 0);
        memory().room(rows.as_mut_ptr(), 2, &raw mut count).unwrap().fill([1, 2, 3]);
        assert_eq!((rows, count), ([1, 2, 7], 3));
        memory().room(core::ptr::null_mut::<u64>(), 0, &raw mut count).unwrap().fill([1]);
        assert_eq!(count, 1);
        // Rows of another version: narrower ones get the beginning, wider ones zeros behind it.
        let mut narrow = [9_u32; 4];
        memory().rows(narrow.as_mut_ptr().cast::<u64>(), 4, 2, &raw mut count).unwrap().fill([1, 2]);
        assert_eq!(narrow, [1, 2, 9, 9]);
        let mut wide = [9_u64; 4];
        memory().rows(wide.as_mut_ptr(), 16, 2, &raw mut count).unwrap().fill([1, 2]);
        assert_eq!(wide, [1, 0, 2, 0]);
    }
}
