//! The bonuses of multiply channels (M2), summed by channel.

use smallvec::SmallVec;

use crate::id::ChannelId;

/// Number of channels up to which the search is linear; more use a hash table.
const FEW: usize = 16;

/// Mark of a free slot of the table.
const FREE: u32 = u32::MAX;

/// One sum for each channel, in the order of first occurrence: the product is taken in this order, and its
/// last bits depend on it.
#[derive(Default)]
pub(super) struct ChannelSums {
    pub(super) sums: SmallVec<[(ChannelId, f64); FEW]>,
    /// Indices into `sums`: a hash table with open addressing, at most half full. Empty while there are few
    /// channels.
    table: Vec<u32>,
}

impl ChannelSums {
    /// Adds a bonus to its channel. A new channel goes to the end of the order.
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

    /// Index of the sum of a channel; otherwise, the free slot of the table for it.
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

    /// Rebuilds the hash table, at most a quarter full. Called when the channels become many, and then
    /// whenever it is half full.
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

/// Hash of a channel id, whose lower bits depend on all bits of the id: ids with a common step must not
/// collide.
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
        fn channel_sums_agree_with_a_linear_list(
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
