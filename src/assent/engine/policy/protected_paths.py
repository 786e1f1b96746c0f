"""Protected paths: files that can give an agent more rights; every change to them asks."""

import re
from collections.abc import Iterable
from functools import lru_cache

from assent.engine.facts import Facts, PathUse, normalize_path
from assent.engine.globs import could_match_component, has_glob
from assent.engine.regex import regex

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

_TRAILING = regex(r"[. ]+(?=/)")
_in_tree = regex(
    "|".join(
        f"/{re.escape(tree)}/"
        for tree in """.github/workflows .github/actions .config/assent .config/fish .config/git
    .config/direnv .config/systemd .config/autostart .local/share/assent .venv/bin venv/bin
    node_modules/.bin .local/bin library/launchagents etc/assent etc/cron.d etc/profile.d
    etc/sudoers.d var/spool/cron""".split()
    )
)


def first_protected(uses: Iterable[PathUse], facts: Facts) -> str | None:
    """The first of these paths that is protected, as written or as resolved; None when none is."""
    for use in dict.fromkeys(uses):
        written = use.absolute(facts.place)
        candidates = (use.text,) if written is None else (written, *facts.real.get(written, ()))
        for path in candidates:
            if is_protected(normalize_path(path, facts.place)):
                return use.text
    return None


@lru_cache(maxsize=2048)
def is_protected(path: str) -> bool:
    """Whether a path, in any spelling, names a file or directory that controls agents or shells."""
    folded = path.replace("\\", "/").casefold().rstrip("/. ")
    if "./" in folded or " /" in folded:
        # Some volumes ignore dots and blanks at the end of a name.
        folded = _TRAILING.sub("", folded)
    components = folded.split("/")
    if components[-1].endswith(".code-workspace"):
        return True
    if components[-1] in PROTECTED_FILES or not PROTECTED_DIRECTORIES.isdisjoint(components):
        return True
    if has_glob(path) and _could_be_protected(components):
        return True
    return _in_tree.search(f"/{folded}/") is not None


def _could_be_protected(components: list[str]) -> bool:
    """Whether a glob with a leading dot could match a protected name."""
    globs = [name for name in components if has_glob(name) and name[0] == "."]
    return any(
        could_match_component(name, known)
        for name in globs
        for known in PROTECTED_DIRECTORIES | PROTECTED_FILES
    )
