"""Commands and options with more than one name: a rule that forbids one name forbids all of them."""

from collections.abc import Mapping
from functools import lru_cache

from assent.engine.programs.catalog import lookup
from assent.engine.programs.index import MODULES, SAME, VERSIONED

_VERSIONS = "3 3.8 3.9 3.10 3.11 3.12 3.13 3.14 3.15".split()

_RESOURCES = """
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
_MODULES = frozenset(MODULES.split())
_PLACES = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/", "./")
_KUBECTLS = ("kubectl", "oc", "k3s kubectl", "microk8s kubectl")


def _classes() -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Each way to call a command, with all the others."""
    found: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for line in SAME.strip().splitlines():
        alike = tuple(tuple(one.split()) for one in line.split(" = "))
        found.update(dict.fromkeys(alike, alike))
    for program in VERSIONED.split():
        alike = ((program,), *((f"{program}{version}",) for version in _VERSIONS))
        found.update(dict.fromkeys(alike, alike))
    return found


_CLASSES = _classes()
_LONGEST = max(map(len, _CLASSES))
_PROGRAMS = frozenset(head[0] for head in _CLASSES) | _MODULES | {"kubectl", "oc"}
_KINDS = {name: tuple(line.split()) for line in _RESOURCES.strip().splitlines() for name in line.split()}


def spellings(words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Every way to write a pattern by the names that its command goes by; first the one that is given."""
    if words and words[0].startswith(_PLACES):
        # By its path a program is the same that it is by its name.
        return tuple(dict.fromkeys((words, *spellings((words[0].rpartition("/")[2], *words[1:])))))
    if not words or words[0] not in _PROGRAMS:
        return (words,)
    found = dict.fromkeys((words, *_renamed(words), *_scripts(words)))
    if lookup(words[0]).has_resources:
        found.update(dict.fromkeys(_kinds(words)))
    for other in [one for one in found if one[0] in _MODULES]:
        found[("py*", "-m", *other)] = None
        if other[0] == "pip":
            found[("uv", *other)] = None
    return tuple(found)


def _renamed(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for length in range(min(_LONGEST, len(words)), 0, -1):
        others = _CLASSES.get(words[:length], ())
        found.extend((*other, *words[length:]) for other in others)
    stem = words[-1].removesuffix("*")
    if stem != words[-1]:
        # `npm test*` is `npm t` as well, but not `npm team`.
        found.extend((*other, "*") for other in _CLASSES.get((*words[:-1], stem), ()))
    return found


def _scripts(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A script of a project, which some run with and without `run`."""
    if not lookup(words[0]).runs_scripts_by_name:
        return []
    if len(words) < 2 or words[1][0] in "*-":
        return []
    if words[1] != "run":
        return [(words[0], "run", *words[1:])]
    return [(words[0], *words[2:])] if len(words) > 2 and words[2][0] not in "*-" else []


def _kinds(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A resource of Kubernetes by its short and its long names, and with its own name behind a slash."""
    found: list[tuple[str, ...]] = []
    for program in _KUBECTLS:
        head = (*program.split(), *words[1:])
        found.append(head)
        at = len(program.split()) + 1
        for kind in _KINDS.get(head[at], ()) if len(head) > at else ():
            found.append((*head[:at], kind, *head[at + 1 :]))
            found.append((*head[:at], "/".join((kind, *head[at + 1 : at + 2])), *head[at + 2 :]))
    return found


DEEPEST = 3
"""The number of words of the longest command whose options have their own names."""
VALUED = frozenset(
    """b B config cookie create data directory directory-prefix editable env exclude field file filename
    force-create form header in-place index-url input-file kustomize message method mode namespace o output
    output-document proxy publish raw-field request requirement rsh selector signal strategy target
    upload-file user user-agent values volume workdir""".split()
)
"""Long names of those that take the rest of their word for their value."""


@lru_cache(maxsize=1024)
def option_names(head: tuple[str, ...]) -> Mapping[str, tuple[str, ...]] | None:
    """The long names that each short option stands for, by the first words of a command."""
    return next((names for one in (head, *spellings(head)) if (names := _own(one)) is not None), None)


def _own(head: tuple[str, ...]) -> Mapping[str, tuple[str, ...]] | None:
    """What the entry of the program itself says."""
    line = (lookup(head[0]).options or {}).get(" ".join(head[1:]))
    if line is None:
        return None
    pairs = (one.partition("=") for one in line.split())
    return {short: tuple(name.split("+")) for short, _, name in pairs}
