//! The bonuses of multiply channels (M2), summed by channel.

use smallvec::SmallVec;

use crate::id::ChannelId;

/// So many channels are looked through one by one; more have a table.
const FEW: usize = 16;

/// A place of the table that is free.
const FREE: u32 = u32::MAX;

/// One sum a channel, in the order in which channels are first met: products are taken in this order, and their last
/// bits depend on it.
#[derive(Default)]
pub(super) struct ChannelSums {
    pub(super) sums: SmallVec<[(ChannelId, f64); FEW]>,
    /// Positions among the sums: a hash table with open addressing, at most half full. Empty while there are few.
    table: Vec<u32>,
}

impl ChannelSums {
    pub(super) fn add(&mut self, channel: ChannelId, amount: f64) {
        match self.find(channel) {
            Ok(at) => self.sums[at].1 += amount,
            Err(place) => {
                self.sums.push((channel, amount));
                let count = self.sums.len();
                if count > FEW && count * 2 > self.table.len() {
                    self.build_table();
                } else if let Some(free) = self.table.get_mut(place) {
                    *free = count as u32 - 1;
                }
            }
        }
    }

    /// Where the sum of a channel is; otherwise, which place of the table would be its own.
    fn find(&self, channel: ChannelId) -> Result<usize, usize> {
        if self.table.is_empty() {
            return self.sums.iter().position(|(id, _)| *id == channel).ok_or(usize::MAX);
        }
        let last = self.table.len() - 1;
        let mut place = usize::try_from(spread(channel)).unwrap_or_default() & last;
        loop {
            match self.table[place] {
                FREE => return Err(place),
                at if self.sums[at as usize].0 == channel => return Ok(at as usize),
                _ => place = (place + 1) & last,
            }
        }
    }

    fn build_table(&mut self) {
        let size = (self.sums.len() * 4).next_power_of_two();
        self.table.clear();
        self.table.resize(size, FREE);
        for at in 0..self.sums.len() {
            if let Err(place) = self.find(self.sums[at].0) {
                self.table[place] = at as u32;
            }
        }
    }
}

/// A number whose lower bits depend on all bits of the id: ids with a common step must not share their places.
fn spread(channel: ChannelId) -> u32 {
    let mixed = channel.index().wrapping_mul(0x9E37_79B9);
    mixed ^ mixed >> 16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_are_those_of_a_plain_list(
            bonuses in prop::collection::vec((prop_oneof![0u32..40, any::<u32>()], -1.0..1.0f64), 0..300),
        ) {
            let mut sums = ChannelSums::default();
            let mut expected: Vec<(ChannelId, f64)> = Vec::new();
            for (channel, amount) in bonuses {
                let channel = ChannelId::from_index(channel);
                sums.add(channel, amount);
                match expected.iter_mut().find(|(id, _)| *id == channel) {
                    Some((_, sum)) => *sum += amount,
                    None => expected.push((channel, amount)),
                }
            }
            assert_eq!(&*sums.sums, &*expected);
        }
    }
}
