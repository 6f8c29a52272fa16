//! Macros that declare records, references and enumerations.

/// Declares a record. Each line is `field: mode Type = "Key", "description";` with the modes
/// `required`, `optional` and `list`.
macro_rules! record {
    ($(#[doc = $doc:literal])+ $name:ident, $title:literal {
        $($field:ident: $mode:ident $type:ty = $key:literal, $about:literal;)*
    }) => {
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Debug, Default)]
        pub struct $name {
            /// Short span that represents the whole record.
            pub span: $crate::source::Span,
            $(#[doc = $about] pub $field: $crate::decode::record!(@type $mode $type),)*
            /// Unknown fields, kept for encoding.
            pub unknown: Vec<$crate::node::Entry>,
            /// One bit for each field that the file has, decodable or not.
            pub(crate) present: u64,
        }

        impl $name {
            /// Names of the fields in files.
            pub const FIELDS: &'static [&'static str] = &[$($key),*];

            /// Whether the file has a field, decodable or not.
            pub fn has(&self, field: &str) -> bool {
                Self::FIELDS.iter().position(|known| *known == field).is_some_and(|at| self.present & (1 << at) != 0)
            }
        }

        impl $crate::decode::Field for $name {
            /// Decodes a mapping. Unknown and missing fields are reported; a field that cannot be decoded
            /// stays empty. `None` for anything but a mapping.
            fn decode(node: &$crate::node::Node, sink: &mut $crate::diagnostics::Sink) -> Option<Self> {
                use $crate::diagnostics::codes;
                let $crate::node::Value::Map(entries) = &node.value else {
                    let required: Vec<&str> =
                        [$($crate::decode::record!(@is_required $mode, $key)),*].into_iter().flatten().collect();
                    sink.push(codes::field::expected_mapping(node, $title, &required, Self::FIELDS));
                    return None;
                };
                let mut record = Self { span: node.head(), ..Self::default() };
                for entry in entries {
                    let at = Self::FIELDS.iter().position(|known| *known == entry.key.value);
                    record.present |= at.map_or(0, |at| 1 << at);
                    match &*entry.key.value {
                        $($key => {
                            $crate::decode::record!(@set $mode $type, record.$field, &entry.value, sink);
                        })*
                        "$schema" => {}
                        key if $crate::decode::is_free($title, key) => record.unknown.push(entry.clone()),
                        _ => {
                            sink.push(codes::field::unknown(&entry.key, $title, Self::FIELDS));
                            record.unknown.push(entry.clone());
                        }
                    }
                }
                $($crate::decode::record!(@required $mode, $key, $about, $title, record, sink);)*
                Some(record)
            }

            /// Writes the fields in the order of the declaration, then unknown ones.
            fn encode(&self) -> $crate::node::Value {
                let mut entries: Vec<$crate::node::Entry> = Vec::new();
                $($crate::decode::record!(@encode $mode, entries, $key, &self.$field);)*
                entries.extend(self.unknown.iter().cloned());
                $crate::node::Value::Map(entries)
            }

            /// Reference to the schema of the record, which is added to `definitions` once.
            fn schema(definitions: &mut $crate::decode::Definitions) -> serde_json::Value {
                if !definitions.contains_key(stringify!($name)) {
                    // Inserted before its fields are visited, because they may refer to it.
                    definitions.insert(stringify!($name).to_owned(), serde_json::Value::Null);
                    let mut properties = serde_json::Map::new();
                    $({
                        let schema = $crate::decode::record!(@schema $mode $type, definitions);
                        properties.insert($key.to_owned(), $crate::schema::described(schema, $about));
                    })*
                    let required: Vec<&str> =
                        [$($crate::decode::record!(@is_required $mode, $key)),*].into_iter().flatten().collect();
                    let description = concat!($($doc),+).trim();
                    let schema = $crate::schema::record($title, description, properties, required);
                    definitions.insert(stringify!($name).to_owned(), schema);
                }
                serde_json::json!({ "$ref": concat!("#/$defs/", stringify!($name)) })
            }

            fn visit<'a>(&'a self, visitor: &mut dyn $crate::decode::Visitor<'a>) {
                let _ = &visitor;
                $($crate::decode::record!(@visit $mode, &self.$field, visitor);)*
            }
        }
    };
    (@type list $type:ty) => { $crate::decode::List<$type> };
    (@type $mode:ident $type:ty) => { Option<$type> };
    (@set list $type:ty, $place:expr, $node:expr, $sink:expr) => {
        $place = <$crate::decode::List<$type> as $crate::decode::Field>::decode($node, $sink).unwrap_or_default()
    };
    (@set $mode:ident $type:ty, $place:expr, $node:expr, $sink:expr) => {
        $place = <$type as $crate::decode::Field>::decode($node, $sink)
    };
    (@required required, $key:literal, $about:literal, $title:literal, $record:expr, $sink:expr) => {
        if !$record.has($key) {
            let span = $record.span;
            $sink.push($crate::diagnostics::codes::field::missing(span, $title, $key, $about));
        }
    };
    (@required $mode:ident, $key:literal, $about:literal, $title:literal, $record:expr, $sink:expr) => {};
    (@is_required required, $key:literal) => { Some($key) };
    (@is_required $mode:ident, $key:literal) => { None };
    (@encode list, $entries:expr, $key:literal, $field:expr) => {
        if $field.is_written() {
            $crate::decode::push_entry(&mut $entries, $key, $crate::decode::Field::encode($field));
        }
    };
    (@encode $mode:ident, $entries:expr, $key:literal, $field:expr) => {
        if let Some(value) = $field {
            $crate::decode::push_entry(&mut $entries, $key, $crate::decode::Field::encode(value));
        }
    };
    (@schema list $type:ty, $definitions:expr) => {
        <$crate::decode::List<$type> as $crate::decode::Field>::schema($definitions)
    };
    (@schema $mode:ident $type:ty, $definitions:expr) => {
        <$type as $crate::decode::Field>::schema($definitions)
    };
    (@visit list, $field:expr, $visitor:expr) => { $crate::decode::Field::visit($field, $visitor) };
    (@visit $mode:ident, $field:expr, $visitor:expr) => {
        if let Some(value) = $field {
            $crate::decode::Field::visit(value, $visitor);
        }
    };
}

/// Declares a type of names that refer to a kind of definition.
macro_rules! reference {
    ($($(#[doc = $doc:literal])+ $name:ident => $kind:expr, $title:literal $(, $pattern:expr)?;)*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Debug, Default)]
        pub struct $name(pub $crate::source::Spanned<String>);

        impl std::ops::Deref for $name {
            type Target = $crate::source::Spanned<String>;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl $crate::decode::Field for $name {
            /// Decodes a name that is not empty. Whether it refers to a definition is checked later.
            fn decode(node: &$crate::node::Node, sink: &mut $crate::diagnostics::Sink) -> Option<Self> {
                $crate::decode::name_text(node, $title, sink).map(Self)
            }

            fn encode(&self) -> $crate::node::Value {
                $crate::node::Value::Text(self.0.value.clone())
            }

            fn schema(_: &mut $crate::decode::Definitions) -> serde_json::Value {
                #[allow(unused_mut, reason = "only names with a pattern add to it")]
                let mut schema = serde_json::json!({ "type": "string", "title": $title });
                $(schema["pattern"] = serde_json::json!($pattern);)?
                schema
            }

            fn visit<'a>(&'a self, visitor: &mut dyn $crate::decode::Visitor<'a>) {
                visitor.reference($kind, &self.0);
            }
        }
    )*};
}

/// Declares the words of an enumeration in files, in the order of messages and schemas.
macro_rules! choice {
    ($($type:ty { $($word:literal => $variant:expr),+ $(,)? })*) => {$(
        impl $crate::decode::Word for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($variant),)+
                    _ => None,
                }
            }

            /// The first word of the value; empty if the list has none.
            fn word(&self) -> &'static str {
                let words = [$(($word, $variant)),+];
                words.into_iter().find(|(_, value)| value == self).map_or("", |(word, _)| word)
            }
        }
    )*};
}

pub(crate) use {choice, record, reference};
