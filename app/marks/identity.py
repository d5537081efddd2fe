"""The key and certificates that content credentials are signed with: made on this machine, trusted by nobody else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from app.marks.errors import MarkError

if TYPE_CHECKING:
    from cryptography import x509

SECRET_NAME = "c2pa.es256"
_YEARS = 30  # a secret is made once; credentials must not go stale while it is in use
_ORGANISATION = "VoxCPM Studio"


@dataclass(frozen=True)
class Identity:
    """PEM bytes: the private key (PKCS #8), and the chain from the signer's certificate to the one that vouches."""

    private_key: bytes
    chain: bytes
    authority: bytes


def make_secret() -> bytes:
    """Make an ES256 key with its certificates, as one secret to be kept; the authority's key is thrown away.

    The certificates follow the C2PA profile: v3, P-256, keyUsage digitalSignature, extended use emailProtection.
    They name the program and a random number, no person and no machine.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    start = datetime.now(UTC) - timedelta(days=1)  # clocks differ
    end = start + timedelta(days=366 * _YEARS)

    def name(common: str) -> x509.Name:
        return x509.Name(
            [
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, _ORGANISATION),
                x509.NameAttribute(NameOID.COMMON_NAME, common),
            ]
        )

    def begin(subject: x509.Name, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(name("made on one machine, by no trusted authority"))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(end)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
            )
        )

    authority = (
        begin(name("made on one machine, by no trusted authority"), authority_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    signer = (
        begin(name("signer"), key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION]), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    vouched = authority.public_bytes(Encoding.PEM)
    parts = {
        "key": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        "chain": (signer.public_bytes(Encoding.PEM) + vouched).decode(),
        "authority": vouched.decode(),
    }
    return json.dumps(parts).encode()


def read_secret(secret: bytes) -> Identity:
    """Read what ``make_secret`` made.

    Raises:
        MarkError: it is something else.
    """
    try:
        parts = json.loads(secret)
        return Identity(parts["key"].encode(), parts["chain"].encode(), parts["authority"].encode())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MarkError("The key for content credentials is damaged. Restore the key store from a backup.") from error


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
