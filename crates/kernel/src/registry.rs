//! Registries: the list of a plug-point's members, from which everything else is made.
//!
//! A folder's `mod.rs` holds the role (a trait), plain `mod` lines and one [`registry!`](crate::registry!).
//! A line `hybla::Hybla` there makes the enum variants, the parser of its configuration, the constructor
//! and the row in the list of names. A member module provides `Config` (made by
//! [`config!`](crate::config!)), `SOURCE` (a citation), and a type with
//! `fn new(config: &Config, setup: &Setup) -> Self`.

/// Declares a plug-point's registry.
///
/// `Config` holds the parameters of one member, `Any` one member at work behind its role: a boxed trait
/// object, so that a member from outside this crate is one like any other.
///
/// ```ignore
/// registry! {
///     /// Congestion control algorithms.
///     CongestionControl(Setup) {
///         /// Reno: slow start, congestion avoidance, halving.
///         reno::Reno,
///     }
/// }
/// ```
///
/// A member without a state of its own is its parameters: with `reno::Reno = Config` the role is that of `reno::Config`.
///
/// What others ask about a member before a run stands behind its `Setup`, and a module that does not answer does not
/// compile. With `where Config: Parameters`, each `Config` implements the trait `Parameters`, and `parameters()` gives
/// the answers of the one chosen. With `where field limit, limit_mut: Amount`, each `Config` has the parameter `limit`;
/// with `where const has_timer: bool = HAS_TIMER`, each module has that constant.
#[macro_export]
macro_rules! registry {
    (
        $(#[doc = $role_doc:literal])*
        $Role:ident($Setup:ty)
            $( where Config: $Parameters:ident )?
            $( where field $field:ident, $field_mut:ident: $Field:ty )?
            $( where const $question:ident: $Answer:ty = $CONSTANT:ident )?
        {
            $( $(#[doc = $doc:literal])* $module:ident :: $Type:ident $( = $Plain:ident )? ),* $(,)?
        }
    ) => {
        $(#[doc = $role_doc])*
        /// The parameters of one member.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Config { $( $(#[doc = $doc])* $Type($module::Config), )* }

        $(#[doc = $role_doc])*
        /// One member at work.
        pub type Any = Box<dyn $Role>;

        impl Config {
            /// The names, in the order registered.
            pub const NAMES: &'static [&'static str] = &[ $( $crate::registry::word(stringify!($module)), )* ];

            /// The one word this member is called by everywhere.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$Type(_) => $crate::registry::word(stringify!($module)), )* }
            }

            /// The member called `name` with its default parameters.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $( _ if name == $crate::registry::word(stringify!($module)) =>
                        Some(Self::$Type($module::Config::default())), )*
                    _ => None,
                }
            }

            /// Reads a member. If it is the one of `base`, parameters that are not given are those of `base`.
            ///
            /// # Errors
            /// As [`Read::read`]($crate::config::Read::read).
            pub fn read_over(base: Self, node: &$crate::Node) -> Result<Self, $crate::Diagnostic> {
                match ($crate::registry::model_name(node, Self::NAMES)?.0, base) {
                    $( (name, Self::$Type(base)) if name == $crate::registry::word(stringify!($module)) =>
                        Ok(Self::$Type(match node.value {
                            $crate::Value::Text(_) => base,
                            _ => $module::Config::read_over(base, node, &["name"])?,
                        })), )*
                    _ => <Self as $crate::config::Read>::read(node),
                }
            }

            /// Every member with its parameters and source.
            pub fn models() -> Vec<$crate::config::Model> {
                vec![ $( $crate::config::Model {
                    name: $crate::registry::word(stringify!($module)),
                    doc: concat!($($doc,)*).trim_ascii(),
                    source: $module::SOURCE,
                    fields: $module::Config::fields(),
                }, )* ]
            }

            /// Sets this member to work.
            pub fn build(&self, setup: &$Setup) -> Any {
                match self {
                    $( Self::$Type(config) => $crate::registry!(@member $module::$Type(config, setup) $( $Plain )?), )*
                }
            }

            $crate::registry!(@parameters $( $Parameters )? : $( $Type )*);
            $crate::registry!(@field $( $field, $field_mut: $Field )? : $( $Type )*);
            $crate::registry!(@constant $( $question: $Answer = $CONSTANT )? : $( $module::$Type )*);
        }

        /// A bare name, or a table with `name` and parameters.
        impl $crate::config::Read for Config {
            fn kind() -> $crate::Kind {
                $crate::Kind::Model(Self::models)
            }
            fn read(node: &$crate::Node) -> Result<Self, $crate::Diagnostic> {
                let (name, at) = $crate::registry::model_name(node, Self::NAMES)?;
                match name {
                    $( _ if name == $crate::registry::word(stringify!($module)) =>
                        Ok(Self::$Type(match node.value {
                            $crate::Value::Text(_) => $module::Config::default(),
                            _ => $module::Config::read_table(node, &["name"])?,
                        })), )*
                    _ => Err($crate::config::unknown(name, "name", at, Self::NAMES).at(node.key.clone())),
                }
            }
            fn show(&self) -> String {
                let fields = match self { $( Self::$Type(config) => config.show_fields(), )* };
                $crate::config::show_table(Some(self.name()), &fields)
            }
        }
    };
    (@member $module:ident::$Type:ident($config:ident, $setup:ident)) => {
        Box::new($module::$Type::new($config, $setup))
    };
    (@member $module:ident::$Type:ident($config:ident, $setup:ident) $Plain:ident) => {{
        let _ = $setup;
        Box::new($config.clone())
    }};
    (@parameters : $( $Type:ident )*) => {};
    (@parameters $Parameters:ident : $( $Type:ident )*) => {
        /// The parameters, to be asked about a run before it begins.
        pub fn parameters(&self) -> &dyn $Parameters {
            match self { $( Self::$Type(config) => config, )* }
        }
    };
    (@field : $( $Type:ident )*) => {};
    (@field $field:ident, $field_mut:ident: $Field:ty : $( $Type:ident )*) => {
        /// The parameter of this name, which all members have.
        pub fn $field(&self) -> $Field {
            match self { $( Self::$Type(config) => config.$field, )* }
        }

        /// The same, to be set.
        pub fn $field_mut(&mut self) -> &mut $Field {
            match self { $( Self::$Type(config) => &mut config.$field, )* }
        }
    };
    (@constant : $( $module:ident::$Type:ident )*) => {};
    (@constant $question:ident: $Answer:ty = $CONSTANT:ident : $( $module:ident::$Type:ident )*) => {
        #[doc = concat!("`", stringify!($CONSTANT), "` of the member's module.")]
        pub fn $question(&self) -> $Answer {
            match self { $( Self::$Type(_) => $module::$CONSTANT, )* }
        }
    };
}

use crate::config::{Diagnostic, Entry, Node, Value, instead_of_number};

/// The word a member is called by: its module's name, which Rust writes `r#static` where it is a keyword.
pub const fn word(module: &'static str) -> &'static str {
    match module.as_bytes() {
        [b'r', b'#', ..] => module.split_at(2).1,
        _ => module,
    }
}

/// The name in a model's node, one of `known`, and the node that holds it.
pub fn model_name<'a>(node: &'a Node, known: &[&str]) -> Result<(&'a str, &'a Node), Diagnostic> {
    match &node.value {
        Value::Text(name) => Ok((name, node)),
        Value::Table(entries) => match node.get("name") {
            Some(at) => Ok((at.as_text("a name")?, at)),
            None => {
                let name = Entry { key: "name".into(), span: 0..0, node: Node::text("...") };
                let named = node.with(Value::Table([&[name], &entries[..]].concat()));
                Err(node.refuse("a table without `name`", format!("write {}", named.show())))
            }
        },
        Value::Float(_) | Value::Integer(_) => Err(Diagnostic {
            remedy: instead_of_number(&node.show(), known),
            ..node.expected("a name or a table with `name`")
        }),
        _ => Err(node.expected("a name or a table with `name`")),
    }
}

#[cfg(test)]
#[allow(unreachable_pub, dead_code, clippy::trivially_copy_pass_by_ref)]
mod tests {
    use crate::config::{Node, Read};

    mod circle {
        pub(super) const SOURCE: &str = "Euclid";
        crate::config! {
            /// Parameters of a circle.
            pub struct Config {
                /// Radius.
                pub radius: f64 = 1.0,
            }
        }
        #[derive(Debug)]
        pub struct Circle(f64);
        impl Circle {
            pub(super) fn new(config: &Config, scale: &f64) -> Self {
                Self(config.radius * scale)
            }
        }
        impl super::Shape for Circle {
            fn width(&self) -> f64 {
                2.0 * self.0
            }
        }
    }

    /// The role.
    pub trait Shape: std::fmt::Debug {
        fn width(&self) -> f64;
    }

    registry! {
        /// Shapes.
        Shape(f64) {
            /// Round.
            circle::Circle,
        }
    }

    #[test]
    fn one_line_makes_parser_constructor_and_list() {
        let config = Config::read(&Node::text("circle")).unwrap();
        assert_eq!(config.build(&3.0).width(), 6.0);
        assert_eq!((Config::NAMES, Config::models()[0].source), (&["circle"][..], "Euclid"));
        assert_eq!(config.show(), "{ name = \"circle\", radius = 1.0 }");
        let diagnostic = Config::read(&Node::text("circel")).unwrap_err();
        assert_eq!(diagnostic.remedy, "did you mean `circle`?");
    }

    #[test]
    fn a_word_may_be_a_keyword_of_rust() {
        assert_eq!((super::word("r#static"), super::word("red")), ("static", "red"));
    }

    #[test]
    fn a_member_from_outside_works_like_one_from_inside() {
        #[derive(Debug)]
        struct Square;
        impl Shape for Square {
            fn width(&self) -> f64 {
                1.0
            }
        }
        let any: Any = Box::new(Square);
        assert_eq!(any.width(), 1.0);
    }
}
