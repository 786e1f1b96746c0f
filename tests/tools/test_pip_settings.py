"""The package indexes of pip reach uv, and no other settings do."""

from tools.pip_settings import pip_settings, uv_environment


def test_the_heavier_of_pips_settings_counts() -> None:
    listing = (
        "global.index-url='https://global.example/simple'\ninstall.index-url='https://install.example/simple'"
    )

    assert pip_settings(listing, {}) == {"index-url": "https://install.example/simple"}
    assert pip_settings(listing, {"PIP_INDEX_URL": "https://own.example"}) == {
        "index-url": "https://own.example"
    }


def test_several_further_indexes_are_handed_over_together() -> None:
    settings = pip_settings("global.extra-index-url='\\nhttps://a.example\\nhttps://b.example'", {})

    assert uv_environment(settings, {}) == {
        "UV_INDEX": "https://a.example https://b.example",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }


def test_what_uv_was_told_directly_stays() -> None:
    settings = {"index-url": "https://pip.example", "find-links": "one two"}

    assert uv_environment(settings, {"UV_DEFAULT_INDEX": "https://uv.example"}) == {
        "UV_FIND_LINKS": "one,two"
    }
    assert uv_environment(settings, {"UV_INDEX_URL": "https://uv.example"}) == {"UV_FIND_LINKS": "one,two"}


def test_settings_that_are_not_about_indexes_are_left_alone() -> None:
    assert uv_environment(pip_settings("global.timeout='180'\nglobal.user='true'", {}), {}) == {}
