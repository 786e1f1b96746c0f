"""Packages of the operating system: what is installed or could be, never what installs."""

from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads

FILES, NAMES, TEXT, NONE = Operands.FILES, Operands.NAMES, Operands.TEXT, Operands.NONE

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

PROGRAMS: dict[str, Entry] = {
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
