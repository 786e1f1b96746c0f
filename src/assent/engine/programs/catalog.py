"""Find the entry and the other names of a program; each topic is loaded on first use."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import cast

from assent.engine.base.lazy import load_attribute
from assent.engine.programs.index import MODULES, NAMES, SAME, VERSIONED
from assent.engine.programs.program import Program, ReadEntry
from assent.engine.programs.runs import RestOfWords, RunCommands
from assent.engine.programs.word import Word, base_name, without_version

WordCheck = Callable[[tuple[Word, ...]], tuple[Word, ...] | None]
"""A function that checks the words after a program.

It returns the files that the command reads, or None if the command may do more than read.
"""
UNKNOWN_PROGRAM = Program("")
"""The entry of an unknown program, in which no field is set."""
TOPICS: Mapping[str, str] = {name: topic for topic, names in NAMES.items() for name in names.split()}
"""The topic of each program: the file of this folder that describes it."""
_CHECKS_BY_MODULE = {
    "builds": "plain names, registry names, python versions, locked, go list, no versions, rpm, pacman",
    "builtins": "text, numbers, jobs, kill, printf, set, syntax, read, mapfile, printenv, envsubst, condition",
    "cloud": "kubectl get, kubectl, compose, helm show, helm template, aws, gcloud, az",
    "files": "find, ar, jar, tar, unpack",
    "git": "git settings, git log, git shortlog, git rev-list, git diff, git diff-tree, git blame, git grep,"
    " git ls-files, git cat-file, git stash show, git branch, git tag, git remote show, git for-each-ref,"
    " git config, git reflog, gh, glab, gh api, glab api, no address",
    "jq": "jq, yq",
    "python_text": "python filter",
    "system": "date, service, sysctl, ps, no hosts after @, no host names, no archives, no cache, no commands,"
    " no files, no commas, no formats",
    "text": "awk, sed",
}
"""The names of the checks in each module of the folder `checks`."""
CHECK_MODULES = {name: module for module, names in _CHECKS_BY_MODULE.items() for name in names.split(", ")}
"""The module of each check."""
_SYSTEM_DIRECTORIES = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_LOADERS = ("ld-linux", "ld-musl", "ld64.so", "ld.so", "ld-2.")
"""Prefixes of dynamic loaders, which run the program in their arguments."""
_FORMATTERS = ("mkfs", "newfs", "mke2fs", "mkswap", "mkntfs", "mkdosfs", "wipefs", "blkdiscard", "badblocks")
"""Prefixes of programs that create file systems or wipe disks."""
_PYTHON_VERSIONS = "3 3.8 3.9 3.10 3.11 3.12 3.13 3.14 3.15".split()
_RESOURCE_NAMES = """
pod pods po
deployment deployments deploy deployment.apps deployments.apps
service services svc
namespace namespaces ns
node nodes no
secret secrets
configmap configmaps cm
ingress ingresses ing
job jobs job.batch jobs.batch
cronjob cronjobs cj cronjob.batch
daemonset daemonsets ds daemonset.apps daemonsets.apps
statefulset statefulsets sts statefulset.apps statefulsets.apps
replicaset replicasets rs
persistentvolumeclaim persistentvolumeclaims pvc
persistentvolume persistentvolumes pv
serviceaccount serviceaccounts sa
customresourcedefinition customresourcedefinitions crd crds
horizontalpodautoscaler horizontalpodautoscalers hpa
networkpolicy networkpolicies netpol
storageclass storageclasses sc
event events ev
"""
"""The short and long names of each kind of resource of Kubernetes."""
_MODULES = frozenset(MODULES.split())
_PROGRAM_DIRECTORIES = (
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/opt/homebrew/bin/",
    "./",
)
_KUBECTLS = ("kubectl", "oc", "k3s kubectl", "microk8s kubectl")
MAX_COMMAND_WORDS = 3
"""The maximal number of words of a sub-command with option names of its own."""
VALUED_OPTIONS = frozenset(
    """b B config cookie create data directory directory-prefix editable env exclude field file filename
    force-create form header in-place index-url input-file kustomize message method mode namespace o output
    output-document proxy publish raw-field request requirement rsh selector signal strategy target
    upload-file user user-agent values volume workdir""".split()
)
"""Long names of options whose value may be the rest of the word."""


@lru_cache(maxsize=4096)
def find_program(name: str) -> Program:
    """The entry of the program with this name; an empty entry if it is unknown."""
    topic = TOPICS.get(name)
    return UNKNOWN_PROGRAM if topic is None else topic_entries(topic)[name]


@lru_cache(maxsize=4096)
def find_read_entry(program: str) -> ReadEntry | None:
    """The read entry of a program that is called by its name or by a path in a system directory."""
    name = trusted_name(program)
    return None if name is None else find_program(name).reads


@lru_cache(maxsize=4096)
def trusted_name(program: str) -> str | None:
    """The name of a program without a path, or with the path of a system directory; otherwise None."""
    name = base_name(program)
    return name if program == name or program.removesuffix(name) in _SYSTEM_DIRECTORIES else None


@lru_cache(maxsize=4096)
def is_gate(program: str) -> bool:
    """Whether a program is Assent itself, in any letter case and with any directory, extension or version."""
    name = base_name(program).casefold().removesuffix(".exe")
    return find_program(name.partition("@")[0] or name).is_gate


@lru_cache(maxsize=4096)
def runner_name(program: str) -> str | None:
    """The name of a program that runs other programs; None for other programs.

    The name is in lower case, without directory and version.
    """
    name = base_name(program)
    plain = name.lower().removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")
    for found in (name, plain, without_version(plain)):
        known = find_program(found)
        if known.runs is not None or known.runs_by is not None or known.text_options is not None:
            return found
    return "ld.so" if plain.startswith(_LOADERS) else None


def runs_arguments(command: str, *, any_case: bool = False) -> bool:
    """Whether a program, or a sub-command such as `npm exec`, runs its words.

    A rule `command *` is never suggested for such a program.
    """
    name, *words = command.split() or [""]
    known = find_program(_names_by_lower_case().get(name, name) if any_case else name)
    if not words:
        return known.runs_others or known.text_options is not None or known.never_suggest
    if words[0] in known.never_suggest_commands.split():
        return True
    entry = known.runs
    for word in words:
        entry = entry.commands.get(word) if isinstance(entry, RunCommands) else None
    return isinstance(entry, RunCommands) or (
        entry is not None and entry.rest not in (RestOfWords.FLAGS, RestOfWords.SETTING)
    )


def formats_disks(name: str) -> bool:
    """Whether a program creates file systems or wipes disks."""
    return name.startswith(_FORMATTERS)


@cache
def find_check_function(name: str) -> WordCheck:
    """The check function with this name; its module is loaded on first use."""
    return cast(
        "Mapping[str, WordCheck]", load_attribute(f"programs.checks.{CHECK_MODULES[name]}", "CHECKS")
    )[name]


@cache
def topic_entries(topic: str) -> Mapping[str, Program]:
    """The entries of one topic, by program name."""
    programs = cast("tuple[Program, ...]", load_attribute(f"programs.{topic}", "PROGRAMS"))
    return {name: program for program in programs for name in program.names.split()}


def command_spellings(words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """All spellings of a pattern with the other names of its command; the given spelling is first."""
    if words and words[0].startswith(_PROGRAM_DIRECTORIES):
        # A program in a system directory is the same as the program without a path.
        return tuple(dict.fromkeys((words, *command_spellings((words[0].rpartition("/")[2], *words[1:])))))
    if not words or words[0] not in _PROGRAMS_WITH_SYNONYMS:
        return (words,)
    found = dict.fromkeys((words, *_other_names(words), *_script_spellings(words)))
    if find_program(words[0]).has_resources:
        found.update(dict.fromkeys(_resource_spellings(words)))
    for other in [one for one in found if one[0] in _MODULES]:
        found[("py*", "-m", *other)] = None
        if other[0] == "pip":
            found[("uv", *other)] = None
    return tuple(found)


@lru_cache(maxsize=1024)
def option_names(head: tuple[str, ...]) -> Mapping[str, tuple[str, ...]] | None:
    """The long names of each short option of a command, by the first words of the command."""
    return next(
        (
            names
            for one in (head, *command_spellings(head))
            if (names := _entry_option_names(one)) is not None
        ),
        None,
    )


@cache
def _names_by_lower_case() -> Mapping[str, str]:
    """The program names that contain upper-case letters, by their lower-case form."""
    return {name.casefold(): name for name in TOPICS if name != name.casefold()}


def _build_synonyms() -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """For each name of a command, all its names."""
    found: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for line in SAME.strip().splitlines():
        alike = tuple(tuple(one.split()) for one in line.split(" = "))
        found.update(dict.fromkeys(alike, alike))
    for program in VERSIONED.split():
        alike = ((program,), *((f"{program}{version}",) for version in _PYTHON_VERSIONS))
        found.update(dict.fromkeys(alike, alike))
    return found


_SYNONYMS = _build_synonyms()
_MAX_SYNONYM_WORDS = max(map(len, _SYNONYMS))
_PROGRAMS_WITH_SYNONYMS = frozenset(head[0] for head in _SYNONYMS) | _MODULES | {"kubectl", "oc"}
_RESOURCE_KINDS = {
    name: tuple(line.split()) for line in _RESOURCE_NAMES.strip().splitlines() for name in line.split()
}


def _other_names(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The same pattern with every other name of its command, such as `npm i` for `npm install`."""
    found: list[tuple[str, ...]] = []
    for length in range(min(_MAX_SYNONYM_WORDS, len(words)), 0, -1):
        others = _SYNONYMS.get(words[:length], ())
        found.extend((*other, *words[length:]) for other in others)
    stem = words[-1].removesuffix("*")
    if stem != words[-1]:
        # `npm test*` also means `npm t`, but not `npm team`.
        found.extend((*other, "*") for other in _SYNONYMS.get((*words[:-1], stem), ()))
    return found


def _script_spellings(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The spellings of a project script, which some programs run with and without `run`."""
    if not find_program(words[0]).runs_scripts_by_name:
        return []
    if len(words) < 2 or words[1][0] in "*-":
        return []
    if words[1] != "run":
        return [(words[0], "run", *words[1:])]
    return [(words[0], *words[2:])] if len(words) > 2 and words[2][0] not in "*-" else []


def _resource_spellings(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The spellings of a resource of Kubernetes: with its short and long names, and as `kind/name`."""
    found: list[tuple[str, ...]] = []
    for program in _KUBECTLS:
        head = (*program.split(), *words[1:])
        found.append(head)
        at = len(program.split()) + 1
        for kind in _RESOURCE_KINDS.get(head[at], ()) if len(head) > at else ():
            found.append((*head[:at], kind, *head[at + 1 :]))
            found.append((*head[:at], "/".join((kind, *head[at + 1 : at + 2])), *head[at + 2 :]))
    return found


def _entry_option_names(head: tuple[str, ...]) -> Mapping[str, tuple[str, ...]] | None:
    """The option names in the entry of the program."""
    line = (find_program(head[0]).options or {}).get(" ".join(head[1:]))
    if line is None:
        return None
    pairs = (one.partition("=") for one in line.split())
    return {short: tuple(name.split("+")) for short, _, name in pairs}
