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

/// Values of which each is that before it and one more.
pub(crate) struct Chain {
    values: Vec<f64>,
}

impl Chain {
    pub(crate) fn new(length: usize) -> Self {
        Self { values: vec![0.0; length] }
    }

    /// Sets the first and evaluates the others.
    pub(crate) fn set(&mut self, root: f64) {
        let mut value = root;
        for place in &mut self.values {
            *place = value;
            value += 1.0;
        }
    }

    pub(crate) fn last(&self) -> f64 {
        self.values.last().copied().unwrap_or_default()
    }
}
