//! The macro that declares a table of the scenario file: struct, parser, schema and canonical text.
//!
//! Like the kernel's `config!`, but a field without a default is required.

/// Declares a table of the scenario file. A field without `= default` is required.
macro_rules! section {
    (
        $(#[doc = $struct_doc:literal])*
        $vis:vis struct $Section:ident {
            $( $(#[doc = $doc:literal])* pub $field:ident : $type:ty $(= $default:expr)? ),* $(,)?
        }
    ) => {
        $(#[doc = $struct_doc])*
        #[derive(Clone, Debug)]
        $vis struct $Section {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl $Section {
            /// The keys, for the schema.
            pub fn fields() -> Vec<farlink_kernel::Field> {
                vec![ $( farlink_kernel::Field {
                    name: stringify!($field),
                    kind: <$type as farlink_kernel::config::Read>::kind(),
                    default: section!(@shown $type $(, $default)?),
                    doc: concat!($($doc,)*).trim_ascii(),
                }, )* ]
            }

            /// Reads the section; keys in `also` are read elsewhere.
            pub fn read_table(
                node: &farlink_kernel::Node,
                also: &[&str],
            ) -> Result<Self, farlink_kernel::Diagnostic> {
                let known = [&[ $( stringify!($field), )* ][..], also].concat();
                farlink_kernel::config::refuse_unknown(node.entries()?, &known)?;
                Ok(Self { $( $field: match node.get(stringify!($field)) {
                    Some(value) => <$type as farlink_kernel::config::Read>::read(value)?,
                    None => section!(@absent node, $field $(, $default)?),
                }, )* })
            }
        }

        farlink_kernel::config!(@table $Section { $( $field )* });
    };
    (@shown $type:ty) => { None };
    (@shown $type:ty, $default:expr) => { Some(<$type as farlink_kernel::config::Read>::show(&$default)) };
    (@absent $node:ident, $field:ident) => {
        return Err($crate::section::missing($node, stringify!($field)))
    };
    (@absent $node:ident, $field:ident, $default:expr) => { $default };
}
pub(crate) use section;

use farlink_kernel::{Diagnostic, Node};

/// The diagnostic of a table that lacks a required key.
pub(crate) fn missing(node: &Node, key: &str) -> Diagnostic {
    node.refuse(format!("`{key}` is missing"), format!("add {key} = ..."))
}
