//! A sum over a vector, and dependent values in a fixed order.

/// Modifiers that add to one base value.
pub(crate) struct Modifiers {
    base: f64,
    added: Vec<f64>,
}

impl Modifiers {
    pub(crate) fn new(base: f64, count: usize) -> Self {
        let mut added = Vec::with_capacity(count + 1);
        added.resize(count, 1.0);
        Self { base, added }
    }

    pub(crate) fn add(&mut self, value: f64) {
        self.added.push(value);
    }

    pub(crate) fn remove_last(&mut self) {
        self.added.pop();
    }

    pub(crate) fn value(&self) -> f64 {
        self.added.iter().fold(self.base, |sum, value| sum + value)
    }
}

/// A root and its dependent values, hand-written.
pub(crate) struct Derived {
    values: Vec<f64>,
    follow: fn(&mut [f64]),
}

impl Derived {
    /// A root with `count` values that `follow` computes.
    pub(crate) fn new(count: usize, follow: fn(&mut [f64])) -> Self {
        Self { values: vec![0.0; count + 1], follow }
    }

    /// Sets the root and evaluates the others.
    pub(crate) fn set(&mut self, root: f64) {
        self.values[0] = root;
        (self.follow)(&mut self.values);
    }

    pub(crate) fn value(&self, at: usize) -> f64 {
        self.values[at]
    }
}
