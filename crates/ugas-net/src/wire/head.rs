//! Who a controller is: [`Head`].

use ugas_core::id::{ActorId, AttributeSetId, TemplateId};
use ugas_core::mirror::Head;
use ugas_core::targeting::Team;

use super::error::EncodeError;
use super::group;
use super::values::{Decoder, Encoder, at_most};
use crate::bits::{WireError, WireErrorKind};
use crate::limits::{MAX_SETS, MAX_TEAM_NAME};

impl Encoder<'_> {
    pub(super) fn head(&mut self, head: &Head) -> Result<(), EncodeError> {
        self.option(head.template, |this, template| {
            this.bits.varint(u64::from(template.index()), group::DEFINITION);
            Ok(())
        })?;
        for actor in [head.owner, head.avatar] {
            self.option(actor, |this, actor| {
                this.bits.varint(actor.0, group::ACTOR);
                Ok(())
            })?;
        }
        self.sets(&head.sets)?;
        self.option(head.team.as_ref(), |this, team| {
            this.bytes("bytes of a team's name", team.name().as_bytes(), MAX_TEAM_NAME)
        })
    }

    /// Each by how many are left out before it.
    fn sets(&mut self, sets: &[AttributeSetId]) -> Result<(), EncodeError> {
        at_most("attribute sets", sets.len(), MAX_SETS)?;
        self.bits.varint(sets.len() as u64, group::SETS);
        let mut next = 0;
        for set in sets {
            let gap =
                u64::from(set.index()).checked_sub(next).ok_or(EncodeError::Unsorted("attribute sets"))?;
            self.bits.varint(gap, group::DEFINITION);
            next = u64::from(set.index()) + 1;
        }
        Ok(())
    }
}

impl Decoder<'_> {
    pub(super) fn head(&mut self) -> Result<Head, WireError> {
        Ok(Head {
            template: self.option(|this| this.bits.small(group::DEFINITION).map(TemplateId::from_index))?,
            owner: self.option(Self::actor)?,
            avatar: self.option(Self::actor)?,
            sets: self.sets()?,
            team: self.option(|this| this.text("bytes of a team's name", MAX_TEAM_NAME).map(Team::new))?,
        })
    }

    fn actor(&mut self) -> Result<ActorId, WireError> {
        self.bits.varint(group::ACTOR).map(ActorId)
    }

    fn sets(&mut self) -> Result<Vec<AttributeSetId>, WireError> {
        let bits_each = u64::from(group::DEFINITION + 1);
        let count = self.bits.count("attribute sets", group::SETS, MAX_SETS, bits_each)?;
        let mut sets = Vec::with_capacity(count);
        let mut next = 0u64;
        for _ in 0..count {
            let too_large = self.bits.error(WireErrorKind::TooLarge);
            let set = next.checked_add(self.bits.varint(group::DEFINITION)?).ok_or(too_large)?;
            sets.push(AttributeSetId::from_index(u32::try_from(set).map_err(|_| too_large)?));
            next = set + 1;
        }
        Ok(sets)
    }
}
