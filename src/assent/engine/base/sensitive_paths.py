"""Sensitive paths: files that contain secrets, and protected files, which can give an agent more rights."""

import re
from collections.abc import Iterable
from functools import lru_cache

from assent.engine.base.facts import Facts, PathUse, normalize_path
from assent.engine.base.globs import UNKNOWN_MARK, could_match_component, has_glob
from assent.engine.base.lazy import regex
from assent.engine.base.library_places import is_plan_file

_SECRET_NAMES = frozenset(
    """.env .envrc .netrc _netrc .pgpass .my.cnf .git-credentials .pypirc .htpasswd .vault-token .boto .s3cfg
    id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk shadow gshadow master.passwd sudoers
    credentials.json secrets.json secrets.yml secrets.yaml secrets.toml .secrets secring.gpg
    wp-config.php .terraformrc terraform.rc .dockercfg .dockerconfigjson kubeconfig .kubeconfig
    application_default_credentials.json .bash_history .zsh_history .python_history .psql_history
    .mysql_history .node_repl_history .viminfo login.keychain-db key4.db logins.json cookies.sqlite
    """.split()
)
_SECRET_SUFFIXES = (
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".asc",
    ".gpg",
    ".tfstate",
)
_SECRET_DIRECTORIES = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store"})
_SECRET_PATH = regex(r"/(?:\.config/gcloud|\.config/gh/hosts\.yml|\.config/op|run/secrets|library/keychains)")
_PUBLIC_SUFFIXES = (".pub", ".example", ".sample", ".template", ".dist", ".md")
"""Suffixes of files that contain no secret, whatever their name."""
_SECRET_NAME_PARTS = tuple(
    """.env .ssh .aws .gnupg .kube .netrc .pgpass .npmrc .pypirc id_rsa id_ed25519 id_ecdsa .pem .key .p12
    .pfx credential secret password passwd shadow token keystore""".split()
)
"""Texts in patterns that mention files with secrets."""
HARMLESS_SYSTEM_FILES = frozenset(
    """/dev/null /dev/zero /dev/random /dev/urandom /dev/stdin /dev/stdout /dev/stderr /dev/tty
    /etc/os-release /usr/lib/os-release
    /etc/lsb-release /etc/debian_version /etc/redhat-release /etc/alpine-release /etc/issue /etc/hostname
    /etc/hosts /etc/resolv.conf /etc/timezone /etc/localtime /etc/shells /etc/nsswitch.conf /etc/machine-info
    /proc/cpuinfo /proc/meminfo /proc/version /proc/loadavg /proc/uptime /proc/stat /proc/vmstat
    /proc/filesystems /proc/partitions /proc/swaps /proc/mounts /proc/modules /proc/diskstats /proc/net/dev
    /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max
    """.split()
)
"""System files that many programs read and that contain nothing personal."""
PROTECTED_DIRECTORIES = frozenset(
    """.git git~1 .claude .assent .husky .githooks .vscode .idea .cursor .gemini .codex .zed .devcontainer
    .circleci .buildkite .ssh .gnupg .cargo .yarn .mvn .terraform .continue .roo .kiro .opencode""".split()
)
"""Directories in which every change asks, at any depth."""
PROTECTED_FILES = frozenset(
    """.mcp.json .claude.json .envrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .gitconfig
    .gitmodules .gitattributes .pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml
    .gitlab-ci.yml .travis.yml jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .bashrc
    .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
    .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc profile.ps1
    microsoft.powershell_profile.ps1 .pythonrc .pythonstartup .vimrc .exrc .emacs .tmux.conf .screenrc
    .pypirc .netrc .wgetrc .curlrc .env.vault authorized_keys known_hosts .direnvrc .tool-versions
    .python-version .node-version .nvmrc .ruby-version .java-version .go-version .php-version .perl-version
    .swift-version .terraform-version .opentofu-version .sdkmanrc .bun-version .deno-version .pythonrc.py
    .mise.toml mise.toml .mise.local.toml mise.local.toml rust-toolchain rust-toolchain.toml global.json
    opencode.json .aider.conf.yml
    .cursorrules .windsurfrules pip.conf .condarc .pam_environment sitecustomize.py .gdbinit .lldbinit
    .dir-locals.el .nvim.lua assent.toml assent.db assent.schema.json""".split()
)
"""Files of which every change asks, at any depth."""
_TRAILING_DOTS = regex(r"[. ]+(?=/)")
_PROTECTED_TREES = regex(
    "|".join(
        f"/{re.escape(tree)}/"
        for tree in """.github/workflows .github/actions .config/assent .config/fish .config/git
    .config/direnv .config/systemd .config/autostart .local/share/assent .venv/bin venv/bin
    node_modules/.bin .local/bin library/launchagents etc/assent etc/cron.d etc/profile.d
    etc/sudoers.d var/spool/cron""".split()
    )
)
"""Paths of directories in which every change asks."""


def is_secret_name(name: str) -> bool:
    """Whether a file with this name usually contains a secret."""
    name = name.casefold()
    if name.endswith(_PUBLIC_SUFFIXES):
        return False
    return (
        name in _SECRET_NAMES
        or name.endswith(_SECRET_SUFFIXES)
        or name.startswith((".env.", "id_rsa", ".env_"))
    )


def mentions_secret(text: str) -> bool:
    """Whether a pattern or a name mentions files that usually contain secrets."""
    text = text.casefold().replace("\\", "")
    return any(mark in text for mark in _SECRET_NAME_PARTS) or text.strip("^$*./") == "env"


@lru_cache(maxsize=2048)
def is_secret(path: str) -> bool:
    """Whether the file at an absolute path usually contains secrets."""
    components = path.casefold().split("/")
    if is_secret_name(components[-1]) or not _SECRET_DIRECTORIES.isdisjoint(components):
        return not components[-1].endswith(_PUBLIC_SUFFIXES)
    if components[1:2] == ["proc"] and components[-1] in ("environ", "mem", "cmdline", "maps"):
        return True
    return _SECRET_PATH.search(path.casefold()) is not None


def could_be_secret(pattern: str) -> bool:
    """Whether a file name with globs or unknown pieces may match a secret."""
    name = pattern.rsplit("/", 1)[-1].casefold()
    if is_secret_name(name):
        return True
    # `*` and `*.json` match any file or type; only a pattern with a longer part of a name may mean a secret.
    known = name.lstrip("*?" + UNKNOWN_MARK)
    if not known or (known != name and known.startswith(".") and known.count(".") == 1):
        return False
    head, *pieces = name.replace(UNKNOWN_MARK, "*").replace("?", "*").replace("[", "*[").split("*")
    return any(secret.startswith(head) and _matches_pieces(head, pieces, secret) for secret in _SECRET_NAMES)


def find_protected_path(uses: Iterable[PathUse], facts: Facts) -> str | None:
    """The first path that is protected, as written or after links are followed; None if there is none."""
    for use in dict.fromkeys(uses):
        written = use.to_absolute_path(facts.directories)
        candidates = (use.text,) if written is None else (written, *facts.real.get(written, ()))
        found = any(is_protected(normalize_path(path, facts.directories)) for path in candidates)
        if found and not is_plan_file(use, facts):
            return use.text
    return None


@lru_cache(maxsize=2048)
def is_protected(path: str) -> bool:
    """Whether a path, in any spelling, names a file or directory that controls agents or shells."""
    folded = path.replace("\\", "/").casefold().rstrip("/. ")
    if "./" in folded or " /" in folded:
        # Some volumes ignore dots and blanks at the end of a name.
        folded = _TRAILING_DOTS.sub("", folded)
    components = folded.split("/")
    if components[-1].endswith(".code-workspace"):
        return True
    if components[-1] in PROTECTED_FILES or not PROTECTED_DIRECTORIES.isdisjoint(components):
        return True
    if has_glob(path) and _could_be_protected(components):
        return True
    return _PROTECTED_TREES.search(f"/{folded}/") is not None


def _matches_pieces(head: str, pieces: list[str], name: str) -> bool:
    """Whether a name with this beginning contains the pieces between the globs, the last piece at its end."""
    if name.startswith(".") and not head:
        return False
    at = len(head)
    for written in pieces:
        piece = written.partition("]")[2] if written.startswith("[") else written
        at = name.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return not pieces or not pieces[-1] or pieces[-1].startswith("[") or name.endswith(pieces[-1])


def _could_be_protected(components: list[str]) -> bool:
    """Whether a glob with a leading dot may match a protected name."""
    globs = [name for name in components if has_glob(name) and name[0] == "."]
    return any(
        could_match_component(name, known)
        for name in globs
        for known in PROTECTED_DIRECTORIES | PROTECTED_FILES
    )
