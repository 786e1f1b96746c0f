"""Package managers, build tools and version managers: what they list, never what they install, build or run.

Some of them run code that files of the repository name (a yarn release, a pnpm hook, a rust tool chain), so they
need trust. Those that run ordinary project files as code (a Gemfile, a Rakefile, a build.gradle, a Vagrantfile,
a conftest) are not here at all: who may edit such a file could run anything.
"""

from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads

FILES, NAMES, TEXT, NONE = Operands.FILES, Operands.NAMES, Operands.TEXT, Operands.NONE


# ---- JavaScript -------------------------------------------------------------------------------------------

_WORKSPACES = "-w= --workspace= --workspaces --include-workspace-root"
_NPM_TREE = f"""
    -a --all --json -l --long -p --parseable -g --global --depth= --omit= --include= --link --package-lock-only
    --prod --production --dev --unicode --no-unicode {_WORKSPACES}
"""
_NPM_VIEW = Reads(f"--json {_WORKSPACES}", TEXT, check="registry names")
_NPM_LIST = Reads(_NPM_TREE, TEXT)
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
    "search": Reads("--json -l --long -p --parseable --no-description --searchlimit=", TEXT, bare=False),
    "owner": Commands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "dist-tag": Commands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "dist-tags": Commands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "whoami": Reads("", NONE), "ping": Reads("", NONE), "version": Reads("--json", NONE),
}

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
    "npm": Commands(_NPM, flags="-v --version -g --global -s --silent --json", trust=True, bare=True),
    "pnpm": Commands(_PNPM, flags="-v --version -r --recursive --filter= -w --workspace-root -s --silent", trust=True, bare=True),
    # Without a sub-command yarn installs, so that no other flag may come first.
    "yarn": Commands(_YARN, flags="-v --version", trust=True, bare=True),
    "bun": Commands(_BUN, flags="-v --version --revision", trust=True, bare=True),
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

_UV_ANY = "-q --quiet -v --verbose --color= --offline --no-progress --no-config -n --no-cache --no-python-downloads"


def _uv(flags: str, operands: Operands = NONE, *, needs: str = "") -> Reads:
    return Reads(f"{flags} {_UV_ANY}", operands, needs=needs)


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
        "list": _uv("--all-versions --all-platforms --all-arches --only-installed --only-downloads --output-format=", TEXT),
        "find": _uv("--system --no-project --show-version --resolve-links", TEXT),
        "dir": _uv("--bin"),
    }),
    "tool": Commands({
        "list": _uv("--show-paths --show-version-specifiers --show-with --show-extras --show-python --outdated"),
        "dir": _uv("--bin"),
    }),
    "cache": Commands({"dir": _uv("")}),
    "version": _uv("--short --output-format="),
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
    "pip": Commands(_PIP, flags=f"-V --version {_PIP_ANY}", bare=True),
    "pip3": Commands(_PIP, flags=f"-V --version {_PIP_ANY}", bare=True),
    "pipx": Commands({
        "list": Reads("--short --json --include-injected --skip-maintenance", NONE), "environment": Reads("-V= --value=", NONE),
    }, flags="--version", bare=True),
    "pipdeptree": Reads(
        "-a --all -l --local-only -u --user-only -w= --warn= -r --reverse -p= --packages= -e= --exclude= -d= --depth="
        " -j --json --json-tree -v --version",
        NONE,
    ),
    "uv": Commands(_UV, flags=f"-V --version {_UV_ANY}", trust=True, bare=True),
    "poetry": Commands(_POETRY, flags=f"-V --version {_POETRY_ANY}", trust=True, bare=True),
    "pipenv": Commands({
        "graph": Reads("--bare --json --json-tree --reverse", NONE), "verify": Reads("", NONE),
    }, flags="--version --venv --where --py --envs", trust=True, bare=True),
    "conda": _CONDA_LIKE, "mamba": _CONDA_LIKE, "micromamba": _CONDA_LIKE,
    "pyenv": _PYENV,
}

# ---- Rust and Go ------------------------------------------------------------------------------------------

_CARGO_ANY = "-v --verbose -q --quiet --color= --locked --offline --frozen"
_FEATURES = "-F= --features= --all-features --no-default-features"


def _cargo(flags: str, operands: Operands = NONE, *, needs: str = "") -> Reads:
    return Reads(f"{flags} {_CARGO_ANY}", operands, needs=needs)


_CARGO: dict[str, Entry] = {
    # The value of -i, -p and --target may be left out, so that a word after it counts as an operand.
    "tree": _cargo(
        f"-e= --edges= -i? --invert? --prune= --depth= --prefix= --no-dedupe -d --duplicates --charset= -f= --format="
        f" -p? --package? --workspace --exclude= {_FEATURES} --target? --manifest-path=<",
        TEXT,
    ),
    "metadata": _cargo(f"--filter-platform= --no-deps --format-version= {_FEATURES} --manifest-path=<"),
    "pkgid": _cargo("-p? --package? --manifest-path=<", TEXT),
    "locate-project": _cargo("--workspace --message-format= --manifest-path=<"),
    "read-manifest": _cargo("--manifest-path=<"),
    "package": _cargo("-l --list --allow-dirty --manifest-path=<", needs="-l --list"),
    "search": _cargo("--limit= --registry=", TEXT),
    "info": _cargo("--registry=", TEXT),
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
    "list": Reads(
        "-m -f= -json? -deps -test -e -find -versions -u -retracted -tags= -mod=readonly -mod=vendor", NAMES,
    ),
    "env": Reads("-json -changed", TEXT),
    "version": Reads("-m -v", FILES),
    "doc": Reads("-all -c -cmd -short -src -u", TEXT),
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
    "cargo": Commands(_CARGO, flags=f"-V --version --list {_CARGO_ANY}", trust=True, bare=True),
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

# ---- packages of the operating system -----------------------------------------------------------------------

_BREW_LIST = Reads(
    "--formula --formulae --cask --casks --versions --full-name --pinned --multiple -1 -l -r -t -q --quiet -v --verbose",
    TEXT, check="plain names",
)
_BREW_INFO = Reads("--json? --installed --formula --cask -v --verbose --sizes", TEXT, check="plain names")
_BREW: dict[str, Entry] = {
    "list": _BREW_LIST, "ls": _BREW_LIST, "info": _BREW_INFO, "abv": _BREW_INFO,
    "search": Reads("--formula --cask --desc", TEXT, check="plain names"),
    "desc": Reads("-s --search -n --name -d --description --formula --cask", TEXT, check="plain names"),
    "deps": Reads(
        "--tree --installed --include-build --include-optional -n --topological --direct --union --full-name --annotate"
        " --for-each --formula --cask -1",
        TEXT, check="plain names",
    ),
    "uses": Reads("--installed --recursive --include-build --include-optional --formula --cask", TEXT, check="plain names"),
    "cat": Reads("--formula --cask", TEXT, check="plain names", bare=False),
    "outdated": Reads("-q --quiet -v --verbose --json? --formula --cask -g --greedy", TEXT, check="plain names"),
    "leaves": Reads("-r --installed-on-request -p --installed-as-dependency", NONE),
    "missing": Reads("--hide=", TEXT, check="plain names"),
    "tap": Reads("", NONE), "tap-info": Reads("--installed --json?", NONE),
    "config": Reads("", NONE), "doctor": Reads("-q --quiet -v --verbose", NONE), "commands": Reads("", NONE),
    "services": Commands({
        "list": Reads("--json", NONE), "info": Reads("--json --all", TEXT, check="plain names"),
    }, empty=True),
}

_APT_ANY = "-q -qq --quiet --no-pager"
_APT_RELATIONS = Reads(
    f"--installed --important -i --recurse --no-pre-depends --no-depends --no-recommends --no-suggests --no-conflicts"
    f" --no-breaks --no-replaces --no-enhances --all-versions -a {_APT_ANY}",
    TEXT,
)
_APT_SHOW = Reads(f"-a --all-versions --no-all-versions -f --full {_APT_ANY}", NAMES)
_APT_SEARCH = Reads(f"-n --names-only -f --full {_APT_ANY}", TEXT)
_APT_POLICY = Reads(_APT_ANY, TEXT)
_APT: dict[str, Entry] = {
    "list": Reads(
        f"--installed --upgradable --upgradeable --manual-installed -a --all-versions -v --verbose {_APT_ANY}", TEXT,
    ),
    "show": _APT_SHOW, "search": _APT_SEARCH, "policy": _APT_POLICY,
    "depends": _APT_RELATIONS, "rdepends": _APT_RELATIONS,
}
_APT_CACHE: dict[str, Entry] = {
    "show": _APT_SHOW, "search": _APT_SEARCH, "policy": _APT_POLICY,
    "depends": _APT_RELATIONS, "rdepends": _APT_RELATIONS,
    "madison": _APT_POLICY, "showpkg": _APT_POLICY, "showsrc": _APT_POLICY, "pkgnames": _APT_POLICY,
    "stats": _APT_POLICY, "unmet": _APT_POLICY,
}
_DPKG_READS = "-l --list -s --status -L --listfiles -S --search -p --print-avail"

_DNF_ANY = "-q --quiet -C --cacheonly -v --verbose"
_DNF_INFO = Reads(
    f"--installed --available --upgrades --updates --obsoletes --recent --extras --all --showduplicates {_DNF_ANY}", TEXT,
)
_DNF: dict[str, Entry] = {
    "list": _DNF_INFO, "info": _DNF_INFO,
    "search": Reads(f"--all {_DNF_ANY}", TEXT),
    "provides": Reads(_DNF_ANY, TEXT), "whatprovides": Reads(_DNF_ANY, TEXT), "deplist": Reads(_DNF_ANY, TEXT),
    "repolist": Reads(f"--all --enabled --disabled {_DNF_ANY}", TEXT),
    "repoinfo": Reads(f"--all --enabled --disabled {_DNF_ANY}", TEXT),
    "repoquery": Reads(
        f"--installed --available --requires --provides --whatrequires= --whatprovides= -l --list -i --info --qf="
        f" --queryformat= --latest-limit= --deplist --tree --recursive --location {_DNF_ANY}",
        TEXT,
    ),
    "check-update": Reads(_DNF_ANY, TEXT),
    "history": Commands({"list": Reads(_DNF_ANY, TEXT), "info": Reads(_DNF_ANY, TEXT)}, empty=True),
    "group": Commands({"list": Reads(f"--hidden --ids {_DNF_ANY}", TEXT), "info": Reads(_DNF_ANY, TEXT)}),
    "module": Commands({"list": Reads(_DNF_ANY, TEXT), "info": Reads(_DNF_ANY, TEXT)}),
}
_DNF_LIKE = Commands(_DNF, flags=f"--version {_DNF_ANY}", bare=True)

_ZYPPER_SEARCH = Reads("-s --details -i --installed-only -u --not-installed-only -x --match-exact -d --search-descriptions", TEXT)
_FLATPAK_ANY = "--user --system -d --show-details --columns="

_SYSTEM: dict[str, Entry] = {
    "brew": Commands(
        _BREW, flags="-v --version --prefix --cellar --caskroom --cache --repository --repo", bare=True,
    ),
    "apt": Commands(_APT, flags="-v --version", bare=True),
    "apt-cache": Commands(_APT_CACHE, flags="-v --version", bare=True),
    "apt-mark": Commands({
        "showauto": Reads("", TEXT), "showmanual": Reads("", TEXT), "showhold": Reads("", TEXT), "showinstall": Reads("", TEXT),
    }),
    "apt-config": Commands({"dump": Reads("", TEXT)}),
    "apt-file": Commands({
        "search": Reads("-l --package-only -x --regexp -F --fixed-string -i --ignore-case", TEXT),
        "list": Reads("-l --package-only -x --regexp -F --fixed-string", TEXT),
    }),
    "aptitude": Commands({"search": Reads("", TEXT), "show": Reads("", TEXT), "why": Reads("", TEXT)},
                         flags="--version", bare=True),
    "dpkg": Reads(
        f"{_DPKG_READS} --get-selections --print-architecture --print-foreign-architectures -C --audit -V --verify"
        " --compare-versions --version --no-pager",
        TEXT,
        needs=f"{_DPKG_READS} --get-selections --print-architecture --print-foreign-architectures -C --audit -V --verify"
        " --compare-versions --version",
    ),
    "dpkg-query": Reads(
        f"{_DPKG_READS} -W --show -f= --showformat= --control-list --control-show --version --no-pager", TEXT,
        needs=f"{_DPKG_READS} -W --show --control-list --control-show --version",
    ),
    "dpkg-deb": Reads(
        "-c --contents -I --info -f --field -W --show --showformat=", FILES,
        needs="-c --contents -I --info -f --field -W --show",
    ),
    "update-alternatives": Reads(
        "--list --display --query --get-selections", TEXT, needs="--list --display --query --get-selections",
    ),
    "rpm": Reads(
        "-q --query -a --all -i --info -l --list -f --file -c --configfiles -d --docfiles -R --requires --provides"
        " --conflicts --obsoletes --recommends --suggests --changelog --changes --scripts --triggers --last -s --state"
        " --whatprovides --whatrequires --whatrecommends --qf= --queryformat= -g --group -V --verify --filesbypkg",
        TEXT, check="rpm", bare=True,
    ),
    "dnf": _DNF_LIKE, "yum": _DNF_LIKE, "microdnf": _DNF_LIKE, "tdnf": _DNF_LIKE,
    "pacman": Reads(check="pacman"),
    "zypper": Commands({
        "search": _ZYPPER_SEARCH, "se": _ZYPPER_SEARCH, "info": Reads("", TEXT), "if": Reads("", TEXT),
        "repos": Reads("-u --uri -d --details", TEXT), "lr": Reads("-u --uri -d --details", TEXT),
        "list-updates": Reads("", NONE), "lu": Reads("", NONE), "packages": Reads("-i --installed-only", TEXT),
    }, flags="-V --version -q --quiet", bare=True),
    "apk": Commands({
        "info": Reads("-a --all -d --description -w --webpage -L --contents -R --depends -P --provides -r --rdepends"
                      " -t --triggers -s --size -e --installed -W --who-owns -v --verbose -q --quiet", TEXT),
        "list": Reads("-I --installed -u --upgradable -a --available -o --orphaned -d --depends -v --verbose -q --quiet", TEXT),
        "search": Reads("-a --all -d --description -x --exact -e -o --origin -r --rdepends -v --verbose -q --quiet", TEXT),
        "policy": Reads("", TEXT), "stats": Reads("", NONE), "version": Reads("-v --verbose", NONE),
    }, flags="-V --version", bare=True),
    "snap": Commands({
        "list": Reads("--all", TEXT), "info": Reads("--verbose --unicode= --color=", NAMES), "find": Reads("--private", TEXT),
        "version": Reads("", NONE), "changes": Reads("--abs-time", TEXT), "services": Reads("-g --global", TEXT),
        "connections": Reads("--all", TEXT), "refresh": Reads("--list --time", NONE, needs="--list --time"),
    }, flags="--version", bare=True),
    "flatpak": Commands({
        "list": Reads(f"{_FLATPAK_ANY} --app --runtime -a --all --arch=", TEXT),
        "info": Reads("--user --system -r --show-ref -o --show-origin -c --show-commit -s --show-size -m --show-metadata"
                      " -M --show-permissions -l --show-location", TEXT),
        "search": Reads("--columns=", TEXT), "remotes": Reads(_FLATPAK_ANY, NONE), "ps": Reads("--columns=", NONE),
        "history": Reads("--since= --until= --columns= --reverse", NONE),
    }, flags="--version", bare=True),
    "nix": Commands({"profile": Commands({"list": Reads("--json", NONE)})}, flags="--version", bare=True),
    "nix-channel": Reads("--list", NONE, needs="--list"),
    "nix-env": Reads("-q --query --installed --out-path --json", TEXT, needs="-q --query"),
    "xcode-select": Reads("-p --print-path -v --version", NONE, only=True),
    "xcodebuild": Reads("-version -showsdks", NONE, only=True),
}

PROGRAMS: dict[str, Entry] = {**_JAVASCRIPT, **_PYTHON, **_RUST_AND_GO, **_TOOLS, **_SYSTEM}
