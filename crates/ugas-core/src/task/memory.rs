//! State of custom tasks as numbers, which snapshots, hashes and the network carry (I1).

/// A value that a custom task keeps between its calls. Implemented for numbers, truth values, options, arrays, lists and
/// tuples; implement it for a type of your own by writing its parts in order.
///
/// ```
/// use ugas_core::task::TaskMemory;
///
/// struct Combo { hits: u32, best: f64 }
///
/// impl TaskMemory for Combo {
///     fn write(&self, push: &mut dyn FnMut(f64)) {
///         (self.hits, self.best).write(push);
///     }
///
///     fn read(numbers: &mut &[f64]) -> Option<Self> {
///         let (hits, best) = TaskMemory::read(numbers)?;
///         Some(Self { hits, best })
///     }
/// }
/// ```
pub trait TaskMemory: Sized {
    /// Passes the numbers of the value to `push`, in order.
    fn write(&self, push: &mut dyn FnMut(f64));

    /// Reads a value from the front of `numbers`, and leaves the rest; `None` if they are not of such a value.
    fn read(numbers: &mut &[f64]) -> Option<Self>;
}

/// Takes the first number.
fn take(numbers: &mut &[f64]) -> Option<f64> {
    let (first, rest) = numbers.split_first()?;
    *numbers = rest;
    Some(*first)
}

impl TaskMemory for f64 {
    fn write(&self, push: &mut dyn FnMut(f64)) {
        push(*self);
    }

    fn read(numbers: &mut &[f64]) -> Option<Self> {
        take(numbers)
    }
}

impl TaskMemory for bool {
    fn write(&self, push: &mut dyn FnMut(f64)) {
        push(f64::from(*self));
    }

    fn read(numbers: &mut &[f64]) -> Option<Self> {
        take(numbers).map(|number| number != 0.0)
    }
}

/// Integers that a number holds exactly.
macro_rules! integers {
    ($($type:ty)*) => {$(
        impl TaskMemory for $type {
            fn write(&self, push: &mut dyn FnMut(f64)) {
                push(f64::from(*self));
            }

            fn read(numbers: &mut &[f64]) -> Option<Self> {
                let number = take(numbers)?;
                let value = number as Self;
                (f64::from(value) == number).then_some(value)
            }
        }
    )*};
}

integers!(u8 u16 u32 i8 i16 i32);

impl<T: TaskMemory> TaskMemory for Option<T> {
    fn write(&self, push: &mut dyn FnMut(f64)) {
        self.is_some().write(push);
        if let Some(value) = self {
            value.write(push);
        }
    }

    fn read(numbers: &mut &[f64]) -> Option<Self> {
        if bool::read(numbers)? { T::read(numbers).map(Some) } else { Some(None) }
    }
}

/// All numbers that are left: only the last part of a value can be a list.
impl TaskMemory for Vec<f64> {
    fn write(&self, push: &mut dyn FnMut(f64)) {
        self.iter().for_each(|number| push(*number));
    }

    fn read(numbers: &mut &[f64]) -> Option<Self> {
        Some(std::mem::take(numbers).to_vec())
    }
}

impl<T: TaskMemory, const N: usize> TaskMemory for [T; N] {
    fn write(&self, push: &mut dyn FnMut(f64)) {
        self.iter().for_each(|value| value.write(push));
    }

    fn read(numbers: &mut &[f64]) -> Option<Self> {
        let values: Option<Vec<T>> = (0..N).map(|_| T::read(numbers)).collect();
        values?.try_into().ok()
    }
}

macro_rules! tuples {
    ($(($($name:ident $at:tt),*))*) => {$(
        impl<$($name: TaskMemory),*> TaskMemory for ($($name,)*) {
            fn write(&self, push: &mut dyn FnMut(f64)) {
                $(self.$at.write(push);)*
            }

            fn read(numbers: &mut &[f64]) -> Option<Self> {
                Some(($($name::read(numbers)?,)*))
            }
        }
    )*};
}

tuples! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers<T: TaskMemory>(value: &T) -> Vec<f64> {
        let mut numbers = Vec::new();
        value.write(&mut |number| numbers.push(number));
        numbers
    }

    #[test]
    fn value_is_read_as_written() {
        type State = (u32, Option<f64>, [bool; 2]);
        for state in [(7, Some(2.5), [true, false]), (0, None, [false, true])] {
            let written = numbers::<State>(&state);
            let mut rest = &written[..];
            assert_eq!(State::read(&mut rest), Some(state));
            assert!(rest.is_empty());
        }
        assert_eq!(numbers::<State>(&(7, Some(2.5), [true, false])), [7.0, 1.0, 2.5, 1.0, 0.0]);
    }

    #[test]
    fn numbers_of_another_value_are_refused() {
        assert_eq!(u32::read(&mut &[1.5][..]), None);
        assert_eq!(u8::read(&mut &[256.0][..]), None);
        assert_eq!(i8::read(&mut &[-129.0][..]), None);
        assert_eq!(<(f64, f64)>::read(&mut &[1.0][..]), None);
        assert_eq!(Option::<f64>::read(&mut &[1.0][..]), None);
    }
}
