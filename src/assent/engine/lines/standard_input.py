"""Find the standard input of a command, and what its program uses it for."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command, NestedCode, Redirect, RedirectAccess
from assent.engine.lines.nested import find_nested
from assent.engine.lines.options import OptionParser
from assent.engine.lines.part import to_path_uses
from assent.engine.lines.specifier import MAX_NAMED_INPUT, InputSource, StandardInput
from assent.engine.programs.catalog import find_program, runner_name, runs_arguments
from assent.engine.programs.runs import SESSION_WORDS, InputRule, InputUse
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name, without_version

_STANDARD_INPUT_NAME = regex(
    r"(?:.*[=@:,])?-|-\w+-|[cxtvzjJpa]*f-|.*/dev/stdin\b.*|.*/dev/fd/\d+|.*/proc/[^/]+/fd/\d+|--(?:[\w-]+-)?stdin(?:=.*)?"
)
"""A word that names the standard input as a file."""
_OUTPUT_OPTION = regex(r"-\w*[oO]-?|--output(?:-document)?(?:=.*)?")
"""An option whose value `-` means the standard output."""
_INPUT_RUNNING_CODE = regex(
    # Code from a text, in many languages.
    r"\b(?:exec\w*|eval\w*|\w*compile|call|call_\w+|include\w*|require\w*|import_module|unsafe_load|full_load"
    r"|loadstring|dofile|constructor|Function|WebAssembly|assert|autoload|unserialize|readRDS|parse_expr"
    r"|pickle|marshal|Marshal|dill|cloudpickle|joblib|shelve|runpy|codeop|pdb|bdb|ipdb|breakpoint|interact"
    r"|Interactive\w+|timeit|cProfile|doctest|fileConfig|dictConfig|builtins|globals|locals|vars|getattr|setattr"
    r"|modules|public_send|binding|const_get|define_method|instance_exec|create_function"
    r"|setTimeout|setInterval|setImmediate|Worker|Reflect|globalThis"
    # Programs.
    r"|system\d?|popen\w*|open[23]|subprocess|spawn\w*|child_process|fork|qx|readpipe|syscall|pty|multiprocessing"
    r"|ctypes|cffi|CDLL|dlopen|chdir|chroot|putenv|setenv"
    # Files and addresses whose names the input may contain.
    r"|unlink\w*|remove\w*|rmtree|rmdir\w*|rename\w*|chmod\w*|chown\w*|kill\w*|truncate\w*|symlink\w*|utime"
    r"|mkdir\w*|makedirs|write_text|write_bytes|writeFile\w*|appendFile\w*|rmSync|copy\w*|cpSync"
    r"|createWriteStream|file_put_contents|fopen|sysopen|urlopen|urlretrieve|requests|httpx|shutil|FileUtils|pathlib)\b"
    r"|\b\w+_(?:eval|exec|shell)\b|\bshell_\w+|\bproc_\w+|\bcreate_subprocess_\w+|\b__\w+__"
    r"|(?<!json\.)\bload\w*\b|\bos\.(?:replace|link)\b|/dev/(?:stdin|fd)|php://|`|%x|\bimport\s*\("
    # Common words that act only where they are called.
    r"|\b(?:link|delete|source|send|fetch|touch|move|mv|rm|vm|repl|embed|shell|evaluate|run|runCommand|do)\b"
    r"\s*[(.$@%&*'\"]"
    # A file whose name is computed: `open($_)`, but not `open('a')` or `open(0)`.
    r"|\bopen\b(?!\s*\(\s*(?:[rb]?'[^']*'|[rb]?\"[^\"$]*\"|0|sys\.argv\[\d\])\s*[,)])"
    # A function or a method whose name is computed, and `s/…/…/ee` in Perl.
    r"|&\$|&\{|\$\w+\s*\(|->\s*\(|->\s*\$|[\]}]\s*\("
    r"|[/|!#,})\]~@%:;][msixpodualngcr]*e[msixpodualngcr]*e[msixpodualngcr]*\s*(?:[;}]|$)"
)
"""Code in a word that may run its input, or act on names in its input."""
_PLAIN_WORD = regex(r"[\w./:@%+=,~^-]*")
_CODE_OPTION = regex(r"-\w*[ceEnpRBrx]|--(?:eval|execute|expression|print|command|run)|-eval|/c")
"""An option of an interpreter, or the last of a bundle, whose value is code."""
_MAX_WORDS_BEFORE_SESSION = 4
_CODE_LETTERS = frozenset("ceEnprRB")
"""Short options whose value may be code, also attached: `perl -neeval`."""
_MAX_BUNDLE = 8
"""The maximal number of characters of a bundle of short options before its value."""
_DEVICE_PREFIXES = ("/dev/", "/proc/", "/sys/")


def find_input(
    command: Command,
    nested_inputs: Iterable[StandardInput | None],
    find_input_use: Callable[[Command], InputUse],
    *,
    fills_words: bool = False,
) -> StandardInput | None:
    """The input of a command or of a nested command, if the program may use it as more than data.

    `fills_words` is true if the command runs a text with unknown words, which the input may fill:
    `sh -c 'while read f; do rm "$f"; done'`.
    """
    own = find_own_input(command)
    below = [one for one in nested_inputs if one is not None]
    # The text of a nested command is already among the words of the command.
    found = {one for one in below if one.text is None and not _is_same_input(one, own)}
    if own is not None:
        taken = find_input_use(command)
        same = [one for one in below if _is_same_input(one, own)]
        must = fills_words or taken not in (InputUse.DATA, InputUse.UNKNOWN)
        must = must or any(one.must_be_named for one in same)
        if must or same or taken is InputUse.UNKNOWN:
            found.add(own._replace(must_be_named=must))
    if len(found) < 2:
        return next(iter(found), None)
    return StandardInput(
        unnamed_source=InputSource.SEVERAL, must_be_named=any(one.must_be_named for one in found)
    )


def _is_same_input(nested: StandardInput, own: StandardInput | None) -> bool:
    """Whether the nested command reads the same input as the outer command."""
    return own is not None and nested._replace(must_be_named=True) == own


def find_own_input(command: Command) -> StandardInput | None:
    """The standard input of a command; None if the line gives the command no input."""
    if command.piped:
        return StandardInput(unnamed_source=InputSource.PIPE)
    given = [one for one in (*command.redirects, *command.inherited_redirects) if one.is_input]
    if not given:
        return None
    return (
        _redirect_input(given[0], command.directories)
        if len(given) == 1
        else StandardInput(unnamed_source=InputSource.SEVERAL)
    )


def _redirect_input(redirect: Redirect, directories: tuple[str, ...]) -> StandardInput:
    """The standard input that a redirection provides."""
    target = redirect.target
    if redirect.access is RedirectAccess.WRITE:
        return StandardInput(unnamed_source=InputSource.WRITTEN_FILE)
    if redirect.access is RedirectAccess.TEXT:
        if not redirect.exact or not target.is_known or target.tilde:
            return StandardInput(unnamed_source=InputSource.UNKNOWN_TEXT)
        return (
            StandardInput(text=target.text)
            if len(target.text) <= MAX_NAMED_INPUT
            else StandardInput(unnamed_source=InputSource.LARGE_TEXT)
        )
    if not target.is_known or target.text.startswith(_DEVICE_PREFIXES):
        return StandardInput(unnamed_source=InputSource.UNKNOWN_FILE)
    files = to_path_uses((target,), directories)
    return (
        StandardInput(file=files[0])
        if len(files) == 1
        else StandardInput(unnamed_source=InputSource.UNKNOWN_FILE)
    )


def find_bash_input_use(command: Command) -> InputUse:
    """What a bash command uses its standard input for."""
    return find_program_input_use(command, find_nested)


def find_program_input_use(command: Command, find_nested: Callable[[Command], NestedCode | None]) -> InputUse:
    """What a program uses its standard input for; `find_nested` is that of its shell language."""
    words = command.words
    name = _catalog_name(command.program)
    known = _input_use_by_table(name, words)
    if known is not None:
        return known
    if _names_standard_input(name, words):
        return InputUse.INSTRUCTIONS
    if _forwards_input(name, words) and _runs_input(command, find_nested):
        return InputUse.INSTRUCTIONS
    if _begins_session(words) and not _runs_words(command, find_nested):
        return InputUse.INSTRUCTIONS
    if find_program(runner_name(command.program) or name).is_interpreter:
        return InputUse.INSTRUCTIONS if _contains_code_for_input(words) else InputUse.DATA
    if command.is_function_call or _is_known_program(command.program):
        return InputUse.DATA
    return InputUse.UNKNOWN


def _begins_session(words: tuple[Word, ...]) -> bool:
    """Whether a sub-command begins a session, as in `rails console` or `python3 manage.py shell`."""
    first = [word.text for word in words[1:] if word.text[:1] != "-"][:_MAX_WORDS_BEFORE_SESSION]
    return not SESSION_WORDS.isdisjoint(first)


def _runs_words(command: Command, find_nested: Callable[[Command], NestedCode | None]) -> bool:
    """Whether a program runs the words after its own, whose own input counts: `timeout 5 psql`."""
    nested = find_nested(command)
    return nested is not None and bool(nested.commands or nested.texts)


def _contains_code_for_input(words: tuple[Word, ...]) -> bool:
    """Whether a word is code that may run its input, or act on names in its input."""
    codes = [
        word.text
        for before, word in pairwise(words)
        if _CODE_OPTION.fullmatch(before.text) or _PLAIN_WORD.fullmatch(word.text) is None
    ]
    attached = [
        word.text[at + 1 :]
        for word in words[1:]
        if word.text[:1] == "-" != word.text[1:2]
        for at, letter in enumerate(word.text[:_MAX_BUNDLE])
        if letter in _CODE_LETTERS
    ]
    return any(_INPUT_RUNNING_CODE.search(code) is not None for code in (*codes, *attached))


def _input_use_by_table(name: str, words: tuple[Word, ...]) -> InputUse | None:
    """The use of the input by the entry of the program in the catalog; None without such an entry."""
    found = (rule.use for rule in find_program(name).input if _input_rule_applies(rule, words))
    return next(found, None)


def _input_rule_applies(rule: InputRule, words: tuple[Word, ...]) -> bool:
    """Whether a rule about the input applies to these words."""
    if rule.only and not any(_is_listed_option(word.text, rule.only) for word in words[1:]):
        return False
    own = OptionParser(f"{rule.options} -* --*", words)
    operands = own.parse_operands()
    # The first operands may be the values of unknown options, as in `git -C x apply`.
    first = {word.text for word in operands[: own.assumed_switches + 1]}
    if rule.commands and first.isdisjoint(rule.commands.split()):
        return False
    if own.options_with_mark(";"):
        return False
    named = len(operands) - bool(rule.commands) - own.assumed_switches
    stands_for_input = any(_STANDARD_INPUT_NAME.fullmatch(word.text) for word in operands)
    return not rule.operands or named < rule.operands or stands_for_input


def _is_listed_option(text: str, names: str) -> bool:
    """Whether a word is one of these options, or a bundle of short options that contains one of them."""
    listed = names.split()
    if text in listed or text.partition("=")[0] in listed:
        return True
    letters = {name[1] for name in listed if len(name) == 2 and name[0] == "-"}
    return text[:1] == "-" and text[1:2] != "-" and text[1:].isalpha() and bool(letters & set(text[1:]))


def _names_standard_input(name: str, words: tuple[Word, ...]) -> bool:
    """Whether a word names the standard input as a file to act on."""
    texts = [word.text for word in words]
    if {"*", *texts[1:2]}.intersection(find_program(name).dash_is_data.split()):
        return False
    for at, text in enumerate(texts[1:], 1):
        output = _OUTPUT_OPTION.fullmatch(text) or (text == "-" and _OUTPUT_OPTION.fullmatch(texts[at - 1]))
        if _STANDARD_INPUT_NAME.fullmatch(text) and not output:
            return True
    return False


def _forwards_input(name: str, words: tuple[Word, ...]) -> bool:
    """Whether a program that runs a command elsewhere also passes its input to that command."""
    needed = find_program(name).attaches_with
    return not needed or any(_is_listed_option(word.text, needed) for word in words[1:])


def _runs_input(command: Command, find_nested: Callable[[Command], NestedCode | None]) -> bool:
    """Whether a program runs its input as code."""
    alone = command._replace(
        assignments=(),
        redirects=(),
        piped=False,
        listing_roots=None,
        input_words=None,
        input=None,
        written_files=(),
        inherited_redirects=(),
    )
    fed = find_nested(alone._replace(piped=True))
    if fed is None or not fed.computed:
        return False
    unfed = find_nested(alone)
    return unfed is None or not unfed.computed


@lru_cache(maxsize=4096)
def _catalog_name(program: str) -> str:
    """The name of a program in the catalog: without directory, extension and version."""
    name = base_name(program)
    plain = name.lower().removesuffix(".exe").removesuffix(".cmd")
    for found in (name, plain, without_version(plain)):
        if find_program(found).input:
            return found
    return name


@lru_cache(maxsize=4096)
def _is_known_program(program: str) -> bool:
    """Whether a program is in the catalog, or is a script of the project."""
    name = _catalog_name(program)
    if "/" in program and not program.startswith(("/", "~")):
        return True
    if UNKNOWN_MARK in program:
        return False
    known = find_program(name)
    listed = known.takes_data or known.writes is not None or known.reads is not None
    return listed or runs_arguments(name) or runs_arguments(without_version(name))
