//! What is known about how guesses were randomised before anyone counted them.
//!
//! ```text
//! P(told w₁ … w_C) = Σ_v P(v₁ … v_C) · Π_c R_c[v_c, w_c]          T_told = T · R
//! ```
//! `R` is known, so it is undone or folded in and never learned again.

use super::RandomizedResponse;
use crate::vocabulary::{Guess, ProxyId};
use nalgebra::DMatrix;
use std::sync::Arc;

/// How each proxy's guesses were randomised; nothing where no proxy's were.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Told(Arc<Vec<Option<Telling>>>);

/// One proxy's mechanism, and what undoes it.
#[derive(Debug, Clone, PartialEq)]
struct Telling {
    response: RandomizedResponse,
    /// `R⁻¹[told, guess]`.
    inverse: DMatrix<f64>,
}

/// Whether proxies were randomised alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Alike<'a> {
    /// None of them was.
    Untouched,
    /// All by this mechanism.
    All(&'a RandomizedResponse),
    /// Each in its own way.
    Differently,
}

impl Told {
    /// In the order of the proxies.
    pub fn new(responses: Vec<Option<RandomizedResponse>>) -> Self {
        if responses.iter().all(Option::is_none) {
            return Told::default();
        }
        let telling = |response: RandomizedResponse| {
            let groups = response.groups();
            let matrix = DMatrix::from_fn(groups, groups, |v, w| response.rows()[v][w]);
            // infallible: a mechanism is invertible by construction
            let inverse = matrix.try_inverse().unwrap_or_else(|| DMatrix::identity(groups, groups));
            Telling { response, inverse }
        };
        Told(Arc::new(responses.into_iter().map(|response| response.map(telling)).collect()))
    }

    /// Whether no proxy was randomised.
    pub fn is_nothing(&self) -> bool {
        self.0.is_empty()
    }

    /// A proxy's mechanism, if it had one.
    pub fn of(&self, proxy: ProxyId) -> Option<&RandomizedResponse> {
        self.0.get(proxy.0).and_then(Option::as_ref).map(|telling| &telling.response)
    }

    /// The same with proxies in another order.
    pub fn reordered(&self, order: &[ProxyId]) -> Self {
        if self.is_nothing() {
            Told::default()
        } else {
            Told::new(order.iter().map(|proxy| self.of(*proxy).cloned()).collect())
        }
    }

    /// Whether the proxies were randomised alike.
    pub fn alike(&self) -> Alike<'_> {
        match self.0.as_slice() {
            [] => Alike::Untouched,
            [Some(first), rest @ ..] if rest.iter().all(|other| other.as_ref() == Some(first)) => {
                Alike::All(&first.response)
            }
            _ => Alike::Differently,
        }
    }

    /// For a told guess, how much it says for each guess before: a row of `R⁻¹`.
    pub fn undo(&self, proxy: usize, told: Guess, guess: usize) -> f64 {
        match self.0.get(proxy).and_then(Option::as_ref) {
            Some(telling) => telling.inverse[(told.0, guess)],
            None => f64::from(u8::from(told.0 == guess)),
        }
    }

    /// `P(told | guess)` of one proxy.
    pub fn chance(&self, proxy: usize, guess: usize, told: usize) -> f64 {
        match self.of(ProxyId(proxy)) {
            Some(response) => response.rows()[guess][told],
            None => f64::from(u8::from(guess == told)),
        }
    }

    /// `T · R_c`.
    pub fn folded(&self, proxy: usize, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let groups = rows.len();
        let entry = |row: &Vec<f64>, w: usize| -> f64 {
            row.iter().enumerate().map(|(v, p)| p * self.chance(proxy, v, w)).sum()
        };
        rows.iter().map(|row| (0..groups).map(|w| entry(row, w)).collect()).collect()
    }
}
