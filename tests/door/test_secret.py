"""Secrets cannot be guessed, are recognised wherever they leak, and leave nothing behind but a digest."""

import hashlib

import pytest

from assent.door.secret import Prefix, digest_of, holds_secret, is_secret, new_secret, prefix_of, start_of
from assent.gate.access import Kind


@pytest.mark.parametrize("prefix", Prefix)
def test_a_secret_has_256_random_bits_behind_its_prefix(prefix: Prefix) -> None:
    made = {new_secret(prefix) for _ in range(100)}

    assert len(made) == 100
    assert all(is_secret(one) and one.startswith(prefix) and len(one) == len(prefix) + 43 for one in made)


def test_a_kind_of_principal_has_a_prefix_of_its_own() -> None:
    assert [prefix_of(kind) for kind in Kind] == [Prefix.PERSON, Prefix.AGENT, Prefix.SERVICE]


@pytest.mark.parametrize(
    "text",
    ["", "assent_p_", "assent_p_" + "a" * 42, "assent_p_" + "a" * 44, "assent_x_" + "a" * 43, "Assent_p_" + "a" * 43,
     "assent_p_" + "a" * 42 + "ä", " assent_p_" + "a" * 43, "assent_p_" + "a" * 43 + "\n"],
)  # fmt: skip
def test_what_is_shaped_otherwise_is_no_secret(text: str) -> None:
    assert not is_secret(text)


def test_a_secret_is_found_in_the_middle_of_a_text() -> None:
    assert holds_secret(f"a=1&x={new_secret(Prefix.LINK)}&b=2")
    assert not holds_secret("a=1&x=assent_p_short&b=2")


def test_what_is_kept_of_a_secret_is_its_digest_and_its_start() -> None:
    secret = new_secret(Prefix.PERSON)

    assert digest_of(secret) == hashlib.sha256(secret.encode()).hexdigest()
    assert start_of(secret) == secret[:15]
