"""Why a part of a command line needs approval: what it would do, or what about it is not known.

No verdict depends on it. Only questions are explained, so that a call which runs costs nothing.
"""

from assent.engine.base.facts import FileState, PathUse, is_inside
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.base.reason import Reason, ReasonCode, make_reason
from assent.engine.base.tool import Dialect
from assent.engine.case import Case, covering_scoped_rule
from assent.engine.edits import find_edits
from assent.engine.lines.command import Command, RedirectAccess
from assent.engine.lines.embedded_commands import find_harmful_assignments, has_harmless_assignments
from assent.engine.lines.line import DECLARATIONS
from assent.engine.lines.part import Part
from assent.engine.policy.modes import Mode
from assent.engine.powershell.cmdlets import find_cmdlet
from assent.engine.programs import catalog
from assent.engine.programs.actions import Action, find_action
from assent.engine.programs.flags import FlagScan, may_be_flag, parse_flags
from assent.engine.programs.program import Damage, EditKind, Program, ReadCommands, WriteTarget
from assent.engine.programs.word import Word, base_name
from assent.engine.searches import finding

MAX_SHOWN_LENGTH = 80
"""The maximal length of a command in a reason."""
_VALUE = regex(r"\$\{\w+|\$\w+|\$\(|`")
"""A variable or a substitution, as a line writes it."""
_LONG_TEXT = regex(r"\n|<<|\$\(|`|\"[^\"]{24}|'[^']{24}|[\"'][^\"']*\n")
"""The start of a text that a reason leaves out: a long one, or one that a command prints."""
_SETTING = regex(r"`([^`]+)` could run code: it sets `([^`]+)`, which this command uses")
"""A finding about a setting of Git."""
_ACTION_CODES = {
    Action.PROJECT_CODE: ReasonCode.RUNS_PROJECT_CODE,
    Action.BUILDS: ReasonCode.BUILDS_PROJECT,
    Action.DATABASE: ReasonCode.CHANGES_DATABASE,
    Action.REPOSITORY: ReasonCode.CHANGES_REPOSITORY,
    Action.SENDS: ReasonCode.SENDS_DATA,
    Action.CONNECTS: ReasonCode.CONNECTS,
    Action.INSTALLS: ReasonCode.INSTALLS,
    Action.SERVICES: ReasonCode.USES_SERVICE,
    Action.CONTAINERS: ReasonCode.MANAGES_CONTAINERS,
    Action.SYSTEM: ReasonCode.CHANGES_SYSTEM,
}
"""The code of each action that needs no more values than the part."""
_REMOVALS = (Damage.REMOVES, Damage.REMOVES_TREES, Damage.REMOVES_DRIVES, Damage.TRASH)
_CHANGES = (Damage.RIGHTS, Damage.TRUNCATES)
_SUBSTITUTION = "$(…)"
_START_DIRECTORY = ("",)
DIRECTORY_CHANGES = ("cd", "pushd", "chdir", "Set-Location", "Push-Location")
"""Commands after which the others run in another directory."""


def find_asking_part(case: Case) -> Part | None:
    """The part that a question is about: the first that does more than read, edit files or set variables."""
    asking = [part for part in case.parsed.parts if not case.only_reads(part)]
    if len(asking) > 1:
        rule_sets = (*case.snapshot.grants.rule_sets_for_call(case.call), case.snapshot.rules)
        asking = [one for one in asking if covering_scoped_rule(case, rule_sets, (one,)) is None] or asking
    return next((part for part in asking if not _is_small(part)), asking[0] if asking else None)


def _is_small(part: Part) -> bool:
    """Whether a part reads, edits files or sets variables, and does nothing else."""
    command = part.command
    if part.only_reads:
        return True
    if command is not None and (not command.words or command.program in DECLARATIONS):
        return True
    return bool(find_edits(part))


def part_reason(case: Case, part: Part) -> Reason:
    """Why a part of a command line needs approval."""
    inner = next((one for one in part.nested if not case.only_reads(one)), None)
    if part.privilege:
        return _about(ReasonCode.RUNS_AS_OTHER_USER, part)
    if inner is not None and inner.text != "…" and not _runs_own_code(part):
        return part_reason(case, inner)
    command = part.command
    if part.only_reads:
        return _reason_of_reading_part(case, part)
    if command is None:
        return _about(ReasonCode.MAY_DO_MORE, part)
    if part.command_only_reads or not command.words:
        return _reason_of_redirection(case, part) or _reason_of_assignments(part, command)
    if command.program in DECLARATIONS:
        return _reason_of_assignments(part, command)
    if not has_harmless_assignments(command) and catalog.find_read_entry(command.program) is not None:
        return _reason_of_assignments(part, command)
    return _reason_of_program(case, part, command)


def _runs_own_code(part: Part) -> bool:
    """Whether a part is an interpreter, in whose code the nested commands are only guesses."""
    if part.command is None or not part.command.words:
        return False
    name = program_name(part)
    action = find_action(name, part.command.words[1:])
    return action is Action.CODE and catalog.find_program(name).runs_by is None


def shown_command(part: Part) -> str:
    """The first words of a part, as its line writes them."""
    found = _LONG_TEXT.search(part.text.strip())
    if found is None or not found.start():
        return shorten(part.text)
    start = part.text.strip()[: found.start()].rstrip("\"' ")
    return f"{shorten(start).removesuffix(' …')} …"


def program_name(part: Part) -> str:
    """The name of the program of a part."""
    command = part.command
    return shorten(part.text) if command is None or not command.words else _shown(base_name(command.program))


def redirect_operator(part: Part, use: PathUse) -> str:
    """The operator with which a redirection of a part writes a path."""
    redirects = () if part.command is None else part.command.redirects
    own = (one for one in redirects if one.access is RedirectAccess.WRITE and one.target.text == use.text)
    return ">>" if any(one.appends for one in own) else ">"


def shown_path(case: Case, use: PathUse) -> str:
    """A path as a reason shows it: from the workspace root if it is inside, else with its directory."""
    text, directories = use.text, case.facts.directories
    if UNKNOWN_MARK in use.text or UNKNOWN_MARK in use.directory:
        return _shown(text)
    written = use.to_absolute_path(directories)
    if written is None or use.tilde:
        return _shown(text)
    root = directories.roots[0].rstrip("/") + "/" if directories.roots else ""
    if root and written.startswith(root):
        return _shown(written[len(root) :]) if text.startswith("/") or use.directory else _shown(text)
    return _shown(written if use.directory else text)


def unknown_value(part: Part) -> str:
    """The variable or the substitution because of which a word is unknown; empty if none is written."""
    found = _VALUE.search(part.text)
    if found is None:
        return ""
    if found[0] in ("$(", "`"):
        return _SUBSTITUTION
    return f"{found[0]}}}" if found[0].startswith("${") else found[0]


def value_of(part: Part) -> dict[str, str]:
    """The variable because of which a path is unknown, as a value of a reason."""
    value = unknown_value(part)
    return {"value": value} if value else {}


def unknown_value_reason(part: Part, word: Word) -> Reason:
    """The reason of a part with a word whose value is unknown."""
    value = shorten(word.text) if word.glob and UNKNOWN_MARK not in word.text else unknown_value(part)
    if not value:
        return _about(ReasonCode.UNKNOWN_WORD, part)
    return make_reason(ReasonCode.UNKNOWN_VALUE, part=shown_command(part), value=value)


def directory_change(case: Case, part: Part) -> dict[str, str]:
    """The command of the line because of which a part runs in another directory, as a value of a reason."""
    if part.directories == _START_DIRECTORY:
        return {}
    parts = case.parsed.parts
    at = next((at for at, one in enumerate(parts) if one is part), len(parts))
    changes = [one for one in parts[:at] if program_name(one) in DIRECTORY_CHANGES]
    return {"cd": shown_command(changes[-1])} if changes else {}


def mode_of_edits(case: Case) -> dict[str, str]:
    """The mode that asks before a change of a file in the workspace, as a value of a reason."""
    return {"mode": case.mode.value} if case.mode is Mode.DEFAULT else {}


def changes_files(part: Part) -> bool:
    """Whether the program of a part is known to change files among its words."""
    known = catalog.find_program(program_name(part))
    fields = (known.writes, known.shell_edits, known.damage, known.output)
    return any(field is not None for field in fields)


def _about(code: ReasonCode, part: Part) -> Reason:
    """A reason with only the text of a part."""
    return Reason(code, (("part", shown_command(part)),))


def shorten(text: str) -> str:
    """A text in one line of bounded length, without the marks that quote texts in sentences."""
    line = " ".join(text.partition("\n")[0].split()) or " ".join(text.split())
    if len(line) > MAX_SHOWN_LENGTH:
        cut = line[:MAX_SHOWN_LENGTH].rpartition(" ")[0]
        line = f"{cut} …" if len(cut) > MAX_SHOWN_LENGTH // 2 else f"{line[:MAX_SHOWN_LENGTH]}…"
    return _shown(line)


def _shown(text: str) -> str:
    """A text in which unknown pieces are visible, without backticks."""
    return text.replace(UNKNOWN_MARK, "…").replace("`", "'")


def _reason_of_reading_part(case: Case, part: Part) -> Reason:
    """Why a part that only reads needs approval: its directory, or files that make it run code."""
    if not case.runs_in_workspace(part):
        return _reason_of_directory(case, part)
    found = finding(part, case.facts) if part.searches.code else ""
    if not found:
        return _about(ReasonCode.NEEDS_TRUST, part)
    setting = _SETTING.fullmatch(found)
    if setting is None:
        return make_reason(ReasonCode.MAY_RUN_CODE, part=shown_command(part), finding=found)
    return make_reason(ReasonCode.RUNS_SETTING, part=shown_command(part), path=setting[1], setting=setting[2])


def _reason_of_directory(case: Case, part: Part) -> Reason:
    """The directory because of which a part does not run in the workspace."""
    if program_name(part) in DIRECTORY_CHANGES:
        return _about(ReasonCode.LEAVES_WORKSPACE, part)
    outside = next((one for one in part.directories if not case.is_in_workspace(PathUse("", one))), "")
    values = directory_change(case, part)
    if UNKNOWN_MARK in outside:
        return make_reason(ReasonCode.RUNS_SOMEWHERE, part=shown_command(part), **values)
    shown = outside or case.facts.directories.cwd
    return make_reason(ReasonCode.RUNS_OUTSIDE, part=shown_command(part), path=_shown(shown), **values)


def _reason_of_assignments(part: Part, command: Command) -> Reason:
    """The variable because of which a command may do more than read."""
    found = [one.name for one in (*find_harmful_assignments(command), *command.assignments)]
    if command.program in DECLARATIONS:
        found += [word.text.partition("=")[0] for word in command.words[1:] if word.text[:1] != "-"]
    if not found:
        return _about(ReasonCode.MAY_DO_MORE, part)
    return make_reason(ReasonCode.SETS_VARIABLE, variable=_shown(found[0]))


def _reason_of_redirection(case: Case, part: Part) -> Reason | None:
    """The file that a redirection writes; None without one."""
    if not part.redirect_writes:
        return None
    use = _most_telling(case, part.redirect_writes)
    operator = redirect_operator(part, use)
    code = ReasonCode.APPENDS_TO_FILE if operator == ">>" else ReasonCode.WRITES_FILE
    return _change_reason(case, part, operator, use, code)


def _most_telling(case: Case, uses: tuple[PathUse, ...]) -> PathUse:
    """The first path outside the workspace, else the first path."""
    known = [use for use in uses if UNKNOWN_MARK not in use.text]
    return next((use for use in known if not case.is_in_workspace(use)), uses[0])


def _change_reason(case: Case, part: Part, program: str, use: PathUse, code: ReasonCode) -> Reason:
    """The reason of a change to a path."""
    if UNKNOWN_MARK in use.text:
        return make_reason(ReasonCode.CHANGES_UNKNOWN_PATH, program=program, **value_of(part))
    is_outside = not case.is_in_workspace(use)
    if is_outside:
        code = ReasonCode.REMOVES_OUTSIDE if code is ReasonCode.REMOVES_FILE else ReasonCode.CHANGES_OUTSIDE
    elif code in (ReasonCode.WRITES_FILE, ReasonCode.CHANGES_FILE):
        code = _code_by_state(case, use, code)
    values = directory_change(case, part) if is_outside else mode_of_edits(case)
    return make_reason(code, program=program, path=shown_path(case, use), **values)


def _code_by_state(case: Case, use: PathUse, code: ReasonCode) -> ReasonCode:
    """The code of a change, by what is at the path."""
    written = use.to_absolute_path(case.facts.directories)
    match case.facts.files.get(written) if written is not None else None:
        case FileState.NEW:
            return ReasonCode.CREATES_FILE
        case FileState.FILE:
            return ReasonCode.CHANGES_UNRECORDED
        case FileState.CLEAN:
            return ReasonCode.OVERWRITES_FILE if code is ReasonCode.WRITES_FILE else code
        case _:
            return code


def _reason_of_program(case: Case, part: Part, command: Command) -> Reason:
    """Why a command that runs a program needs approval."""
    program, words = command.program, command.words[1:]
    name = base_name(program)
    if catalog.trusted_name(program) is None:
        return _reason_of_program_file(case, part, program)
    action = find_action(name, words)
    if action is None and name not in catalog.TOPICS:
        return _reason_of_cmdlet(case, part, name)
    if action is Action.CODE:
        return _reason_of_interpreter(part, command)
    refused, is_known_command = _find_refused_word(name, words)
    if refused is not None and is_known_command:
        return _reason_of_word(part, refused)
    if action in (None, Action.FILES):
        return (
            _reason_of_changes(case, part, catalog.find_program(name))
            or _reason_of_redirection(case, part)
            or _reason_of_word(part, refused)
        )
    return _about(_ACTION_CODES[action], part)


def _reason_of_cmdlet(case: Case, part: Part, name: str) -> Reason:
    """The reason of a cmdlet of PowerShell, or of a program without an entry."""
    if case.tool.dialect is not Dialect.POWERSHELL or find_cmdlet(name) is None:
        return make_reason(ReasonCode.UNKNOWN_PROGRAM, program=_shown(name))
    if part.writes:
        return _change_reason(case, part, name, _most_telling(case, part.writes), ReasonCode.CHANGES_FILE)
    return _about(ReasonCode.MAY_DO_MORE, part)


def _reason_of_program_file(case: Case, part: Part, program: str) -> Reason:
    """The reason of a program that is named by its path."""
    directory = part.directories[0] if part.directories else ""
    written = PathUse(program, directory, tilde=program.startswith("~")).to_absolute_path(
        case.facts.directories
    )
    if written is not None and is_inside(written, case.facts.directories):
        return _about(ReasonCode.RUNS_PROJECT_CODE, part)
    return make_reason(ReasonCode.UNKNOWN_PROGRAM, program=_shown(program))


def _reason_of_interpreter(part: Part, command: Command) -> Reason:
    """The reason of a command that runs code: a file, the text of an option, or its input."""
    words = command.words[1:]
    at = next((at for at, word in enumerate(words) if word.text[:1] != "-" or word.text == "-"), None)
    if at is None or words[at].text == "-":
        return _about(ReasonCode.RUNS_INPUT if not words else ReasonCode.RUNS_GIVEN_CODE, part)
    before = words[at - 1].text if at else ""
    if before == "-m":
        return _about(ReasonCode.RUNS_PROJECT_CODE, part)
    if before:
        return _about(ReasonCode.RUNS_GIVEN_CODE, part)
    if words[at].is_opaque:
        return unknown_value_reason(part, words[at])
    return make_reason(ReasonCode.RUNS_FILE, part=shown_command(part), path=shorten(words[at].text))


def _reason_of_changes(case: Case, part: Part, known: Program) -> Reason | None:
    """The reason of a program that changes the files among its words; None for other programs."""
    if not changes_files(part):
        return None
    uses = part.writes or tuple(danger.use for danger in part.endangered_paths)
    if not uses:
        return None
    return _change_reason(case, part, program_name(part), _most_telling(case, uses), _change_code(known))


def _change_code(known: Program) -> ReasonCode:
    """What a program does to the files among its words."""
    if known.damage in _REMOVALS or (known.writes is not None and known.writes.target is WriteTarget.REMOVED):
        return ReasonCode.REMOVES_FILE
    if known.shell_edits is not None and known.shell_edits.kind is EditKind.DIRECTORIES:
        return ReasonCode.CREATES_FILE
    if known.damage in _CHANGES or (
        known.writes is not None and known.writes.target is WriteTarget.AFTER_FIRST
    ):
        return ReasonCode.CHANGES_FILE
    if known.writes is None:
        return ReasonCode.CHANGES_FILE
    return ReasonCode.WRITES_FILE


def _reason_of_word(part: Part, refused: Word | None) -> Reason:
    """The reason of a word with which a known program may do more than read."""
    if refused is None:
        return _about(ReasonCode.MAY_DO_MORE, part)
    if may_be_flag(refused) or UNKNOWN_MARK in refused.text:
        return unknown_value_reason(part, refused)
    return make_reason(ReasonCode.MAY_DO_MORE, part=shown_command(part), word=shorten(refused.text))


def _find_refused_word(name: str, words: tuple[Word, ...]) -> tuple[Word | None, bool]:
    """The first word that the entry of a program does not list for reading, if there is one.

    The second value is true if the word is after a sub-command that only reads without it.
    """
    entry = catalog.find_program(name).reads
    is_known_command = False
    while isinstance(entry, ReadCommands):
        scan = FlagScan(parse_flags(entry.flags), words)
        at = scan.first_operand()
        if at is None:
            return words[min(scan.at, len(words) - 1)], False
        if at == len(words):
            return None, False
        if words[at].text not in entry.commands:
            return words[at], False
        entry, words = entry.commands[words[at].text], words[at + 1 :]
        is_known_command = True
    if entry is None or not words or entry.only or (entry.check and not entry.flags):
        # With `only`, the program does something else with every other word: it only prints its help.
        return None, False
    scan = FlagScan(parse_flags(entry.flags), words, careful=not entry.every_flag)
    return (words[min(scan.at, len(words) - 1)] if scan.operands() is None else None), is_known_command
