//! Pool of values that queue entries own: the entries stay small, and the memory is reused (I6).

/// Values by key. A key is good for one [`take`](Self::take).
#[derive(Clone, Debug)]
pub(super) struct Pool<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

/// Key of a value in a [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PoolKey(u32);

impl<T> Pool<T> {
    /// Stores a value until it is taken.
    pub(super) fn put(&mut self, value: T) -> PoolKey {
        if let Some(at) = self.free.pop() {
            self.values[at as usize] = Some(value);
            return PoolKey(at);
        }
        self.values.push(Some(value));
        PoolKey(self.values.len() as u32 - 1)
    }

    /// Removes a value; `None` if it was taken before.
    pub(super) fn take(&mut self, PoolKey(at): PoolKey) -> Option<T> {
        let value = self.values.get_mut(at as usize)?.take()?;
        self.free.push(at);
        Some(value)
    }

    /// Drops all values and keeps the allocated memory.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.free.clear();
    }
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_value_is_gone_and_its_place_is_reused() {
        let mut pool = Pool::default();
        let (first, second) = (pool.put("first"), pool.put("second"));
        assert_eq!(pool.take(first), Some("first"));
        assert_eq!(pool.take(first), None);
        assert_eq!(pool.put("third"), first);
        assert_eq!(pool.take(second), Some("second"));
    }
}
