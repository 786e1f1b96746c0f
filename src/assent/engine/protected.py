"""Protected paths: what gives an agent more rights, so that any change of it asks."""

from collections.abc import Iterable
from functools import lru_cache

from assent.engine.facts import Facts, PathUse, spelled

DIRECTORIES = frozenset(
    """.git .claude .assent .husky .githooks .vscode .idea .cursor .gemini .codex .zed .devcontainer .circleci
    .buildkite .ssh .gnupg""".split()
)
"""Directories in which nothing is changed unasked, at any depth."""

FILES = frozenset(
    """.mcp.json .claude.json .envrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .gitconfig .gitmodules .gitattributes
    .pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml .gitlab-ci.yml .travis.yml jenkinsfile
    azure-pipelines.yml bitbucket-pipelines.yml .bashrc .bash_profile .bash_login .bash_logout .bash_aliases
    .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc
    .pythonrc .pythonstartup .vimrc .exrc .emacs .tmux.conf .screenrc .pypirc .netrc .wgetrc .curlrc
    .env.vault authorized_keys known_hosts .direnvrc .tool-versions .mise.toml assent.toml assent.db
    assent.schema.json""".split()
)
"""Files that are not changed unasked, at any depth."""

_TREES = tuple(
    f"/{tree}/"
    for tree in """.github/workflows .github/actions .config/assent .config/fish .config/git .config/direnv
    .config/systemd .config/autostart .local/share/assent library/launchagents etc/assent etc/cron.d etc/profile.d
    etc/sudoers.d var/spool/cron""".split()
)


def protected(uses: Iterable[PathUse], facts: Facts) -> str | None:
    """The first of these paths that is protected, as written or as it really is."""
    for use in uses:
        written = use.absolute(facts.place)
        candidates = (use.text,) if written is None else (written, *facts.real.get(written, ()))
        if any(is_protected(spelled(path, facts.place)) for path in candidates):
            return use.text
    return None


@lru_cache(maxsize=2048)
def is_protected(path: str) -> bool:
    """Whether a path, of any spelling, leads to something that governs agents or shells."""
    path = path.replace("\\", "/").casefold().rstrip("/. ")
    components = path.split("/")
    if components[-1] in FILES or not DIRECTORIES.isdisjoint(components):
        return True
    whole = f"/{path}/"
    return any(tree in whole for tree in _TREES)
