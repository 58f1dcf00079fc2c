//! Encryption, as libpq understands `sslmode` and `sslrootcert`.
//!
//! ```text
//! disable      none
//! allow        as prefer
//! prefer       if the server offers it; whoever answers is believed
//! require      always; whoever answers is believed, unless there are certificates to trust: then as verify-ca
//! verify-ca    always; an authority that is trusted must have signed
//! verify-full  the same, and for this host
//! ```

use super::problem::DatabaseProblem;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TlsMode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl TlsMode {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "disable" => Some(TlsMode::Disable),
            "allow" | "prefer" => Some(TlsMode::Prefer),
            "require" => Some(TlsMode::Require),
            "verify-ca" => Some(TlsMode::VerifyCa),
            "verify-full" => Some(TlsMode::VerifyFull),
            _ => None,
        }
    }
}

/// Which certificates to trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Roots {
    /// `~/.postgresql/root.crt`, where there is one.
    Default,
    /// A file.
    File(PathBuf),
    /// Those that the system trusts.
    System,
}

impl Roots {
    /// The certificates; nothing where none were named and there is no file of the usual name.
    fn read(&self) -> Result<Option<Vec<CertificateDer<'static>>>, DatabaseProblem> {
        match self {
            Roots::Default => match usual("root.crt").filter(|file| file.exists()) {
                Some(file) => in_file(&file).map(Some),
                None => Ok(None),
            },
            Roots::File(file) => in_file(file).map(Some),
            Roots::System => {
                let found = rustls_native_certs::load_native_certs();
                match (found.certs.is_empty(), found.errors.first()) {
                    (true, error) => Err(DatabaseProblem::Roots {
                        file: "the system's store".into(),
                        why: error.map_or("there are none".into(), ToString::to_string),
                    }),
                    _ => Ok(Some(found.certs)),
                }
            }
        }
    }
}

/// A file of certificates in its usual place.
fn usual(name: &str) -> Option<PathBuf> {
    std::env::home_dir().map(|home| home.join(".postgresql").join(name))
}

fn in_file(file: &Path) -> Result<Vec<CertificateDer<'static>>, DatabaseProblem> {
    let unreadable = |why: String| DatabaseProblem::Roots { file: file.to_owned(), why };
    let found = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = found.map_err(|error| unreadable(error.to_string()))?;
    if found.is_empty() { Err(unreadable("there is none in it".into())) } else { Ok(found) }
}

/// What encrypts the connection.
pub(super) fn connector(mode: TlsMode, roots: &Roots) -> Result<MakeRustlsConnect, DatabaseProblem> {
    let trusted = match mode {
        TlsMode::Disable | TlsMode::Prefer => None,
        TlsMode::Require => roots.read()?,
        TlsMode::VerifyCa | TlsMode::VerifyFull => Some(roots.read()?.ok_or_else(|| {
            let file = usual("root.crt").unwrap_or_else(|| "~/.postgresql/root.crt".into());
            DatabaseProblem::Roots { file, why: "there is no such file".into() }
        })?),
    };
    // libpq looks there for certificates that were revoked; to trust them would be less than was asked for.
    if let Some(file) = usual("root.crl").filter(|file| trusted.is_some() && file.exists()) {
        return Err(DatabaseProblem::Revoked { file });
    }
    let trusted = trusted.map(|certificates| {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(certificates.iter().cloned());
        Trusted { store, certificates, names: mode == TlsMode::VerifyFull }
    });
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Arc::new(Verifier { trusted, provider: provider.clone() });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| DatabaseProblem::Tls { why: error.to_string() })?;
    let mut config = config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

/// Why there is no encrypted connection, where it is the server's certificate.
pub(super) fn words(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let io = error.downcast_ref::<std::io::Error>()?;
    let Error::InvalidCertificate(why) = io.get_ref()?.downcast_ref::<Error>()? else { return None };
    Some(match why {
        // The last is a certificate that signed itself and calls itself an authority.
        CertificateError::UnknownIssuer | CertificateError::Other(_) => {
            "no authority that is trusted signed the server's certificate".into()
        }
        CertificateError::NotValidForNameContext { expected, presented } => match presented.as_slice() {
            [] => "the server's certificate names no host (as subjectAltName)".into(),
            names => {
                // Each is written as its kind with the name in brackets.
                let bare = |name: &String| match name.split_once('(') {
                    Some((_, name)) => name.trim_end_matches(')').trim_matches('"').to_owned(),
                    None => name.clone(),
                };
                let names: Vec<String> = names.iter().map(bare).collect();
                format!("the server's certificate is for {}, not for {}", names.join(", "), expected.to_str())
            }
        },
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired".into()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet".into()
        }
        other => format!("the server's certificate: {other}"),
    })
}

#[derive(Debug)]
struct Trusted {
    store: RootCertStore,
    certificates: Vec<CertificateDer<'static>>,
    /// Whether the certificate must be for this host.
    names: bool,
}

/// Checks a server's certificate as far as the mode asks for it; that the server holds its key is always checked.
#[derive(Debug)]
struct Verifier {
    trusted: Option<Trusted>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(trusted) = &self.trusted else { return Ok(ServerCertVerified::assertion()) };
        let certificate = ParsedCertificate::try_from(end_entity)?;
        let algorithms = self.provider.signature_verification_algorithms.all;
        let signed = verify_server_cert_signed_by_trust_anchor(
            &certificate,
            &trusted.store,
            intermediates,
            now,
            algorithms,
        );
        match signed {
            // A certificate that signed itself, as `openssl req -x509` makes it, calls itself an authority, which a
            // server's may not. The user handed over this very certificate; its dates were checked before this.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if trusted.certificates.iter().any(|one| one == end_entity) => {}
            other => other?,
        }
        if trusted.names {
            verify_server_name(&certificate, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
