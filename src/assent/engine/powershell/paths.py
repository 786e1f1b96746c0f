"""Paths in the syntax of PowerShell, and the paths that a command passes on through a pipe."""

import re
from collections.abc import Iterable

from assent.engine.base.globs import parse_glob
from assent.engine.base.lazy import regex
from assent.engine.base.sensitive_paths import could_be_secret, is_secret_name
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlet_table import CmdletOutput, ParameterKind
from assent.engine.powershell.cmdlets import Argument, Cmdlet
from assent.engine.programs import catalog
from assent.engine.programs.variables import is_secret_variable
from assent.engine.programs.word import UNKNOWN_MARK, Word

Values = tuple[Word, ...]
"""The values of an expression, or of a command in a pipe."""

PLAIN_UNKNOWN: Values = (Word(UNKNOWN_MARK, quoted=True),)
"""Unknown texts, or unknown objects with fixed properties."""

_DRIVE = regex(r"[A-Za-z]:(?!:)")
_MEMORY_DRIVE = regex(r"(?:variable|function|alias):", re.IGNORECASE)
"""A path of something in the memory of the session."""
_ENVIRONMENT_PATH = regex(r"env:[\\/]?([^\\/*?\[\0]+)", re.IGNORECASE)
"""A path of an environment variable."""
_HIDDEN_SECRETS = (".env", ".envrc", ".secrets", ".htpasswd", ".vault-token")
"""Names of secret files of projects that begin with a dot."""
_WILDCARD = regex(r"\?|\[[^\]]*\]?")
_SHORT_NAME = regex(r"~\d")
"""A short file name of Windows, such as `PROGRA~1`."""
_FILE_NAME = regex(r"[\w.*?-]+")
_PATH_PROPERTIES = frozenset({"fullname", "pspath", "path"})
_HIDDEN_SWITCHES = frozenset({"Attributes", "Force", "Hidden", "System"})
"""Switches of a listing that also list hidden files."""


def to_files(words: Iterable[Word]) -> tuple[Word, ...] | None:
    """Convert paths to files; None if one of the paths may not be a file."""
    found: list[Word] = []
    for word in words:
        if _is_session_path(word.text):
            continue
        file = to_file(word)
        if file is None:
            return None
        found.append(file)
    return tuple(found)


def to_file(word: Word) -> Word | None:
    """Convert a path to the syntax of the engine; None if it may not be in the file system."""
    text = word.text
    drive = _DRIVE.match(text)
    if ":" in (text[2:] if drive else text) or "`" in text or _SHORT_NAME.search(text):
        return None
    if any(_does_windows_trim_end(part) for part in re.split(r"[\\/]", text)):
        return None
    glob = any(mark in text for mark in "*?[")
    if drive or text.startswith(("\\\\", "//")):
        return word._replace(glob=glob, tilde=False)
    text = text.replace("\\", "/")
    if text[:1] in ("*", "?", "["):
        text = "./" + text
    return word._replace(text=text, glob=glob, tilde=text == "~" or text.startswith("~/"))


def child_path(directory: Word, name: str) -> Word:
    """The path of a name in a directory."""
    text = directory.text
    if text in ("", "."):
        text = "./"
    elif text[-1] not in "\\/":
        text += "\\" if "\\" in text or _DRIVE.match(text) else "/"
    glob = any(mark in text + name for mark in "*?[")
    return Word(text + name, glob=glob, tilde=directory.tilde, quoted=True, listed=True)


def to_narrower_path(word: Word) -> Word:
    """A path for some, but not all, of the files that the given path matches."""
    if not word.glob or word.text[-1:] != "*":
        return word
    return word._replace(text=word.text.rstrip("*") + UNKNOWN_MARK, glob=False)


def has_provider(text: str) -> bool:
    """Whether a path names a provider other than the file system, such as the registry."""
    return ":" in text and not _DRIVE.match(text)


def is_local_path(word: Word) -> bool:
    """Whether a location is certainly in the file system of this machine, or only a name."""
    text = word.text.replace("\\", "/")
    return not text.startswith(("//", UNKNOWN_MARK)) and not has_provider(text)


def may_be_secret(name: str) -> bool:
    """Whether a file name or pattern may mean a secret; in PowerShell, a star also matches a leading dot."""
    glob = any(mark in name for mark in "*?[")
    if is_secret_name(name) or (glob and could_be_secret(name)):
        return True
    pattern = _WILDCARD.sub("*", name.lower()) if glob else f".{name.lower()}"
    return pattern.strip("*.") != "" and any(parse_glob(pattern).matches(one) for one in _HIDDEN_SECRETS)


def piped_values(words: Values, piped_input: Values | None) -> Values | None:
    """The values that a command passes to the next command of a pipeline; None if they are unknown."""
    cmdlet = cmdlets.find_cmdlet(words[0].text)
    if cmdlet is None:
        return PLAIN_UNKNOWN if _is_program(words[0].text) else None
    arguments = cmdlets.bind_arguments(cmdlet, words[1:])
    if arguments is None:
        return None
    secret = _mentions_secrets(words)
    if secret and piped_input != PLAIN_UNKNOWN and cmdlet.entry.output is not CmdletOutput.CHILDREN:
        return None
    return _output_values(cmdlet, arguments, piped_input, secret=secret)


def may_have_chosen_properties(word: Word) -> bool:
    """Whether a value may be an object whose properties the text chose, or a secret file."""
    return UNKNOWN_MARK in word.text and not word.quoted


def _is_session_path(text: str) -> bool:
    """Whether a path names an object in the memory of the session that cannot be a secret."""
    found = _ENVIRONMENT_PATH.fullmatch(text)
    return bool(_MEMORY_DRIVE.match(text)) or (found is not None and not is_secret_variable(found[1]))


def _does_windows_trim_end(part: str) -> bool:
    """Whether Windows removes the last character of a file name."""
    return part not in (".", "..") and part[-1:] in (".", " ")


def _is_program(program: str) -> bool:
    """Whether a name is a program, which only prints text; functions and scripts return objects."""
    if UNKNOWN_MARK in program or program.lower().endswith(".ps1"):
        return False
    return "-" not in cmdlets.canonical_name(program) or catalog.find_read_entry(program) is not None


def _output_values(
    cmdlet: Cmdlet, arguments: tuple[Argument, ...], piped_input: Values | None, *, secret: bool
) -> Values | None:
    """The output of a cmdlet, by its entry in the table."""
    match cmdlet.entry.output:
        case CmdletOutput.UNKNOWN:
            return None
        case CmdletOutput.CHILDREN:
            return _listed_children(arguments, secret=secret)
        case CmdletOutput.PLAIN:
            read = (*_paths_read_by(arguments), *(piped_input or ())) if cmdlet.name == "Get-Content" else ()
            # The content of a variable may be any object.
            return None if any(has_provider(word.text) for word in read) else PLAIN_UNKNOWN
        case CmdletOutput.ITEMS:
            return tuple(_to_listed_file(word) for word in _paths_read_by(arguments)) or piped_input
        case CmdletOutput.ARGUMENTS:
            return _parameter_values(arguments, "InputObject")
        case CmdletOutput.JOINED_PATH:
            return _joined_path(arguments)
        case CmdletOutput.INPUT:
            return piped_input
        case CmdletOutput.SOME:
            return None if piped_input is None else tuple(to_narrower_path(word) for word in piped_input)
        case CmdletOutput.SELECTED:
            return _selected_values(arguments, piped_input)
        case CmdletOutput.EACH:
            return _member_values(arguments, piped_input)


def _listed_children(arguments: tuple[Argument, ...], *, secret: bool) -> Values:
    """The files that a listing finds; for files that may be secrets, only the directory is known."""
    given = {argument.parameter.name for argument in arguments}
    if cmdlets.is_switch_on(arguments, "Name"):
        return PLAIN_UNKNOWN
    filters = [word.text for word in _parameter_values(arguments, "Filter")]
    deep = bool({"Recurse", "Depth", "Include", "Exclude"} & given) or len(filters) > 1
    name = UNKNOWN_MARK if deep else (filters or ["*"])[0]
    found = _paths_read_by(arguments) or (Word("."),)
    if secret or _HIDDEN_SWITCHES & given:
        return tuple(child_path(word, UNKNOWN_MARK)._replace(listed=False, quoted=False) for word in found)
    return tuple(
        _to_listed_file(word) if _has_glob(word.text) and not deep else child_path(word, name)
        for word in found
    )


def _joined_path(arguments: tuple[Argument, ...]) -> Values | None:
    """The path that `Join-Path` creates from one directory and one name."""
    parts = {argument.parameter.name: argument.values for argument in arguments}
    if set(parts) != {"Path", "ChildPath"} or any(len(values) != 1 for values in parts.values()):
        return None
    return (child_path(parts["Path"][0], parts["ChildPath"][0].text)._replace(listed=False),)


def _selected_values(arguments: tuple[Argument, ...], piped_input: Values | None) -> Values | None:
    """Some values of the input, or the properties that `Select-Object` names."""
    if piped_input is None:
        return None
    chosen = [argument for argument in arguments if argument.parameter.name in ("Property", "ExpandProperty")]
    if all(_is_path_property(argument) for argument in chosen):
        return tuple(to_narrower_path(word) for word in piped_input)
    return _property_values(piped_input, *(word for argument in chosen for word in argument.values))


def _member_values(arguments: tuple[Argument, ...], piped_input: Values | None) -> Values | None:
    """The member that `ForEach-Object` names, for each value of the input."""
    if piped_input is None or len(arguments) != 1:
        return None
    return (
        piped_input
        if _is_path_property(arguments[0])
        else _property_values(piped_input, *arguments[0].values)
    )


def _mentions_secrets(words: Values) -> bool:
    """Whether a command mentions files that may be secrets."""
    names = [name for word in words[1:] for name in _FILE_NAME.findall(word.text)]
    return any(may_be_secret(name) for name in names)


def _is_path_property(argument: Argument) -> bool:
    """Whether an argument names a property that is the path of a file."""
    return len(argument.values) == 1 and argument.values[0].text.lower() in _PATH_PROPERTIES


def _property_values(piped_input: Values, *names: Word) -> Values | None:
    """The values of properties that objects already have; None if a table or a block creates new ones."""
    made = any(name.is_opaque or name.text[:1] in ("{", "@") for name in names)
    return None if made or any(may_have_chosen_properties(word) for word in piped_input) else PLAIN_UNKNOWN


def _to_listed_file(word: Word) -> Word:
    """Convert a path to a listed file."""
    return (to_file(word) or word)._replace(listed=True, quoted=True)


def _paths_read_by(arguments: tuple[Argument, ...]) -> Values:
    """The paths that the arguments read."""
    return tuple(
        word
        for argument in arguments
        if argument.parameter.kind is ParameterKind.READ_PATH
        for word in argument.values
    )


def _parameter_values(arguments: tuple[Argument, ...], name: str) -> Values:
    """The values of the parameter with this name."""
    return tuple(
        word for argument in arguments if argument.parameter.name == name for word in argument.values
    )


def _has_glob(text: str) -> bool:
    """Whether a text contains a wildcard."""
    return any(mark in text for mark in "*?[")
