"""`assent doctor` looks at everything Assent needs and says what to do."""

import json

import pytest

from tests.cli.running import Place


def findings(place: Place) -> dict[str, str]:
    return {found["what"]: found["state"] for found in json.loads(place.run("doctor", "--json").out)}


def test_a_fresh_place_is_well(place: Place) -> None:
    ran = place.run("doctor")

    assert (ran.status, ran.err) == (0, "")
    assert findings(place)["the engine reads shell lines"] == "ok"
    assert findings(place)["no policy file: the shipped policy holds"] == "note"
    assert "`assent init` writes one" in ran.out


@pytest.mark.proves("R-13")
def test_a_broken_policy_fails_with_its_reason(place: Place) -> None:
    path = place.write_user_file("mode = ")

    ran = place.run("doctor")

    assert ran.status == 1
    assert f"fail  policy: cannot use {path}, line 1: invalid value" in ran.out


@pytest.mark.proves("T-19")
def test_a_policy_that_others_may_write_fails_with_what_to_do(place: Place) -> None:
    path = place.write_user_file('mode = "plan"\n', mode=0o666)

    ran = place.run("doctor")

    assert ran.status == 1
    assert f"run `chmod go-w {path}`" in ran.out


def test_what_is_not_trusted_is_a_note(place: Place) -> None:
    place.write(".assent/config.toml", 'allow = ["Bash"]\n')

    ran = place.run("doctor")

    assert ran.status == 0
    assert (
        "note  policy: mode default, preset assent, 0 rule(s); the repository's own files are not trusted"
        in ran.out
    )
    assert "`assent config trust` shows what they would loosen" in ran.out


def test_broken_trust_is_a_failure(place: Place) -> None:
    directory = place.home / ".local" / "share" / "assent"
    directory.mkdir(parents=True, mode=0o700)
    (directory / "trust.json").write_text("{")

    ran = place.run("doctor")

    assert ran.status == 1
    assert "remove it to trust nothing" in ran.out
