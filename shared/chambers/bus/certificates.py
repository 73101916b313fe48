"""The server's certificate: made once for a deployment, known to its services by file, to players by fingerprint."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from chambers.bus.errors import BusError

CERTIFICATE: Final = "server.pem"
FINGERPRINT_BYTES: Final = 32
_NAME: Final = "chambers"
_YEARS: Final = 20
_BEGIN: Final = "-----BEGIN CERTIFICATE-----"
_END: Final = "-----END CERTIFICATE-----"


def new_certificate() -> bytes:
    """Return a new private key and its certificate, signed by itself, as one PEM text."""
    # Only the setup makes certificates; every service would pay for this library in memory.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, _NAME)])
    # Clients check the fingerprint and neither name nor date: a clock that is wrong by a day must lock out nobody.
    now = datetime.now(UTC)
    usage = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only"), False
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + timedelta(days=365 * _YEARS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(_NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.KeyUsage(digital_signature=True, key_cert_sign=True, crl_sign=False, decipher_only=False, **usage),
            critical=True,
        )
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + certificate.public_bytes(serialization.Encoding.PEM)


def public_part(pem: bytes) -> bytes:
    """Return the certificate alone of a PEM text that may hold its key too; BusError if there is none."""
    text = pem.decode("ascii", errors="replace")
    start, end = text.find(_BEGIN), text.find(_END)
    if start < 0 or end < start:
        raise BusError("bus/bad-certificate", "The server's certificate is damaged; remove its file and set up again.")
    return (text[start : end + len(_END)] + "\n").encode()


def fingerprint(path: Path) -> bytes:
    """Return the SHA-256 of the certificate in a PEM file; BusError if it holds none."""
    try:
        der = ssl.PEM_cert_to_DER_cert(public_part(path.read_bytes()).decode())
    except (OSError, ValueError):
        raise BusError("bus/bad-certificate", f"{path} holds no certificate.") from None
    return hashlib.sha256(der).digest()


def trusted(path: Path) -> ssl.SSLContext:
    """Return TLS settings that trust exactly the certificates in a file; BusError if it is unreadable."""
    try:
        context = ssl.create_default_context(cafile=str(path))
    except OSError:
        raise BusError("bus/bad-certificate", f"{path} holds no certificate.") from None
    # The certificate itself is what is trusted: the names by which its server is reached change from place to place.
    context.check_hostname = False
    return context


def pinned(sha256: bytes) -> ssl.SSLContext:
    """Return TLS settings that accept the one certificate with this SHA-256, whatever it says of itself."""

    def check(shown: bytes) -> None:
        if shown != sha256:
            raise ssl.SSLCertVerificationError("the certificate is not the pinned one")

    return shown_to(check)


def met(shown: list[bytes]) -> ssl.SSLContext:
    """Return TLS settings that put the SHA-256 of the first certificate into `shown`, and accept no other afterwards.

    A connection that is made anew by itself is the same visit: whoever is in the server's place by then is not met.
    """

    def check(one: bytes) -> None:
        if shown and one != shown[0]:
            raise ssl.SSLCertVerificationError("the certificate is not the one of the first meeting")
        shown[:] = [one]

    return shown_to(check)


def shown_to(see: Callable[[bytes], None]) -> ssl.SSLContext:
    """Return TLS settings that let `see` have the certificate's SHA-256, and accept it unless that raises SSLError."""

    class Seen(ssl.SSLObject):
        """A TLS connection that ends in its handshake if the certificate does not please."""

        def do_handshake(self) -> None:
            super().do_handshake()
            see(hashlib.sha256(self.getpeercert(binary_form=True) or b"").digest())

    context: Any = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.sslobject_class = Seen
    return context  # type: ignore[no-any-return]  # typed loosely only because the class above is set on it
