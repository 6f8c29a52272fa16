//! Preview of targeting for the host to show (GASD §4.11.4).

use super::data::TargetData;
use super::geometry::Area;
use crate::handle::ControllerId;

/// State of unconfirmed targeting, for reticles on targets or a decal on the ground.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TargetPreview {
    /// The area; `None` if the targeting has none or its origin is unknown.
    pub area: Option<Area>,
    /// The targets if it were confirmed now.
    pub targets: TargetData,
}

impl TargetPreview {
    /// Updates to a newer state. Returns whether anything changed, so that a host is notified of changes
    /// only.
    ///
    /// With `keep_while`, targets are persistent (GASD §4.11.2): while there are no new ones, the old ones
    /// stay as long as `keep_while` holds for their controllers. Targets other than controllers stay.
    pub fn update(
        &mut self,
        area: Option<Area>,
        targets: &TargetData,
        keep_while: Option<&dyn Fn(ControllerId) -> bool>,
    ) -> bool {
        let moved = self.area != area;
        self.area = area;
        match keep_while {
            Some(keep) if targets.is_empty() => {
                let before = self.targets.len();
                self.targets.0.retain(|target| target.controller().is_none_or(keep));
                moved || self.targets.len() != before
            }
            _ if self.targets == *targets => moved,
            _ => {
                self.targets.0.clone_from(&targets.0);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targeting::{Placement, Shape};

    fn controller(bits: u64) -> ControllerId {
        ControllerId::from_bits(1 << 32 | bits).unwrap()
    }

    #[test]
    fn gasd_4_11_4_update_reports_changes_only() {
        let mut preview = TargetPreview::default();
        let one = TargetData::from(controller(1));
        assert!(preview.update(None, &one, None));
        assert!(!preview.update(None, &one, None));
        let area = Area { shape: Shape::Radius, origin: Placement::default(), range: Some(1.0) };
        assert!(preview.update(Some(area), &one, None));
        assert!(preview.update(Some(area), &TargetData::new(), None));
        assert!(preview.targets.is_empty());
    }

    #[test]
    fn gasd_4_11_2_persistent_targets_stay_until_they_are_gone_or_replaced() {
        let mut preview = TargetPreview::default();
        let both: TargetData = [controller(1), controller(2)].into_iter().collect();
        assert!(preview.update(None, &both, Some(&|_| true)));
        assert!(!preview.update(None, &TargetData::new(), Some(&|_| true)));
        assert_eq!(preview.targets, both);
        assert!(preview.update(None, &TargetData::new(), Some(&|id| id == controller(2))));
        assert_eq!(preview.targets, TargetData::from(controller(2)));
        assert!(preview.update(None, &TargetData::from(controller(3)), Some(&|_| true)));
        assert_eq!(preview.targets, TargetData::from(controller(3)));
    }
}
