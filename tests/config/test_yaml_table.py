"""A YAML file is read without building objects, and an alias cannot make it endless."""

import pytest

from assent.config.files import Source
from assent.config.yaml_table import read_yaml
from assent.errors import ConfigError


def test_an_anchor_is_used_twice() -> None:
    table = read_yaml(Source("x.yaml", b"a: &tools [b, c]\nd: *tools\n"))

    assert [text for _, text in table.texts("d")] == ["b", "c"]


def test_a_value_of_another_type_is_an_error_with_its_line() -> None:
    table = read_yaml(Source("x.yaml", b"a: 1\nb: [x]\nc: null\n"))

    for key, line in (("a", 1), ("b", 2), ("c", 3)):
        with pytest.raises(ConfigError, match=f"`{key}` must be a text") as caught:
            table.text(key)
        assert caught.value.line == line


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a: 1\n---\nb: 2\n", "not valid YAML"),
        (b"a: *gone\n", "not valid YAML"),
        (b"? [a, b]\n: 1\n", "a key must be a text"),
        (b"a: " + b"[" * 5000, "not valid YAML"),
        (b"a: \x00\n", "not valid YAML"),
        (b"\xff: 1\n", "not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_an_error(data: bytes, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        read_yaml(Source("x.yaml", data))
