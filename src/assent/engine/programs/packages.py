"""Package managers of operating systems."""

from assent.engine.programs.program import (
    FILES,
    NAMES,
    NONE,
    TEXT,
    InputRule,
    InputUse,
    Program,
    ReadCommands,
    ReadEntry,
    Reads,
    Rest,
    RunCommands,
    Runs,
    Script,
)
from assent.engine.programs.shared import (
    INPUT_SESSION,
    RUNS_AFTER_OPERAND,
    RUNS_OPTIONS,
)

_BREW_LIST = Reads(
    "--formula --formulae --cask --casks --versions --full-name --pinned --multiple -1 -l -r -t -q --quiet -v --verbose",
    TEXT,
    check="plain names",
)
_BREW_INFO = Reads("--json? --installed --formula --cask -v --verbose --sizes", TEXT, check="plain names")
_BREW: dict[str, ReadEntry] = {
    "list": _BREW_LIST,
    "ls": _BREW_LIST,
    "info": _BREW_INFO,
    "abv": _BREW_INFO,
    "search": Reads("--formula --cask --desc", TEXT, check="plain names"),
    "desc": Reads("-s --search -n --name -d --description --formula --cask", TEXT, check="plain names"),
    "deps": Reads(
        "--tree --installed --include-build --include-optional -n --topological --direct --union --full-name --annotate"
        " --for-each --formula --cask -1",
        TEXT,
        check="plain names",
    ),
    "uses": Reads(
        "--installed --recursive --include-build --include-optional --formula --cask",
        TEXT,
        check="plain names",
    ),
    "cat": Reads("--formula --cask", TEXT, check="plain names", bare=False),
    "outdated": Reads(
        "-q --quiet -v --verbose --json? --formula --cask -g --greedy", TEXT, check="plain names"
    ),
    "leaves": Reads("-r --installed-on-request -p --installed-as-dependency", NONE),
    "missing": Reads("--hide=", TEXT, check="plain names"),
    "tap": Reads("", NONE),
    "tap-info": Reads("--installed --json?", NONE),
    "config": Reads("", NONE),
    "doctor": Reads("-q --quiet -v --verbose", NONE),
    "commands": Reads("", NONE),
    "services": ReadCommands(
        {
            "list": Reads("--json", NONE),
            "info": Reads("--json --all", TEXT, check="plain names"),
        },
        empty=True,
    ),
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
_APT: dict[str, ReadEntry] = {
    "list": Reads(
        f"--installed --upgradable --upgradeable --manual-installed -a --all-versions -v --verbose {_APT_ANY}",
        TEXT,
    ),
    "show": _APT_SHOW,
    "search": _APT_SEARCH,
    "policy": _APT_POLICY,
    "depends": _APT_RELATIONS,
    "rdepends": _APT_RELATIONS,
}
_APT_CACHE: dict[str, ReadEntry] = {
    "show": _APT_SHOW,
    "search": _APT_SEARCH,
    "policy": _APT_POLICY,
    "depends": _APT_RELATIONS,
    "rdepends": _APT_RELATIONS,
    "madison": _APT_POLICY,
    "showpkg": _APT_POLICY,
    "showsrc": _APT_POLICY,
    "pkgnames": _APT_POLICY,
    "stats": _APT_POLICY,
    "unmet": _APT_POLICY,
}
_DPKG_READS = "-l --list -s --status -L --listfiles -S --search -p --print-avail"
_DNF_ANY = "-q --quiet -C --cacheonly -v --verbose"
_DNF_INFO = Reads(
    f"--installed --available --upgrades --updates --obsoletes --recent --extras --all --showduplicates {_DNF_ANY}",
    TEXT,
)
_DNF: dict[str, ReadEntry] = {
    "list": _DNF_INFO,
    "info": _DNF_INFO,
    "search": Reads(f"--all {_DNF_ANY}", TEXT),
    "provides": Reads(_DNF_ANY, TEXT),
    "whatprovides": Reads(_DNF_ANY, TEXT),
    "deplist": Reads(_DNF_ANY, TEXT),
    "repolist": Reads(f"--all --enabled --disabled {_DNF_ANY}", TEXT),
    "repoinfo": Reads(f"--all --enabled --disabled {_DNF_ANY}", TEXT),
    "repoquery": Reads(
        f"--installed --available --requires --provides --whatrequires= --whatprovides= -l --list -i --info --qf="
        f" --queryformat= --latest-limit= --deplist --tree --recursive --location {_DNF_ANY}",
        TEXT,
    ),
    "check-update": Reads(_DNF_ANY, TEXT),
    "history": ReadCommands({"list": Reads(_DNF_ANY, TEXT), "info": Reads(_DNF_ANY, TEXT)}, empty=True),
    "group": ReadCommands({"list": Reads(f"--hidden --ids {_DNF_ANY}", TEXT), "info": Reads(_DNF_ANY, TEXT)}),
    "module": ReadCommands({"list": Reads(_DNF_ANY, TEXT), "info": Reads(_DNF_ANY, TEXT)}),
}
_DNF_LIKE = ReadCommands(_DNF, flags=f"--version {_DNF_ANY}", bare=True)
_ZYPPER_SEARCH = Reads(
    "-s --details -i --installed-only -u --not-installed-only -x --match-exact -d --search-descriptions", TEXT
)
_FLATPAK_ANY = "--user --system -d --show-details --columns="
_NIX_SHELL = RUNS_OPTIONS._replace(options="-c* --command*")
_PACKAGES = InputRule(
    InputUse.ANSWERS,
    options="-y; --yes; --assume-yes; -s; --simulate; --dry-run; --assumeyes; --noconfirm;",
    commands="install remove purge autoremove upgrade dist-upgrade full-upgrade erase reinstall downgrade",
)

PROGRAMS = (
    Program(
        "brew",
        reads=ReadCommands(
            _BREW,
            flags="-v --version --prefix --cellar --caskroom --cache --repository --repo",
            bare=True,
        ),
        same_as=(
            "brew uninstall = brew remove = brew rm",
            "brew list = brew ls",
            "brew install = brew cask install",
        ),
    ),
    Program(
        "apt",
        reads=ReadCommands(_APT, flags="-v --version", bare=True),
        text_options="-o=@",
        input=(_PACKAGES,),
        options={"": "y=yes"},
        same_as=(
            "apt install = apt-get install = aptitude install",
            "apt remove = apt-get remove = aptitude remove",
            "apt purge = apt-get purge = aptitude purge",
            "apt update = apt-get update = aptitude update",
            "apt upgrade = apt-get upgrade = aptitude safe-upgrade",
            "apt full-upgrade = apt-get dist-upgrade = aptitude full-upgrade",
            "apt autoremove = apt-get autoremove",
            "apt reinstall = apt-get reinstall",
        ),
    ),
    Program(
        "apt-get",
        reads=Reads("--version", only=True),
        text_options="-o=@",
        input=(_PACKAGES,),
        options={"": "y=yes"},
    ),
    Program(
        "dpkg",
        reads=Reads(
            f"{_DPKG_READS} --get-selections --print-architecture --print-foreign-architectures -C --audit -V --verify"
            " --compare-versions --version --no-pager",
            TEXT,
            needs=f"{_DPKG_READS} --get-selections --print-architecture --print-foreign-architectures -C --audit -V --verify"
            " --compare-versions --version",
        ),
        text_options="--pre-invoke=! --post-invoke=!",
        input=(InputRule(only="--set-selections --update-avail --merge-avail"),),
    ),
    Program("yum", reads=_DNF_LIKE, input=(_PACKAGES,), options={"": "y=assumeyes"}),
    Program(
        "dnf",
        reads=_DNF_LIKE,
        input=(_PACKAGES,),
        options={"": "y=assumeyes"},
        same_as=(
            "dnf install = yum install = dnf5 install = microdnf install",
            "dnf remove = yum remove = dnf erase = yum erase = dnf5 remove = microdnf remove",
            "dnf update = yum update = dnf upgrade = yum upgrade",
        ),
    ),
    Program("xcodebuild", reads=Reads("-version -showsdks", NONE, only=True), never_suggest=True),
    Program("apt-cache", reads=ReadCommands(_APT_CACHE, flags="-v --version", bare=True)),
    Program(
        "apt-mark",
        reads=ReadCommands(
            {
                "showauto": Reads("", TEXT),
                "showmanual": Reads("", TEXT),
                "showhold": Reads("", TEXT),
                "showinstall": Reads("", TEXT),
            }
        ),
    ),
    Program("apt-config", reads=ReadCommands({"dump": Reads("", TEXT)})),
    Program(
        "apt-file",
        reads=ReadCommands(
            {
                "search": Reads("-l --package-only -x --regexp -F --fixed-string -i --ignore-case", TEXT),
                "list": Reads("-l --package-only -x --regexp -F --fixed-string", TEXT),
            }
        ),
    ),
    Program(
        "aptitude",
        reads=ReadCommands(
            {"search": Reads("", TEXT), "show": Reads("", TEXT), "why": Reads("", TEXT)},
            flags="--version",
            bare=True,
        ),
        text_options="-o=@",
        input=(_PACKAGES,),
    ),
    Program(
        "dpkg-query",
        reads=Reads(
            f"{_DPKG_READS} -W --show -f= --showformat= --control-list --control-show --version --no-pager",
            TEXT,
            needs=f"{_DPKG_READS} -W --show --control-list --control-show --version",
        ),
    ),
    Program(
        "dpkg-deb",
        reads=Reads(
            "-c --contents -I --info -f --field -W --show --showformat=",
            FILES,
            needs="-c --contents -I --info -f --field -W --show",
        ),
    ),
    Program(
        "update-alternatives",
        reads=Reads(
            "--list --display --query --get-selections",
            TEXT,
            needs="--list --display --query --get-selections",
        ),
    ),
    Program(
        "rpm",
        reads=Reads(
            "-q --query -a --all -i --info -l --list -f --file -c --configfiles -d --docfiles -R --requires --provides"
            " --conflicts --obsoletes --recommends --suggests --changelog --changes --scripts --triggers --last -s --state"
            " --whatprovides --whatrequires --whatrecommends --qf= --queryformat= -g --group -V --verify --filesbypkg",
            TEXT,
            check="rpm",
            bare=True,
        ),
        text_options="--pipe=!",
        scripts=(
            Script.CALLS,
            Script.MACROS,
        ),
    ),
    Program("microdnf", reads=_DNF_LIKE, input=(_PACKAGES,)),
    Program("tdnf", reads=_DNF_LIKE),
    Program("pacman", reads=Reads(check="pacman"), input=(_PACKAGES,)),
    Program(
        "zypper",
        reads=ReadCommands(
            {
                "search": _ZYPPER_SEARCH,
                "se": _ZYPPER_SEARCH,
                "info": Reads("", TEXT),
                "if": Reads("", TEXT),
                "repos": Reads("-u --uri -d --details", TEXT),
                "lr": Reads("-u --uri -d --details", TEXT),
                "list-updates": Reads("", NONE),
                "lu": Reads("", NONE),
                "packages": Reads("-i --installed-only", TEXT),
            },
            flags="-V --version -q --quiet",
            bare=True,
        ),
        input=(_PACKAGES,),
    ),
    Program(
        "apk",
        reads=ReadCommands(
            {
                "info": Reads(
                    "-a --all -d --description -w --webpage -L --contents -R --depends -P --provides -r --rdepends"
                    " -t --triggers -s --size -e --installed -W --who-owns -v --verbose -q --quiet",
                    TEXT,
                ),
                "list": Reads(
                    "-I --installed -u --upgradable -a --available -o --orphaned -d --depends -v --verbose -q --quiet",
                    TEXT,
                ),
                "search": Reads(
                    "-a --all -d --description -x --exact -e -o --origin -r --rdepends -v --verbose -q --quiet",
                    TEXT,
                ),
                "policy": Reads("", TEXT),
                "stats": Reads("", NONE),
                "version": Reads("-v --verbose", NONE),
            },
            flags="-V --version",
            bare=True,
        ),
        input=(_PACKAGES,),
    ),
    Program(
        "snap",
        reads=ReadCommands(
            {
                "list": Reads("--all", TEXT),
                "info": Reads("--verbose --unicode= --color=", NAMES),
                "find": Reads("--private", TEXT),
                "version": Reads("", NONE),
                "changes": Reads("--abs-time", TEXT),
                "services": Reads("-g --global", TEXT),
                "connections": Reads("--all", TEXT),
                "refresh": Reads("--list --time", NONE, needs="--list --time"),
            },
            flags="--version",
            bare=True,
        ),
        runs=RunCommands(
            {"run": Runs("--shell --strace? --gdb --gdbserver? --trace-exec", operands=1, before=("sh",))}
        ),
        same_as=("snap remove = snap uninstall",),
    ),
    Program(
        "flatpak",
        reads=ReadCommands(
            {
                "list": Reads(f"{_FLATPAK_ANY} --app --runtime -a --all --arch=", TEXT),
                "info": Reads(
                    "--user --system -r --show-ref -o --show-origin -c --show-commit -s --show-size -m --show-metadata"
                    " -M --show-permissions -l --show-location",
                    TEXT,
                ),
                "search": Reads("--columns=", TEXT),
                "remotes": Reads(_FLATPAK_ANY, NONE),
                "ps": Reads("--columns=", NONE),
                "history": Reads("--since= --until= --columns= --reverse", NONE),
            },
            flags="--version",
            bare=True,
        ),
        runs=RunCommands({"run": Runs("--command=^ --branch= --arch=", operands=1)}),
    ),
    Program(
        "nix",
        reads=ReadCommands(
            {"profile": ReadCommands({"list": Reads("--json", NONE)})}, flags="--version", bare=True
        ),
        runs=RunCommands(
            {
                "shell": _NIX_SHELL,
                "develop": _NIX_SHELL,
                "run": Runs(operands=1, optional=True, again=True),
                "env": RunCommands({"shell": _NIX_SHELL}),
            },
            "--option== --extra-experimental-features= --experimental-features=",
        ),
    ),
    Program("nix-channel", reads=Reads("--list", NONE, needs="--list")),
    Program("nix-env", reads=Reads("-q --query --installed --out-path --json", TEXT, needs="-q --query")),
    Program("xcode-select", reads=Reads("-p --print-path -v --version", NONE, only=True)),
    Program("nix-shell", runs=RUNS_OPTIONS._replace(options="--run=! --command=!")),
    Program("guix", runs=RunCommands(dict.fromkeys(("shell", "environment"), Runs("--*", marker="--")))),
    Program(
        "mock",
        runs=Runs("--chroot=! --shell=! -r= --root= --enablerepo= --no-clean -q -v shell", rest=Rest.TEXTS),
    ),
    Program("spack", runs=RunCommands({"build-env": RUNS_AFTER_OPERAND})),
    Program("pkgx", runs=Runs("-q -v +?")),
    Program("checkinstall", runs=Runs("--*")),
    Program("dpkg-reconfigure debconf-set-selections debconf-communicate", input=(INPUT_SESSION,)),
    Program("pkg", input=(_PACKAGES,)),
    Program(
        "rpmbuild rpmspec",
        scripts=(
            Script.CALLS,
            Script.MACROS,
        ),
    ),
    Program("rpmdb rpmquery rpmverify", scripts=(Script.MACROS,)),
)
