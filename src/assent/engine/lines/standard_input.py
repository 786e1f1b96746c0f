"""What is fed to a command, and what its program takes that for."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from assent.engine.lines.command import Access, Command, Redirect
from assent.engine.lines.input_names import MOST_FED, Fed, InputSource
from assent.engine.lines.nested import Carried
from assent.engine.lines.nesting import carried
from assent.engine.lines.options import Options
from assent.engine.lines.touches import path_uses
from assent.engine.programs.catalog import lookup, runner_name, runs_arguments
from assent.engine.programs.program import InputRule, InputUse
from assent.engine.programs.word import HOLE, Word, base_name, versionless
from assent.engine.regex import regex

_STANDARD_INPUT = regex(
    r"(?:.*[=@:,])?-|-\w-|.*/dev/stdin\b.*|.*/dev/fd/\d+|.*/proc/[^/]+/fd/\d+|--(?:[\w-]+-)?stdin(?:=.*)?"
)
"""A word that names the standard input as a file."""
_OUTPUTS = regex(r"-[oO]|--output(?:-document)?(?:=.*)?|-[oO]-")
"""Options whose `-` is the standard output."""
_EVALUATES = regex(
    r"\b(?:exec\w*|eval\w*|system|popen\w*|subprocess|spawn\w*|child_process|Function|\w+_eval|pickle|marshal"
    r"|runpy|compile|call|unlink\w*|remove\w*|rmtree|rmdir\w*|rename\w*|chmod\w*|kill\w*|import_module"
    r"|__import__|require|source|qx)\b|`"
)
"""Code among the words that may run what it reads, or act on the names that it reads."""
_DEVICES = ("/dev/", "/proc/", "/sys/")


def fed_to(command: Command, inner: Iterable[Fed | None], takes: Callable[[Command], InputUse]) -> Fed | None:
    """What is fed to a command or to what it carries, where that is more than data to one of them."""
    own = source_of(command)
    below = [one for one in inner if one is not None]
    # A text that what it carries gives itself is spelled out among its words.
    found = {one for one in below if one.text is None and not _is_same(one, own)}
    if own is not None:
        taken = takes(command)
        same = [one for one in below if _is_same(one, own)]
        must = taken not in (InputUse.DATA, InputUse.UNKNOWN) or any(one.must for one in same)
        if must or same or taken is InputUse.UNKNOWN:
            found.add(own._replace(must=must))
    if len(found) < 2:
        return next(iter(found), None)
    return Fed(unnamed=InputSource.SEVERAL, must=any(one.must for one in found))


def _is_same(one: Fed, own: Fed | None) -> bool:
    return own is not None and one._replace(must=True) == own


def source_of(command: Command) -> Fed | None:
    """What is on a command's standard input; None when the line gives it nothing."""
    if command.piped:
        return Fed(unnamed=InputSource.PIPE)
    given = [one for one in (*command.redirects, *command.inherited) if one.feeds]
    if not given:
        return None
    return (
        _of_redirect(given[0], command.directories) if len(given) == 1 else Fed(unnamed=InputSource.SEVERAL)
    )


def _of_redirect(redirect: Redirect, directories: tuple[str, ...]) -> Fed:
    target = redirect.target
    if redirect.access is Access.WRITE:
        return Fed(unnamed=InputSource.WRITTEN_FILE)
    if redirect.access is Access.TEXT:
        if not redirect.exact or not target.known or target.tilde:
            return Fed(unnamed=InputSource.UNKNOWN_TEXT)
        return Fed(text=target.text) if len(target.text) <= MOST_FED else Fed(unnamed=InputSource.LARGE_TEXT)
    if not target.known or target.text.startswith(_DEVICES):
        return Fed(unnamed=InputSource.UNKNOWN_FILE)
    files = path_uses((target,), directories)
    return Fed(file=files[0]) if len(files) == 1 else Fed(unnamed=InputSource.UNKNOWN_FILE)


def takes(command: Command) -> InputUse:
    """What a program of bash's takes its standard input for, by its words."""
    return takes_by(command, carried)


def takes_by(command: Command, carried_by: Callable[[Command], Carried | None]) -> InputUse:
    """The same for any shell, whose way to look through programs is given."""
    words = command.words
    name = _name(command.program)
    known = _by_table(name, words)
    if known is not None:
        return known
    if _names_input(name, words):
        return InputUse.INSTRUCTIONS
    if _hands_input_on(name, words) and _runs_input(command, carried_by):
        return InputUse.INSTRUCTIONS
    if lookup(runner_name(command.program) or name).is_interpreter:
        code = any(_EVALUATES.search(word.text) for word in words[1:] if " " in word.text or "(" in word.text)
        return InputUse.INSTRUCTIONS if code else InputUse.DATA
    if command.function or _is_known(command.program):
        return InputUse.DATA
    return InputUse.UNKNOWN


def _by_table(name: str, words: tuple[Word, ...]) -> InputUse | None:
    found = (rule.use for rule in lookup(name).input if _fits(rule, words))
    return next(found, None)


def _fits(rule: InputRule, words: tuple[Word, ...]) -> bool:
    """Whether a program whose words are these reads its input in this way."""
    if rule.only and not any(_is_one_of(word.text, rule.only) for word in words[1:]):
        return False
    own = Options(f"{rule.options} -* --*", words)
    operands = own.operands()
    if rule.commands and (not operands or operands[0].text not in rule.commands.split()):
        return False
    if own.values(";"):
        return False
    # An option of which nothing is known may have taken an operand for its value.
    named = len(operands) - bool(rule.commands) - own.assumed
    stands_for_input = any(_STANDARD_INPUT.fullmatch(word.text) for word in operands)
    return not rule.operands or named < rule.operands or stands_for_input


def _is_one_of(text: str, names: str) -> bool:
    """Whether a word is one of these, or a bundle of short options that holds one."""
    listed = names.split()
    if text in listed or text.partition("=")[0] in listed:
        return True
    letters = {name[1] for name in listed if len(name) == 2 and name[0] == "-"}
    return text[:1] == "-" and text[1:2] != "-" and text[1:].isalpha() and bool(letters & set(text[1:]))


def _names_input(name: str, words: tuple[Word, ...]) -> bool:
    """Whether some word names the standard input as a file to act upon."""
    texts = [word.text for word in words]
    if {"*", *texts[1:2]}.intersection(lookup(name).dash_is_data.split()):
        return False
    for at, text in enumerate(texts[1:], 1):
        output = _OUTPUTS.fullmatch(text) or (text == "-" and _OUTPUTS.fullmatch(texts[at - 1]))
        if _STANDARD_INPUT.fullmatch(text) and not output:
            return True
    return False


def _hands_input_on(name: str, words: tuple[Word, ...]) -> bool:
    """Whether a program that runs another elsewhere gives it the input, too."""
    needed = lookup(name).attaches_with
    return not needed or any(_is_one_of(word.text, needed) for word in words[1:])


def _runs_input(command: Command, carried_by: Callable[[Command], Carried | None]) -> bool:
    """Whether its own table says that it would run what a pipe gives it."""
    alone = command._replace(
        assignments=(), redirects=(), piped=False, fed=None, given=None, input=None, drafts=(), inherited=()
    )
    fed = carried_by(alone._replace(piped=True))
    if fed is None or not fed.computed:
        return False
    unfed = carried_by(alone)
    return unfed is None or not unfed.computed


@lru_cache(maxsize=4096)
def _name(program: str) -> str:
    """The name by which a program stands in the table: without directory, ending and version."""
    name = base_name(program)
    plain = name.lower().removesuffix(".exe").removesuffix(".cmd")
    for found in (name, plain, versionless(plain)):
        if lookup(found).input:
            return found
    return name


@lru_cache(maxsize=4096)
def _is_known(program: str) -> bool:
    """Whether any table names the program, or it is a script of the project's own."""
    name = _name(program)
    if "/" in program and not program.startswith(("/", "~")):
        return True
    if HOLE in program:
        return False
    known = lookup(name)
    listed = known.takes_data or known.writes is not None or known.reads is not None
    return listed or runs_arguments(name) or runs_arguments(versionless(name))
