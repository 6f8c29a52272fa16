//! Names as types.
//!
//! A unit type stands for a name of the rules, so that a misspelt name does not compile. `ugas generate --rust`
//! writes these types for a pack.

/// A type that stands for an attribute.
///
/// ```
/// use ugas::AttributeName;
///
/// struct Health;
///
/// impl AttributeName for Health {
///     const NAME: &'static str = "Health";
/// }
///
/// fn lookup<A: AttributeName>(catalog: &ugas::Catalog) -> Result<ugas::AttributeId, ugas::UnknownName> {
///     catalog.attribute(A::NAME)
/// }
///
/// let catalog = ugas::Catalog::builder().declare_attribute("Health").build()?;
/// assert!(lookup::<Health>(&catalog).is_ok());
/// # Ok::<(), ugas::Error>(())
/// ```
pub trait AttributeName: Send + Sync + 'static {
    /// Name of the attribute in the catalog.
    const NAME: &'static str;
}

/// A type that stands for a tag.
pub trait TagName: Send + Sync + 'static {
    /// Full name of the tag, such as `State.Debuff.Stunned`.
    const NAME: &'static str;
}

/// A type that stands for an ability definition.
pub trait AbilityName: Send + Sync + 'static {
    /// Name of the ability in the catalog.
    const NAME: &'static str;
}

/// A type that stands for an effect definition.
pub trait EffectName: Send + Sync + 'static {
    /// Name of the effect in the catalog.
    const NAME: &'static str;
}
