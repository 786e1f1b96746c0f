"""What a rule means, in words, and calls that show its edges."""

from collections.abc import Iterator

from assent.engine.lines.quoting import pattern_words
from assent.engine.model import Dialect, Tool
from assent.engine.policy.arguments import named_arguments
from assent.engine.policy.path_rules import Anchor, parse_path
from assent.engine.policy.rule import Rule

_BASES = {
    Anchor.ABSOLUTE: "the whole file system",
    Anchor.HOME: "the home directory",
    Anchor.ROOT: "the workspace",
    Anchor.CWD: "the directory the agent works in",
}


def in_words(rule: Rule, tool: Tool | None) -> Iterator[str]:
    """Sentences about a rule; a tool that is not known can only be described by its name."""
    yield _about_tool(rule, tool)
    if rule.specifier is None:
        yield "means every call of it, whatever the arguments"
    elif tool is None:
        yield f"and its specifier `{rule.specifier}`, which only the tool's dialect gives a meaning"
    else:
        yield from _about_specifier(rule.specifier, tool)


def examples_of(rule: Rule, tool: Tool) -> list[str]:
    """Specifiers on both sides of a rule's edges."""
    if rule.specifier is None:
        return []
    match tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            return _commands(pattern_words(rule.specifier))
        case Dialect.PATH:
            return _paths(rule.specifier)
        case Dialect.TEXT:
            return _texts(rule.specifier, tool)


def _about_tool(rule: Rule, tool: Tool | None) -> str:
    if "*" in rule.tool:
        return f"is about every tool whose name looks like `{rule.tool}`"
    if tool is None:
        return f"is about the tool `{rule.tool}`, which is not one of the well-known ones"
    return f"is about `{tool.name}`: dialect {tool.dialect}, effect {tool.effect}"


def _about_specifier(specifier: str, tool: Tool) -> Iterator[str]:
    match tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            yield from _about_command(pattern_words(specifier))
        case Dialect.PATH:
            yield from _about_path(specifier)
        case Dialect.TEXT if tool.template is None and (named := named_arguments(specifier)):
            for argument in named:
                yield f"and the argument `{argument.name}` is there and looks like `{argument.pattern}`"
        case Dialect.TEXT:
            yield f"and its specifier looks like `{specifier}`, where `*` stands for anything"


def _about_command(words: tuple[str, ...]) -> Iterator[str]:
    if words[-1:] == ("*",):
        yield f"and a command that begins with `{' '.join(words[:-1])}`, with or without more words"
    else:
        yield f"and the command `{' '.join(words)}`, word for word"
    yield "deny and ask hit when any command of a line matches, however it is wrapped or quoted;"
    yield "there a `*` inside stands for anything, blanks included"
    yield "allow covers a line when each of its commands is covered by some rule or only reads;"
    yield "there a `*` inside stays in its word, and output to a file is never covered"


def _about_path(specifier: str) -> Iterator[str]:
    pattern = parse_path(specifier)
    where = _BASES[pattern.anchor]
    what = "/".join(component for component in pattern.components if component != "**") or "any file"
    depth = " at any depth" if pattern.components[0] == "**" else ""
    below = "what is below " if pattern.below_only else ""
    yield f"and {below}`{what}`{depth} in {where}"
    yield "deny and ask hit the path as written or the file it really leads to; allow needs both"
    yield "the files that shell commands are seen to read and write are measured by it, too"


def _commands(words: tuple[str, ...]) -> list[str]:
    is_open = words[-1:] == ("*",)
    plain = " ".join(_plain(word) for word in (words[:-1] if is_open else words))
    return [
        plain,
        f"{plain} more",
        f"{plain}more",
        f"sudo {plain}",
        f"bash -c '{plain}'",
        f"{plain} && other",
        f"{plain} > file",
        f"{plain} $(other)",
        f"echo '{plain}'",
    ]


def _plain(word: str) -> str:
    """A word that a pattern matches; a star that is meant as one stays one."""
    return "\\*".join(piece.replace("*", "x") for piece in word.split("\\*"))


def _paths(specifier: str) -> list[str]:
    plain = specifier.replace("**", "a/b").replace("*", "x").rstrip("/")
    inside = plain.lstrip("/") if plain.startswith("/") and not plain.startswith("//") else plain
    inside = inside[1:] if inside.startswith("//") else inside
    return [inside, f"{inside}/below", f"elsewhere/{inside.lstrip('/~.')}", f"{inside}/../../../etc/passwd"]


def _texts(specifier: str, tool: Tool) -> list[str]:
    plain = specifier.replace("*", "x")
    if tool.template is None and named_arguments(specifier):
        return [plain, f"{plain}, other=1", "other=1"]
    return [plain, f"{plain} more", f"more {plain}"]
