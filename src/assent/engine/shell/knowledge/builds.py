"""Package managers, build tools and version managers: what they list, never what they install, build or run.

Some of them run code that files of the repository name (a yarn release, a pnpm hook, a rust tool chain), so they
need trust. Those that run ordinary project files as code (a Gemfile, a Rakefile, a build.gradle, a Vagrantfile,
a conftest) are not here at all: who may edit such a file could run anything.
"""

from assent.engine.shell.knowledge import packages
from assent.engine.shell.knowledge.builds_checks import GO_LIST
from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads
from assent.engine.shell.knowledge.help import helped

FILES, NAMES, TEXT, NONE = Operands.FILES, Operands.NAMES, Operands.TEXT, Operands.NONE


# ---- JavaScript -------------------------------------------------------------------------------------------

_WORKSPACES = "-w= --workspace= --workspaces --include-workspace-root"
_NPM_TREE = f"""
    -a --all --json -l --long -p --parseable -g --global --depth= --omit= --include= --link --package-lock-only
    --prod --production --dev --unicode --no-unicode {_WORKSPACES}
"""
_NPM_VIEW = Reads(f"--json {_WORKSPACES}", TEXT, check="registry names")
_NPM_LIST = Reads(_NPM_TREE, TEXT)
_NPM_SEARCH = Reads("--json -l --long -p --parseable --no-description --searchlimit=", TEXT, bare=False)
_NPM_WHY = Reads(f"--json {_WORKSPACES}", TEXT)
_NPM_CONFIG = Commands({
    "get": Reads("--json -g --global", TEXT, check="registry names", bare=False),
    "list": Reads("--json -l --long -g --global", NONE),
    "ls": Reads("--json -l --long -g --global", NONE),
})

_NPM: dict[str, Entry] = {
    "ls": _NPM_LIST, "list": _NPM_LIST, "la": _NPM_LIST, "ll": _NPM_LIST,
    "view": _NPM_VIEW, "info": _NPM_VIEW, "show": _NPM_VIEW, "v": _NPM_VIEW,
    "why": _NPM_WHY, "explain": _NPM_WHY,
    "outdated": Reads(f"-a --all --json -l --long -p --parseable -g --global --depth= {_WORKSPACES}", TEXT),
    "audit": Reads(f"--json --omit= --include= --audit-level= --package-lock-only --production {_WORKSPACES}", NONE),
    "run": Reads(f"--json {_WORKSPACES}", NONE), "run-script": Reads(f"--json {_WORKSPACES}", NONE),
    "root": Reads("-g --global", NONE), "prefix": Reads("-g --global", NONE), "bin": Reads("-g --global", NONE),
    "config": _NPM_CONFIG, "c": _NPM_CONFIG,
    "pkg": Commands({"get": Reads(f"--json {_WORKSPACES}", TEXT)}),
    "query": Reads(f"-g --global --package-lock-only {_WORKSPACES}", TEXT, bare=False),
    "sbom": Reads(f"--omit= --package-lock-only --sbom-format= --sbom-type= {_WORKSPACES}", NONE),
    "fund": Reads(f"--json --no-browser --unicode --no-unicode {_WORKSPACES}", NONE),
    "search": _NPM_SEARCH, "s": _NPM_SEARCH, "find": _NPM_SEARCH,
    "org": Commands({"ls": Reads("--json -p --parseable", TEXT, bare=False)}),
    "team": Commands({"ls": Reads("--json -p --parseable", TEXT, bare=False)}),
    "owner": Commands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "dist-tag": Commands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "dist-tags": Commands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "whoami": Reads("", NONE), "ping": Reads("", NONE), "version": Reads("--json", NONE),
}
# These ask the registry that the repository's `.npmrc` may name, with what it may add to the question.
_NPM_ASKS = """
    view info show v outdated audit fund search s find org team owner dist-tag dist-tags whoami ping
""".split()
_NPM_TRUSTING: dict[str, Entry] = {**_NPM, **{name: _NPM[name]._replace(trust=True) for name in _NPM_ASKS}}

_PNPM_TREE = """
    --depth= --json --long --parseable -g --global -P --prod --production -D --dev --no-optional --only-projects
    -r --recursive --filter= -w --workspace-root
"""
_PNPM_LIST = Reads(_PNPM_TREE, TEXT)
_PNPM_VIEW = Reads("--json", TEXT, check="registry names")

_PNPM: dict[str, Entry] = {
    "ls": _PNPM_LIST, "list": _PNPM_LIST, "la": _PNPM_LIST, "ll": _PNPM_LIST, "why": _PNPM_LIST,
    "view": _PNPM_VIEW, "info": _PNPM_VIEW, "show": _PNPM_VIEW,
    "outdated": Reads(f"{_PNPM_TREE} --compatible --long --no-table --format=", TEXT),
    "audit": Reads("--json -P --prod -D --dev --no-optional --audit-level=", NONE),
    "run": Reads("", NONE),
    "root": Reads("-g --global", NONE), "bin": Reads("-g --global", NONE),
    "config": Commands({
        "get": Reads("--json -g --global", TEXT, check="registry names", bare=False), "list": Reads("--json", NONE),
    }),
    "store": Commands({"path": Reads("", NONE)}),
}

# Yarn and bun run a script of the project when they do not know a command, so that only those are here
# which every version of them knows: `yarn list` is gone from newer ones, `bun outdated` is new.
_YARN: dict[str, Entry] = {
    "why": Reads("-R --recursive --json --peers", TEXT, bare=False),
    "info": Reads("-A --all -R --recursive --json --name-only -D --dependents --virtuals", TEXT, check="registry names"),
    "config": Commands({"get": Reads("--json", TEXT, check="registry names", bare=False)}),
    "workspaces": Commands({"list": Reads("--json -v --verbose -R --recursive", NONE)}),
    "bin": Reads("", TEXT),
}

_BUN: dict[str, Entry] = {
    "pm": Commands({
        "ls": Reads("-a --all", NONE), "bin": Reads("-g --global", NONE), "hash": Reads("", NONE),
        "whoami": Reads("", NONE), "untrusted": Reads("", NONE),
    }),
}

_JAVASCRIPT: dict[str, Entry] = {
    "npm": Commands(
        helped(_NPM_TRUSTING, "install i ci add update uninstall exec init create test start publish pack link rebuild prune dedupe"),
        flags="-v --version -g --global -s --silent --json --help", bare=True,
    ),
    "pnpm": Commands(_PNPM, flags="-v --version -r --recursive --filter= -w --workspace-root -s --silent", trust=True, bare=True),
    # Without a sub-command yarn installs, so that no other flag may come first.
    "yarn": Commands(_YARN, flags="-v --version", trust=True, bare=True),
    "bun": Commands(_BUN, flags="-v --version --revision", bare=True),
    "fnm": Commands({"list": Reads("", NONE), "ls": Reads("", NONE), "current": Reads("", NONE)},
                    flags="-V --version", bare=True),
    "volta": Commands({
        "list": Reads("-c --current -d --default --format= --quiet --verbose", TEXT), "which": Reads("", TEXT),
    }, flags="-v --version", bare=True),
}

# ---- Python -----------------------------------------------------------------------------------------------

_PIP_ANY = """
    -q --quiet -v --verbose --disable-pip-version-check --no-color --isolated --no-input --require-virtualenv
    --no-python-version-warning --no-cache-dir --timeout= --retries= --debug
"""


def _pip(flags: str, operands: Operands = NONE) -> Reads:
    return Reads(f"{flags} {_PIP_ANY}", operands)


_PIP: dict[str, Entry] = {
    "list": _pip(
        "-o --outdated -u --uptodate -e --editable -l --local --user --path=< --pre --format= --not-required"
        " --exclude-editable --include-editable --exclude=",
    ),
    "show": _pip("-f --files", TEXT),
    "freeze": _pip("-r=< --requirement=< -l --local --user --path=< --all --exclude-editable --exclude="),
    "check": _pip(""),
    "inspect": _pip("-l --local --user --path=<"),
    "debug": _pip(""),
    "config": Commands({
        "list": _pip("--global --user --site"), "debug": _pip("--global --user --site"),
    }, flags="--global --user --site"),
    "cache": Commands({"dir": _pip(""), "info": _pip(""), "list": _pip("--format=", TEXT)}),
    "index": Commands({"versions": _pip("--pre --json", TEXT)}),
    "hash": _pip("-a= --algorithm=", FILES),
    "help": _pip("", TEXT),
}

_PIP_LIKE = Commands(
    helped(_PIP, "install uninstall download wheel search lock completion"), flags=f"-V --version --help {_PIP_ANY}", bare=True,
)

_UV_ANY = "-q --quiet -v --verbose --color= --offline --no-progress --no-config -n --no-cache --no-python-downloads"


def _uv(flags: str, operands: Operands = NONE, *, needs: str = "", check: str = "") -> Reads:
    return Reads(f"{flags} {_UV_ANY}", operands, needs=needs, trust=True, check=check)


_UV: dict[str, Entry] = {
    "pip": Commands({
        "list": _uv("-e --editable --exclude-editable --exclude= --format= --outdated --strict --system"),
        "show": _uv("-f --files --strict --system", TEXT),
        "freeze": _uv("--exclude-editable --exclude= --strict --system"),
        "tree": _uv(
            "-d= --depth= --prune= --package= --no-dedupe --invert --outdated --show-version-specifiers --strict --system",
        ),
        "check": _uv("--system"),
    }),
    # Without --frozen they write uv.lock, and may build packages to do so.
    "tree": _uv(
        "--frozen --universal -d= --depth= --prune= --package= --no-dedupe --invert --outdated --no-dev --only-dev"
        " --group= --no-group= --all-groups",
        needs="--frozen",
    ),
    "export": _uv(
        "--frozen --format= --no-hashes --no-header --no-annotate --no-dev --only-dev --group= --all-groups --extra="
        " --all-extras --no-emit-project",
        needs="--frozen",
    ),
    "python": Commands({
        "list": _uv(
            "--all-versions --all-platforms --all-arches --only-installed --only-downloads --output-format=", TEXT,
            check="python versions",
        ),
        "find": _uv("--system --no-project --show-version --resolve-links", TEXT, check="python versions"),
        "dir": _uv("--bin"),
    }),
    "tool": Commands({
        "list": _uv("--show-paths --show-version-specifiers --show-with --show-extras --show-python --outdated"),
        "dir": _uv("--bin"),
    }),
    "cache": Commands({"dir": _uv("")}),
    "version": _uv("--short --output-format="),
    "self": Commands({"version": _uv("--short --output-format=")}),
}

_POETRY_ANY = "-n --no-interaction -q --quiet -v --verbose --ansi --no-ansi --no-cache"


def _poetry(flags: str, operands: Operands = NONE, *, needs: str = "") -> Reads:
    return Reads(f"{flags} {_POETRY_ANY}", operands, needs=needs)


_POETRY: dict[str, Entry] = {
    "show": _poetry(
        "-t --tree -l --latest -o --outdated -T --top-level -a --all --why --only= --without= --with= --no-truncate", TEXT,
    ),
    "version": _poetry("-s --short"),
    "check": _poetry("--lock --strict"),
    "env": Commands({"info": _poetry("-p --path -e --executable"), "list": _poetry("--full-path")}),
    "config": _poetry("--list --local", needs="--list"),
    "source": Commands({"show": _poetry("", TEXT)}),
    "search": _poetry("", TEXT),
    "about": _poetry(""),
}

_CONDA: dict[str, Entry] = {
    "list": Reads(
        "-n= --name= -p=< --prefix=< --json -e --export -c --canonical -f --full-name --show-channel-urls -r --revisions"
        " --explicit --md5 --no-pip --reverse -q --quiet -v --verbose",
        TEXT,
    ),
    "info": Reads("-a --all --base -e --envs -l --license -s --system --json -q --quiet -v --verbose", NONE),
    "env": Commands({
        "list": Reads("--json -q --quiet", NONE),
        "export": Reads("-n= --name= --from-history --no-builds --json", NONE),
    }),
    "config": Reads(
        "--show --show-sources --get --describe --json --system --env", TEXT, needs="--show --show-sources --get --describe",
    ),
    "search": Reads("-i --info --json --platform= --subdir= -q --quiet", TEXT, check="no address"),
}
_CONDA_LIKE = Commands(_CONDA, flags="-V --version", bare=True)

_PYENV_READS: dict[str, Entry] = {
    "versions": Reads("--bare --skip-aliases --skip-envs", NONE),
    "version": Reads("--bare", NONE), "version-name": Reads("", NONE), "version-origin": Reads("", NONE),
    "which": Reads("", TEXT), "whence": Reads("--path", TEXT), "root": Reads("", NONE), "prefix": Reads("", TEXT),
    "shims": Reads("--short", NONE), "commands": Reads("--sh --no-sh", NONE),
    # With a version these set it; without a flag `install` installs.
    "local": Reads("", NONE), "global": Reads("", NONE), "shell": Reads("", NONE),
    "install": Reads("-l --list", NONE, needs="-l --list"),
}
_PYENV = Commands(_PYENV_READS, flags="-v --version", bare=True)

_PYTHON: dict[str, Entry] = {
    "pip": _PIP_LIKE, "pip3": _PIP_LIKE,
    "pipx": Commands({
        "list": Reads("--short --json --include-injected --skip-maintenance", NONE), "environment": Reads("-V= --value=", NONE),
    }, flags="--version", bare=True),
    "pipdeptree": Reads(
        "-a --all -l --local-only -u --user-only -w= --warn= -r --reverse -p= --packages= -e= --exclude= -d= --depth="
        " -j --json --json-tree -v --version",
        NONE,
    ),
    "uv": Commands(
        helped(_UV, "run init add remove sync lock build publish venv format"), flags=f"-V --version --help {_UV_ANY}",
        bare=True,
    ),
    "poetry": Commands(
        helped(_POETRY, "add build init install lock new publish remove run sync update"),
        flags=f"-V --version --help {_POETRY_ANY}", trust=True, bare=True,
    ),
    "pipenv": Commands({
        "graph": Reads("--bare --json --json-tree --reverse", NONE), "verify": Reads("", NONE),
    }, flags="--version --venv --where --py --envs", trust=True, bare=True),
    "conda": _CONDA_LIKE, "mamba": _CONDA_LIKE, "micromamba": _CONDA_LIKE,
    "pyenv": _PYENV,
}

# ---- Rust and Go ------------------------------------------------------------------------------------------

_CARGO_ANY = "-v --verbose -q --quiet --color= --locked --offline --frozen"
_FEATURES = "-F= --features= --all-features --no-default-features"


def _cargo(flags: str, operands: Operands = NONE, *, needs: str = "", check: str = "") -> Reads:
    return Reads(f"{flags} {_CARGO_ANY}", operands, needs=needs, check=check)


_CARGO: dict[str, Entry] = {
    # Without --locked they may write Cargo.lock, and fetch what it then names.
    # The value of -i, -p and --target may be left out, so that a word after it counts as an operand.
    "tree": _cargo(
        f"-e= --edges= -i? --invert? --prune= --depth= --prefix= --no-dedupe -d --duplicates --charset= -f= --format="
        f" -p? --package? --workspace --exclude= {_FEATURES} --target? --manifest-path=<",
        TEXT, check="locked",
    ),
    "metadata": _cargo(
        f"--filter-platform= --no-deps --format-version= {_FEATURES} --manifest-path=<",
        check="locked",
    ),
    "pkgid": _cargo("-p? --package? --manifest-path=<", TEXT),
    "locate-project": _cargo("--workspace --message-format= --manifest-path=<"),
    "read-manifest": _cargo("--manifest-path=<"),
    "package": _cargo("-l --list --allow-dirty --manifest-path=<", needs="-l --list"),
    "search": _cargo("--limit= --registry=", TEXT),
    "info": _cargo("--registry=", TEXT),
    "install": _cargo("--list", needs="--list"),
    "owner": _cargo("-l --list", TEXT, needs="-l --list"),
    "verify-project": _cargo("--manifest-path=<"),
    "version": _cargo(""),
}

_RUSTUP: dict[str, Entry] = {
    "show": Commands(
        {"active-toolchain": Reads("-v --verbose", NONE), "home": Reads("", NONE), "profile": Reads("", NONE)},
        flags="-v --verbose", bare=True, empty=True,
    ),
    "toolchain": Commands({"list": Reads("-v --verbose -q --quiet", NONE)}),
    "component": Commands({"list": Reads("--installed --toolchain= -q --quiet", NONE)}),
    "target": Commands({"list": Reads("--installed --toolchain= -q --quiet", NONE)}),
    "override": Commands({"list": Reads("", NONE)}),
    "which": Reads("--toolchain=", TEXT, bare=False),
    "check": Reads("", NONE),
}

_GO: dict[str, Entry] = {
    "list": Reads(GO_LIST, NAMES, check="go list"),
    "env": Reads("-json -changed", TEXT),
    "version": Reads("-m -v", FILES),
    "doc": Reads("-all -c -cmd -short -src -u", TEXT, check="no versions"),
    "mod": Commands({
        "graph": Reads("-go=", NONE), "why": Reads("-m -vendor", TEXT), "verify": Reads("", NONE),
        "edit": Reads("-json -print", FILES, needs="-json -print"),
    }),
    "tool": Commands({
        "cover": Reads("-func=<", NONE, needs="-func"),
        "dist": Commands({"list": Reads("-json -broken", NONE)}),
    }, empty=True),
    "help": Reads("", TEXT),
}

_RUST_AND_GO: dict[str, Entry] = {
    "cargo": Commands(
        helped(_CARGO, "add bench build check clean clippy doc fetch fix fmt new init publish remove run test update vendor"),
        flags=f"-V --version --list --help {_CARGO_ANY}", trust=True, bare=True,
    ),
    "rustup": Commands(_RUSTUP, flags="-V --version -v --verbose -q --quiet", trust=True, bare=True),
    "rustc": Reads("-V --version -vV", NONE, only=True, trust=True),
    "rustfmt": Reads("--check -l --files-with-diff --edition= --color=", FILES, needs="--check", trust=True),
    "go": Commands(_GO, trust=True),
    "gofmt": Reads("-l -d -e -s", FILES),
}

# ---- Ruby, PHP, Java, .NET and build tools ------------------------------------------------------------------

_GEM_LIST = Reads(
    "-i --installed -a --all -d --details --no-details -l --local -r --remote -b --both -v= --version= --versions"
    " --no-versions --prerelease --no-prerelease -e --exact -q --quiet -V --verbose",
    TEXT,
)
_GEM: dict[str, Entry] = {
    "list": _GEM_LIST, "query": _GEM_LIST, "search": _GEM_LIST, "info": _GEM_LIST,
    "environment": Reads("", TEXT), "env": Reads("", TEXT),
    "which": Reads("-a --all -g --gems-first", TEXT, bare=False),
    "contents": Reads("-v= --version= --all -l --lib-only --prefix --no-prefix --show-install-dir", TEXT, bare=False),
    "dependency": Reads("-v= --version= -R --reverse-dependencies --prerelease -l --local -r --remote -b --both", TEXT),
    "outdated": Reads("-l --local -r --remote -b --both", NONE),
    "sources": Reads("-l --list", NONE, needs="-l --list"),
    "help": Reads("", TEXT),
}

_COMPOSER_ANY = "--no-plugins --no-scripts -n --no-interaction -q --quiet -v --verbose --ansi --no-ansi --no-cache --profile"


def _composer(flags: str, operands: Operands = NONE) -> Reads:
    # Plugins are code in the vendor directory, which the project's own files choose.
    return Reads(f"{flags} {_COMPOSER_ANY}", operands, needs="--no-plugins")


_COMPOSER_SHOW = _composer(
    "--all --installed --locked -i -p --platform -s --self -N --name-only -P --path -t --tree -l --latest -o --outdated"
    " -m --minor-only -D --direct --strict -f= --format= --no-dev --ignore=",
    TEXT,
)
_COMPOSER_WHY = _composer("-r --recursive -t --tree --locked", TEXT)
_COMPOSER: dict[str, Entry] = {
    "show": _COMPOSER_SHOW, "info": _COMPOSER_SHOW, "outdated": _COMPOSER_SHOW,
    "why": _COMPOSER_WHY, "depends": _COMPOSER_WHY, "why-not": _COMPOSER_WHY, "prohibits": _COMPOSER_WHY,
    "licenses": _composer("-f= --format= --no-dev"),
    "check-platform-reqs": _composer("--no-dev --lock -f= --format="),
    "validate": _composer("--no-check-all --no-check-lock --no-check-publish --no-check-version -A --with-dependencies --strict"),
}

_DOTNET: dict[str, Entry] = {
    "sln": Commands({"list": Reads("--solution-folders", NONE)}),
    "nuget": Commands({
        "list": Commands({"source": Reads("--format=", NONE)}),
        "locals": Reads("-l --list", TEXT, needs="-l --list"),
    }),
    "tool": Commands({"list": Reads("-g --global --local", NONE)}),
    "workload": Commands({"list": Reads("", NONE)}),
}

_TOOLS: dict[str, Entry] = {
    "gem": Commands(_GEM, flags="-v --version", bare=True),
    "bundle": Commands({
        "config": Commands({"list": Reads("--parseable", NONE)}, empty=True),
        "version": Reads("", NONE),
    }, flags="-v --version", trust=True, bare=True),
    "composer": Commands(_COMPOSER, flags="-V --version", trust=True, bare=True),
    "dotnet": Commands(_DOTNET, flags="--version --info --list-sdks --list-runtimes", trust=True, bare=True),
    "pkg-config": Reads(
        "--version --modversion --cflags --libs --libs-only-l --libs-only-L --libs-only-other --cflags-only-I --exists"
        " --list-all --static --print-errors --atleast-version= --exact-version= --max-version= --variable="
        " --print-variables --print-requires --print-provides",
        NAMES,
    ),
    "just": Reads("--version -l --list --summary", NONE, only=True),
    "rbenv": _PYENV, "nodenv": _PYENV, "goenv": _PYENV, "plenv": _PYENV,
    "asdf": Commands({
        "list": Reads("", TEXT), "current": Reads("", TEXT), "which": Reads("", TEXT), "where": Reads("", TEXT),
        "plugin": Commands({"list": Reads("--urls --refs", NONE)}), "plugin-list": Reads("--urls --refs", NONE),
        "latest": Reads("--all", TEXT), "info": Reads("", NONE), "version": Reads("", NONE),
    }, flags="-v --version", trust=True, bare=True),
    "mise": Commands({
        "ls": Reads("-c --current -g --global -i --installed -J --json --missing --prefix=", TEXT),
        "list": Reads("-c --current -g --global -i --installed -J --json --missing --prefix=", TEXT),
        "current": Reads("", TEXT), "which": Reads("--version --plugin", TEXT), "where": Reads("", TEXT),
        "version": Reads("-J --json", NONE), "outdated": Reads("-J --json -b --bump", TEXT),
    }, flags="-V --version -q --quiet", trust=True, bare=True),
}

PROGRAMS: dict[str, Entry] = {**_JAVASCRIPT, **_PYTHON, **_RUST_AND_GO, **_TOOLS, **packages.PROGRAMS}
