//! Observers of one definition: `app.add_observer(damage_numbers.only(Health))`.

use core::marker::PhantomData;

use bevy_ecs::event::Event;
use bevy_ecs::prelude::{IntoSystem, On};
use bevy_ecs::system::{Adapt, IntoAdapterSystem, RunSystemError, System, SystemIn, SystemInput};
use ugas::Key;

/// An event about a definition of the rules: an attribute, a tag, an effect or an ability.
pub trait NamedEvent: Event {
    /// Id of the definition.
    type Id: PartialEq + 'static;

    /// Id of the definition; `None` for an ability that does not exist.
    fn definition(&self) -> Option<Self::Id>;

    /// Name of the definition.
    fn name(&self) -> &str;

    /// Whether the event is about this definition, by a name as a type, by text or by id.
    fn is(&self, key: impl Key<Self::Id>) -> bool
    where
        Self: Sized,
    {
        self.definition().is_some_and(|id| key.is(id, self.name()))
    }
}

/// Limits observers to one definition, for all entities or for one.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_ugas::prelude::*;
///
/// struct Health;
///
/// impl AttributeName for Health {
///     const NAME: &'static str = "Health";
/// }
///
/// fn damage_numbers(change: On<AttributeChanged>) {
///     println!("{:+.0} on {}", change.new - change.old, change.entity);
/// }
///
/// # let mut app = bevy_app::App::new();
/// app.add_observer(damage_numbers.only(Health));
/// ```
///
/// A text that names no definition of the rules matches nothing, without a warning: prefer types. A tag does
/// not name an attribute:
///
/// ```compile_fail
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// struct Stunned;
///
/// impl TagName for Stunned {
///     const NAME: &'static str = "State.Stunned";
/// }
///
/// fn damage_numbers(change: On<AttributeChanged>) {}
///
/// # let mut app = bevy_app::App::new();
/// app.add_observer(damage_numbers.only(Stunned));
/// ```
pub trait ObserverFilter<E: NamedEvent, M>: IntoSystem<On<'static, 'static, E>, (), M> + Sized {
    /// The observer, limited to events about this definition.
    fn only<K: Key<E::Id>>(self, key: K) -> IntoAdapterSystem<Only<E, K>, Self> {
        IntoAdapterSystem::new(Only { key, event: PhantomData }, self)
    }
}

impl<E: NamedEvent, M, S: IntoSystem<On<'static, 'static, E>, (), M>> ObserverFilter<E, M> for S {}

/// Adapter of [`ObserverFilter::only`].
pub struct Only<E, K> {
    key: K,
    event: PhantomData<fn(E)>,
}

impl<E, K, S> Adapt<S> for Only<E, K>
where
    E: NamedEvent,
    K: Key<E::Id> + Send + Sync + 'static,
    S: System<In = On<'static, 'static, E>, Out = ()>,
{
    type In = On<'static, 'static, E>;
    type Out = ();

    /// Runs the observer if the event is about the definition.
    fn adapt(
        &mut self,
        input: <Self::In as SystemInput>::Inner<'_>,
        run_system: impl FnOnce(SystemIn<'_, S>) -> Result<(), RunSystemError>,
    ) -> Result<(), RunSystemError> {
        let event = input.event();
        match event.definition().is_some_and(|id| self.key.is(id, event.name())) {
            true => run_system(input),
            false => Ok(()),
        }
    }
}
