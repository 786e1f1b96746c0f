"""The read-only table: every program we know to only read, with the flags it may do so with."""

from collections.abc import Mapping
from typing import cast

from assent.engine.late import late
from assent.engine.programs.word import base_name
from assent.engine.shell.knowledge import builtins, files, system, text, versions
from assent.engine.shell.knowledge.entry import Entry

COMMON: dict[str, Entry] = {
    **versions.PROGRAMS,
    **builtins.PROGRAMS,
    **files.PROGRAMS,
    **text.PROGRAMS,
    **system.PROGRAMS,
}

_IN = {
    "git":    "git",
    "code":   "gh glab svn svnversion",
    "builds": """apk apt apt-cache apt-config apt-file apt-mark aptitude asdf brew bun bundle cargo composer conda dnf
                 dotnet dpkg dpkg-deb dpkg-query flatpak fnm gem go goenv gofmt just mamba microdnf micromamba mise nix
                 nix-channel nix-env nodenv npm pacman pip pip3 pipdeptree pipenv pipx pkg-config plenv pnpm poetry
                 pyenv rbenv rpm rustc rustfmt rustup snap tdnf update-alternatives uv volta xcode-select xcodebuild
                 yarn yum zypper""",
    "cloud":  """argocd aws az docker docker-compose flux fly flyctl gcloud gsutil helm k3d k3s kind kubectl kubectx
                 kubens kustomize microk8s minikube nerdctl oc podman pulumi terraform tofu vagrant virsh""",
}
HOMES = {program: module for module, programs in _IN.items() for program in programs.split()}
"""The module in whose `PROGRAMS` a program with much to know stands; it is loaded with the first such line."""

_SYSTEM_DIRECTORIES = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")


def find(program: str) -> Entry | None:
    """The entry of a program called by name, or by a path only the system's owner can write."""
    name = called(program)
    if name is None:
        return None
    home = HOMES.get(name)
    return COMMON.get(name) if home is None else _programs(home)[name]


def called(program: str) -> str | None:
    """The name of a program called by it, or by a path only the system's owner can write."""
    name = base_name(program)
    return name if program == name or program.removesuffix(name) in _SYSTEM_DIRECTORIES else None


def _programs(home: str) -> Mapping[str, Entry]:
    return cast("Mapping[str, Entry]", late(f"shell.knowledge.{home}", "PROGRAMS"))
