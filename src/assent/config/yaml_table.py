"""A typed view of a YAML mapping; every error names the key and the line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import yaml

from assent.config.files import Source
from assent.config.table import did_you_mean
from assent.errors import ConfigError

MAX_DEPTH = 20
"""The deepest nesting of a file; a deeper one is a mistake, or an alias that contains itself."""
_TYPE_NAMES = {
    "tag:yaml.org,2002:str": "a text",
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:bool": "`true` or `false`",
    "tag:yaml.org,2002:null": "empty",
    "tag:yaml.org,2002:seq": "a list",
    "tag:yaml.org,2002:map": "a mapping",
}


@dataclass(frozen=True, slots=True)
class YamlTable:
    """The keys and values of a mapping, with the lines that they are on."""

    source: Source
    entries: dict[str, tuple[int, yaml.Node]]
    """The line of each key, and the value."""
    line: int = 1
    """The line that the mapping starts on."""
    path: str = ""
    """The keys from the top of the file to this mapping."""

    def check_keys(self, *known: str) -> None:
        """Raise an error for an unknown key: a misspelled key must not be ignored."""
        for key in self.entries:
            if key not in known:
                raise self.error(f"unknown key `{self._full_key(key)}`{did_you_mean(key, known)}", key)

    def text(self, key: str, default: str = "") -> str:
        """Return a text; the default if the key is missing."""
        node = self._find_value(key)
        return default if node is None else self._scalar_text(key, node, "str", "a text")

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return a boolean; the default if the key is missing."""
        node = self._find_value(key)
        if node is None:
            return default
        return self._scalar_text(key, node, "bool", "`true` or `false`").lower() in ("true", "yes", "on")

    def number(self, key: str, default: int) -> int:
        """Return a whole number above zero; the default if the key is missing."""
        node = self._find_value(key)
        if node is None:
            return default
        text = self._scalar_text(key, node, "int", "a whole number above zero")
        if not text.isdecimal() or int(text) < 1:
            raise self.error(f"`{self._full_key(key)}` must be a whole number above zero, not `{text}`", key)
        return int(text)

    def texts(self, key: str) -> tuple[tuple[int, str], ...]:
        """Return the lines and texts of a list; empty if the key is missing."""
        return tuple(
            (_line_number(item), self._scalar_text(key, item, "str", "a list of texts"))
            for item in self._list_items(key)
        )

    def table(self, key: str) -> "YamlTable":
        """Return the mapping under a key; empty if the key is missing."""
        node = self._find_value(key)
        if node is None:
            return YamlTable(self.source, {}, self.line, self._full_key(key))
        if not _is_mapping(node):
            raise self._type_error(key, node, "a mapping")
        return _to_table(self.source, node, self._full_key(key))

    def tables(self, key: str) -> Iterator["YamlTable"]:
        """Yield the mappings of a list; none if the key is missing."""
        for number, item in enumerate(self._list_items(key), start=1):
            path = f"{self._full_key(key)}[{number}]"
            if not _is_mapping(item):
                found = _type_name(item)
                raise ConfigError(
                    self.source.path, f"`{path}` must be a mapping, not {found}", line=_line_number(item)
                )
            yield _to_table(self.source, item, path)

    def error(self, reason: str, key: str = "") -> ConfigError:
        """Build an error that names the file and the line of a key, or else of the mapping."""
        line = self.entries[key][0] if key in self.entries else self.line
        return ConfigError(self.source.path, reason, line=line)

    def missing_key_error(self, key: str) -> ConfigError:
        """Build the error for a required key that is missing."""
        return self.error(f"`{self._full_key(key)}` is missing")

    def _full_key(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def _find_value(self, key: str) -> yaml.Node | None:
        entry = self.entries.get(key)
        return None if entry is None else entry[1]

    def _list_items(self, key: str) -> list[yaml.Node]:
        node = self._find_value(key)
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            raise self._type_error(key, node, "a list")
        return node.value

    def _scalar_text(self, key: str, node: yaml.Node, kind: str, expected: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or node.tag != f"tag:yaml.org,2002:{kind}":
            raise self._type_error(key, node, expected)
        return node.value

    def _type_error(self, key: str, node: yaml.Node, expected: str) -> ConfigError:
        reason = f"`{self._full_key(key)}` must be {expected}, not {_type_name(node)}"
        return ConfigError(self.source.path, reason, line=_line_number(node))


def read_yaml(source: Source) -> YamlTable:
    """Parse a YAML file that holds one mapping; anchors and plain values only, never objects of Python."""
    text = source.text
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise ConfigError(source.path, f"it is not valid YAML: {error.problem}", line=line) from None
    except (yaml.YAMLError, RecursionError) as error:
        reason = str(error).partition("\n")[0] or "it is nested too deeply"
        raise ConfigError(source.path, f"it is not valid YAML: {reason}") from None
    if not _is_mapping(node):
        found = "empty" if node is None else _type_name(node)
        raise ConfigError(source.path, f"it must hold a mapping, not {found}", line=1)
    return _to_table(source, node, "")


def _to_table(source: Source, node: yaml.MappingNode, path: str) -> YamlTable:
    if path.count(".") > MAX_DEPTH:
        raise ConfigError(source.path, "it is nested too deeply", line=_line_number(node))
    entries: dict[str, tuple[int, yaml.Node]] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else None
        if name is None:
            raise ConfigError(source.path, "a key must be a text", line=_line_number(key))
        if name in entries:
            full = f"{path}.{name}" if path else name
            raise ConfigError(
                source.path,
                f"`{full}` is there twice; first in line {entries[name][0]}",
                line=_line_number(key),
            )
        entries[name] = (_line_number(key), value)
    return YamlTable(source, entries, _line_number(node), path)


def _is_mapping(node: yaml.Node | None) -> TypeGuard[yaml.MappingNode]:
    # A tag can ask for another type, which we never build.
    return isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map"


def _line_number(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def _type_name(node: yaml.Node) -> str:
    return _TYPE_NAMES.get(node.tag, "another kind of value")
