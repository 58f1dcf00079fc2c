//! Chance that protects people: a generator that nobody can guess, unless a seed was asked for.

use crate::output::Shown;
use anyhow::{Context, anyhow, bail};
use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::path::Path;

/// A generator for one purpose. The same seed gives other draws for another purpose: noise of one must not undo another.
pub fn generator(seed: Option<u64>, purpose: &str) -> anyhow::Result<ChaCha20Rng> {
    let mut key = [0; 32];
    match seed {
        // Spelled out here, so that a seed survives upgrades.
        Some(seed) => {
            let text = format!("fairveil {purpose} {seed}");
            key.copy_from_slice(&Sha256::digest(text.as_bytes()));
        }
        None => getrandom::fill(&mut key).map_err(|error| {
            anyhow!(
                "the operating system gives no random numbers ({error})\n  needed: a seed that nobody can guess\n  \
                 to do:  run it on a system that does; --seed draws what can be undone"
            )
        })?,
    }
    Ok(ChaCha20Rng::from_seed(key))
}

/// A secret that answers are drawn from.
pub struct Key(Hmac<Sha256>);

/// A shorter secret can be tried out.
const LEAST_KEY: usize = 16;

impl Key {
    /// Reads a secret; the end of its last line is no part of it.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = std::fs::read(path).with_context(|| format!("{}: cannot be read", path.shown()))?;
        let secret = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let secret = secret.strip_suffix(b"\r").unwrap_or(secret);
        if secret.len() < LEAST_KEY {
            bail!(
                "{}: the secret has {} bytes\n  needed: at least {LEAST_KEY} that nobody can guess\n  to do:  make one with: openssl rand -hex 32",
                path.shown(),
                secret.len()
            );
        }
        let key = Hmac::new_from_slice(secret).map_err(|error| anyhow!("{}: {error}", path.shown()))?;
        Ok(Key(key))
    }

    fn digest(&self, parts: &[&str]) -> [u8; 32] {
        let mut hmac = self.0.clone();
        for part in parts {
            // The length first: no two lists of parts are the same bytes.
            hmac.update(&(part.len() as u64).to_le_bytes());
            hmac.update(part.as_bytes());
        }
        hmac.finalize().into_bytes().into()
    }

    /// A number from 0 to below 1 for one person, purpose and guess: the same whenever it is asked for.
    pub fn uniform(&self, purpose: &str, person: &str, guess: &str) -> f64 {
        let digest = self.digest(&["fairveil answer 1", purpose, person, guess]);
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        (u64::from_le_bytes(first) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// What tells answers of one secret and purpose from others, without telling the secret.
    pub fn name(&self, purpose: &str) -> String {
        let digest = self.digest(&["fairveil name 1", purpose]);
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What a mechanism file says of answers that a secret gives.
pub const KEYED: &str = "HMAC-SHA256 of a secret, a person and a guess: one person with one guess has one answer in every release";

/// What a mechanism file says of where chance came from.
pub fn described(seed: Option<u64>) -> &'static str {
    match seed {
        None => "ChaCha20, seeded by the operating system",
        Some(_) => "ChaCha20 with a seed that was chosen: anyone who knows the seed can undo it",
    }
}

/// A number from 0 to below 1 with 53 binary digits.
pub fn uniform(random: &mut impl Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairveil_core::privacy::RandomizedResponse;
    use fairveil_core::vocabulary::Guess;

    #[test]
    fn the_generator_tells_guesses_as_often_as_the_matrix_says() {
        let mut random = generator(None, "test").unwrap();
        let draws = 40_000.0;
        for groups in 2..=8 {
            let told = RandomizedResponse::flip(groups, 0.4).unwrap();
            let mut seen = vec![0.0; groups];
            (0..draws as u64).for_each(|_| seen[told.tell(Guess(1), uniform(&mut random)).0] += 1.0);
            let far: f64 =
                seen.iter().zip(&told.rows()[1]).map(|(n, p)| (n - p * draws).powi(2) / (p * draws)).sum();
            // Nobody chose the seed: past 60 a chi-square of 7 degrees of freedom falls once in 10¹⁰ runs.
            assert!(far < 60.0, "{groups} groups: {far}");
        }
    }

    #[test]
    fn a_seed_is_the_same_forever_and_no_seed_never_is() {
        let first = |seed, purpose| generator(seed, purpose).unwrap().next_u64();
        assert_eq!(first(Some(7), "privatize"), first(Some(7), "privatize"));
        assert_ne!(first(Some(7), "privatize"), first(Some(7), "count"));
        assert_ne!(first(None, "privatize"), first(None, "privatize"));
    }
}
