//! Words with one name each: an enum whose names are written once, for reports, the command line, JSON and Python.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Display;
use std::str::FromStr;

/// Makes an enum of `Variant = "name"` with `ALL`, `name`, `Display` and `FromStr`, read and written under that name.
macro_rules! named {
    ($($(#[$about:meta])* $view:vis enum $kind:ident { $($(#[$what:meta])* $variant:ident = $name:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        $view enum $kind { $($(#[$what])* #[serde(rename = $name)] $variant,)+ }

        impl $kind {
            /// All of them, in the order they are reported.
            pub const ALL: [$kind; [$($name),+].len()] = [$($kind::$variant),+];

            /// The one name used on the command line, in JSON and in Python.
            pub const fn name(self) -> &'static str {
                match self { $($kind::$variant => $name,)+ }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $kind {
            type Err = $crate::named::UnknownName;
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let known = $kind::ALL.into_iter().find(|known| known.name() == name);
                known.ok_or_else(|| $crate::named::UnknownName { found: name.into(), known: vec![$($name),+] })
            }
        }
    )+};
}
pub(crate) use named;

/// A name that means nothing here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is none of {}", .known.join(", "))]
pub struct UnknownName {
    /// What was read.
    pub found: String,
    /// What would have been understood.
    pub known: Vec<&'static str>,
}

/// One that someone asked for, or whichever is best.
///
/// ```
/// # use fairveil_core::{Estimator, EstimatorChoice, Scope, ScopeChoice};
/// # use fairveil_core::estimate::LatentClass;
/// assert_eq!("auto".parse(), Ok(EstimatorChoice::Auto));
/// assert_eq!("latent-class".parse(), Ok(EstimatorChoice::Fixed(Estimator::LatentClass)));
/// assert_eq!(ScopeChoice::Fixed(Scope::Local).to_string(), "local");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice<T> {
    /// The best that the table allows.
    #[default]
    Auto,
    /// This one or nothing.
    Fixed(T),
}

impl<T: Copy> Choice<T> {
    /// The one that was asked for.
    pub fn fixed(self) -> Option<T> {
        match self {
            Choice::Auto => None,
            Choice::Fixed(this) => Some(this),
        }
    }
}

impl<T: Display> Display for Choice<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Choice::Auto => f.pad("auto"),
            Choice::Fixed(this) => this.fmt(f),
        }
    }
}

impl<T: FromStr<Err = UnknownName>> FromStr for Choice<T> {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let known =
            |unknown: UnknownName| UnknownName { known: [&["auto"], &*unknown.known].concat(), ..unknown };
        if name == "auto" { Ok(Choice::Auto) } else { name.parse().map(Choice::Fixed).map_err(known) }
    }
}

impl<T: Display> Serialize for Choice<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: FromStr<Err = UnknownName>> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
