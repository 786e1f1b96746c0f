"""The package indexes of pip reach uv, and no other settings do."""

from tools.pip_settings import pip_settings, uv_environment


def test_the_stronger_setting_of_pip_is_used() -> None:
    listing = (
        "global.index-url='https://global.example/simple'\ninstall.index-url='https://install.example/simple'"
    )

    assert pip_settings(listing, {}) == {"index-url": "https://install.example/simple"}
    assert pip_settings(listing, {"PIP_INDEX_URL": "https://own.example"}) == {
        "index-url": "https://own.example"
    }


def test_several_extra_indexes_are_passed_to_uv() -> None:
    settings = pip_settings("global.extra-index-url='\\nhttps://a.example\\nhttps://b.example'", {})

    assert uv_environment(settings, {}) == {
        "UV_INDEX": "https://a.example https://b.example",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }


def test_settings_of_uv_are_kept() -> None:
    settings = {"index-url": "https://pip.example", "find-links": "one two"}

    assert uv_environment(settings, {"UV_DEFAULT_INDEX": "https://uv.example"}) == {
        "UV_FIND_LINKS": "one,two"
    }
    assert uv_environment(settings, {"UV_INDEX_URL": "https://uv.example"}) == {"UV_FIND_LINKS": "one,two"}


def test_other_settings_of_pip_are_not_passed() -> None:
    assert uv_environment(pip_settings("global.timeout='180'\nglobal.user='true'", {}), {}) == {}
