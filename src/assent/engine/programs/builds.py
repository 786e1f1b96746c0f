"""Compilers, build tools, linters and version managers.

Some of them run code that files of the repository name (a rust tool chain), so they need trust. Those that run
ordinary project files as code (a Gemfile, a Rakefile, a build.gradle) do not read only: a person who may edit such
a file could run anything.
"""

from assent.engine.programs.code_files import (
    BAZEL,
    BUNDLER,
    CARGO,
    COMPOSER,
    DOTNET,
    GRADLE,
    MAVEN,
    MISE,
    RUST,
    VERSION_FILES,
)
from assent.engine.programs.losses import PUBLISHES, Loss, Losses, LossPattern
from assent.engine.programs.program import (
    BINARIES,
    FILES,
    HELP_FLAGS,
    NAMES,
    NONE,
    PYENV,
    TEXT,
    Operands,
    Program,
    ReadCommands,
    ReadEntry,
    Reads,
    SettingFiles,
    Writes,
    WriteTarget,
    add_help_entries,
)
from assent.engine.programs.runs import (
    RUNS_AFTER_DASHES,
    RUNS_AFTER_OPERAND,
    RUNS_COMMAND,
    RUNS_EXEC,
    RUNS_OPTIONS,
    CodeInput,
    InputRule,
    RestOfWords,
    RunCommands,
    Runs,
    Script,
    interpreter_run_entry,
)

GO_LIST = "-m -f= -json? -deps -test -e -find -versions -u -retracted -tags= -mod=readonly -mod=vendor"
_CARGO_ANY = "-v --verbose -q --quiet --color= --locked --offline --frozen"
_FEATURES = "-F= --features= --all-features --no-default-features"


def _cargo_read_entry(flags: str, operands: Operands = NONE, *, needs: str = "", check: str = "") -> Reads:
    """The read entry of a sub-command of `cargo`, with the flags that every sub-command has."""
    return Reads(f"{flags} {_CARGO_ANY}", operands, needs=needs, check=check)


_CARGO: dict[str, ReadEntry] = {
    # Without --locked they may write Cargo.lock, and fetch what it then names.
    # The value of -i, -p and --target may be left out, so that a word after it counts as an operand.
    "tree": _cargo_read_entry(
        f"-e= --edges= -i? --invert? --prune= --depth= --prefix= --no-dedupe -d --duplicates --charset= -f= --format="
        f" -p? --package? --workspace --exclude= {_FEATURES} --target? --manifest-path=<",
        TEXT,
        check="locked",
    ),
    "metadata": _cargo_read_entry(
        f"--filter-platform= --no-deps --format-version= {_FEATURES} --manifest-path=<",
        check="locked",
    ),
    "pkgid": _cargo_read_entry("-p? --package? --manifest-path=<", TEXT),
    "locate-project": _cargo_read_entry("--workspace --message-format= --manifest-path=<"),
    "read-manifest": _cargo_read_entry("--manifest-path=<"),
    "package": _cargo_read_entry("-l --list --allow-dirty --manifest-path=<", needs="-l --list"),
    "search": _cargo_read_entry("--limit= --registry=", TEXT),
    "info": _cargo_read_entry("--registry=", TEXT),
    "install": _cargo_read_entry("--list", needs="--list"),
    "owner": _cargo_read_entry("-l --list", TEXT, needs="-l --list"),
    "verify-project": _cargo_read_entry("--manifest-path=<"),
    "version": _cargo_read_entry(""),
}
_RUSTUP: dict[str, ReadEntry] = {
    "show": ReadCommands(
        {
            "active-toolchain": Reads("-v --verbose", NONE),
            "home": Reads("", NONE),
            "profile": Reads("", NONE),
        },
        flags="-v --verbose",
        bare=True,
        empty=True,
    ),
    "toolchain": ReadCommands({"list": Reads("-v --verbose -q --quiet", NONE)}),
    "component": ReadCommands({"list": Reads("--installed --toolchain= -q --quiet", NONE)}),
    "target": ReadCommands({"list": Reads("--installed --toolchain= -q --quiet", NONE)}),
    "override": ReadCommands({"list": Reads("", NONE)}),
    "which": Reads("--toolchain=", TEXT, bare=False),
    "check": Reads("", NONE),
}
_GO: dict[str, ReadEntry] = {
    "list": Reads(GO_LIST, NAMES, check="go list"),
    "env": Reads("-json -changed", TEXT),
    "version": Reads("-m -v", FILES),
    "doc": Reads("-all -c -cmd -short -src -u", TEXT, check="no versions"),
    "mod": ReadCommands(
        {
            "graph": Reads("-go=", NONE),
            "why": Reads("-m -vendor", TEXT),
            "verify": Reads("", NONE),
            "edit": Reads("-json -print", FILES, needs="-json -print"),
        }
    ),
    "tool": ReadCommands(
        {
            "cover": Reads("-func=<", NONE, needs="-func"),
            "dist": ReadCommands({"list": Reads("-json -broken", NONE)}),
        },
        empty=True,
    ),
    "help": Reads("", TEXT),
}
_GEM_LIST = Reads(
    "-i --installed -a --all -d --details --no-details -l --local -r --remote -b --both -v= --version= --versions"
    " --no-versions --prerelease --no-prerelease -e --exact -q --quiet -V --verbose",
    TEXT,
)
_GEM: dict[str, ReadEntry] = {
    "list": _GEM_LIST,
    "query": _GEM_LIST,
    "search": _GEM_LIST,
    "info": _GEM_LIST,
    "environment": Reads("", TEXT),
    "env": Reads("", TEXT),
    "which": Reads("-a --all -g --gems-first", TEXT, bare=False),
    "contents": Reads(
        "-v= --version= --all -l --lib-only --prefix --no-prefix --show-install-dir", TEXT, bare=False
    ),
    "dependency": Reads(
        "-v= --version= -R --reverse-dependencies --prerelease -l --local -r --remote -b --both", TEXT
    ),
    "outdated": Reads("-l --local -r --remote -b --both", NONE),
    "sources": Reads("-l --list", NONE, needs="-l --list"),
    "help": Reads("", TEXT),
}
_COMPOSER_ANY = "--no-plugins --no-scripts -n --no-interaction -q --quiet -v --verbose --ansi --no-ansi --no-cache --profile"


def _composer_read_entry(flags: str, operands: Operands = NONE) -> Reads:
    """The read entry of a sub-command of `composer`, with the flags that every sub-command has."""
    # Plugins are code in the vendor directory, which the project's own files choose.
    return Reads(f"{flags} {_COMPOSER_ANY}", operands, needs="--no-plugins")


_COMPOSER_SHOW = _composer_read_entry(
    "--all --installed --locked -i -p --platform -s --self -N --name-only -P --path -t --tree -l --latest -o --outdated"
    " -m --minor-only -D --direct --strict -f= --format= --no-dev --ignore=",
    TEXT,
)
_COMPOSER_WHY = _composer_read_entry("-r --recursive -t --tree --locked", TEXT)
_COMPOSER: dict[str, ReadEntry] = {
    "show": _COMPOSER_SHOW,
    "info": _COMPOSER_SHOW,
    "outdated": _COMPOSER_SHOW,
    "why": _COMPOSER_WHY,
    "depends": _COMPOSER_WHY,
    "why-not": _COMPOSER_WHY,
    "prohibits": _COMPOSER_WHY,
    "licenses": _composer_read_entry("-f= --format= --no-dev"),
    "check-platform-reqs": _composer_read_entry("--no-dev --lock -f= --format="),
    "validate": _composer_read_entry(
        "--no-check-all --no-check-lock --no-check-publish --no-check-version -A --with-dependencies --strict"
    ),
}
_DOTNET: dict[str, ReadEntry] = {
    "sln": ReadCommands({"list": Reads("--solution-folders", NONE)}),
    "nuget": ReadCommands(
        {
            "list": ReadCommands({"source": Reads("--format=", NONE)}),
            "locals": Reads("-l --list", TEXT, needs="-l --list"),
        }
    ),
    "tool": ReadCommands({"list": Reads("-g --global --local", NONE)}),
    "workload": ReadCommands({"list": Reads("", NONE)}),
}
_MISE = RunCommands(
    dict.fromkeys(("exec", "x"), Runs("-c=! --command=!", marker="--")),
    "-C= --cd= -E= --env=",
)
_CMAKE_TOOLS = {
    "rm": "rm -r",
    "remove": "rm",
    "remove_directory": "rm -r",
    "copy": "cp",
    "copy_if_different": "cp",
    "copy_directory": "cp -r",
    "rename": "mv",
    "touch": "touch",
    "create_symlink": "ln -s",
    "create_hardlink": "ln",
    "tar": "tar",
}
"""Tools that `cmake -E` brings along, and which programs they are like."""
_COMPILER = Writes("-o=> -MF=> -I= -L= -D= -l= -c -g -S -E -shared -static -pthread -* --*", WriteTarget.NONE)

PROGRAMS = (
    Program(
        "make gmake",
        reads=Reads("--version -v --help -h", only=True),
        text_options="-f=# --file=# --makefile=#",
        text_words=("SHELL=",),
        takes_data=True,
        takes_assignments=True,
        project_files=(
            "Makefile",
            "makefile",
            "GNUmakefile",
            "BSDmakefile",
        ),
        scripts=(Script.MAKE,),
    ),
    Program(
        "rustup",
        reads=ReadCommands(_RUSTUP, flags="-V --version -v --verbose -q --quiet", trust=True, bare=True),
        runs=RunCommands({"run": Runs("--install", operands=1)}),
        code_files=RUST,
        does="installs",
    ),
    Program(
        "just",
        reads=Reads("--version -l --list --summary", NONE, only=True),
        runs=RUNS_OPTIONS._replace(options="-c* --command* --shell=! --chooser=!"),
        text_options="-f=# --justfile=#",
        takes_assignments=True,
        project_files=(
            "justfile",
            "Justfile",
            ".justfile",
        ),
        scripts=(Script.TASKS,),
    ),
    Program(
        "gem",
        reads=ReadCommands(_GEM, flags="-v --version", bare=True),
        runs=RunCommands({"exec": Runs("-v= --version= -g= --gem= --prerelease --conservative")}),
        text_options="-e=! --editor=!",
        takes_data=True,
        losses=PUBLISHES,
        same_as=(
            "gem install = gem i",
            "gem uninstall = gem remove",
        ),
        does="push yank owner: sends; build: builds; installs",
    ),
    Program("nim", reads=Reads("--version -v", only=True), scripts=(Script.COMPILED,)),
    Program("ghc", reads=Reads("--version", only=True), scripts=(Script.CALLS,)),
    Program(
        "cabal",
        reads=Reads("--version", only=True),
        runs=RunCommands(dict.fromkeys(("exec", "v2-exec", "new-exec"), Runs("-v? --project-file="))),
        losses=Losses((LossPattern("upload", Loss.PUBLISHES, flags="--publish"),)),
    ),
    Program(
        "stack",
        reads=Reads("--version", only=True),
        runs=RunCommands({"exec": Runs(), "runghc": interpreter_run_entry("")}),
        is_interpreter=True,
    ),
    Program(
        "opam",
        reads=Reads("--version", only=True),
        runs=RunCommands({"exec": Runs("--switch= --root=")}),
        does="installs",
    ),
    Program("dart", reads=Reads("--version", only=True), losses=PUBLISHES, never_suggest_commands="run"),
    Program(
        "ninja",
        reads=Reads("--version", only=True),
        text_options="-f=#",
        takes_data=True,
        takes_assignments=True,
    ),
    Program(
        "meson",
        reads=Reads("--version", only=True),
        runs=RunCommands({"devenv": Runs("-C= -w= --workdir=")}),
        takes_data=True,
        takes_assignments=True,
    ),
    Program("autoconf automake libtool ldd protoc", reads=Reads("--version", only=True)),
    Program(
        "pkg-config",
        reads=Reads(
            "--version --modversion --cflags --libs --libs-only-l --libs-only-L --libs-only-other --cflags-only-I --exists"
            " --list-all --static --print-errors --atleast-version= --exact-version= --max-version= --variable="
            " --print-variables --print-requires --print-provides",
            NAMES,
        ),
    ),
    Program("as", reads=Reads("--version", only=True), takes_data=True),
    Program(
        "rbenv nodenv goenv plenv",
        reads=PYENV,
        runs=RUNS_EXEC,
        settings=SettingFiles("local", ".python-version"),
    ),
    Program(
        "asdf",
        reads=ReadCommands(
            {
                "list": Reads("", TEXT),
                "current": Reads("", TEXT),
                "which": Reads("", TEXT),
                "where": Reads("", TEXT),
                "plugin": ReadCommands({"list": Reads("--urls --refs", NONE)}),
                "plugin-list": Reads("--urls --refs", NONE),
                "latest": Reads("--all", TEXT),
                "info": Reads("", NONE),
                "version": Reads("", NONE),
            },
            flags="-v --version",
            trust=True,
            bare=True,
        ),
        runs=RUNS_EXEC,
        settings=SettingFiles("local set use", ".tool-versions"),
        code_files=VERSION_FILES,
        does="installs",
    ),
    Program(
        "javac",
        reads=Reads("-version --version", only=True),
        takes_data=True,
        scripts=(Script.COMPILED,),
        does="builds",
    ),
    Program(
        "kotlinc swiftc",
        reads=Reads("-version --version", only=True),
        scripts=(Script.COMPILED,),
        does="builds",
    ),
    Program("ant", reads=Reads("-version", only=True), never_suggest=True),
    Program(
        "gcc g++ cc c++",
        reads=Reads("--version -v -dumpversion -dumpmachine --help", only=True),
        text_options="-wrapper=,",
        writes=_COMPILER,
        takes_data=True,
        scripts=(Script.COMPILED,),
        does="builds",
    ),
    Program(
        "clang clang++",
        reads=Reads("--version -v -dumpversion -dumpmachine --help", only=True),
        writes=_COMPILER,
        takes_data=True,
        scripts=(Script.COMPILED,),
        does="builds",
    ),
    Program(
        "gfortran",
        reads=Reads("--version -v -dumpversion -dumpmachine --help", only=True),
        text_options="-wrapper=,",
        does="builds",
    ),
    Program(
        "ld", reads=Reads("--version -v -V", only=True), writes=_COMPILER, takes_data=True, does="builds"
    ),
    Program(
        "cmake",
        reads=Reads("--help --version", only=True),
        runs=RunCommands(
            {
                "env": Runs("--unset= --modify=", assignments=True, options_after_operands=True),
                "time": RUNS_COMMAND,
                "chdir": RUNS_AFTER_OPERAND,
                **{
                    name: Runs("-* --*", words_before=tuple(same.split()))
                    for name, same in _CMAKE_TOOLS.items()
                },
            }
        ),
        text_options="-P=#",
        takes_data=True,
        takes_assignments=True,
    ),
    Program("ctest cpack", reads=Reads("--help --version", only=True)),
    Program("zig", reads=Reads("version", only=True), scripts=(Script.COMPILED,)),
    Program("hugo", reads=Reads("version", only=True)),
    Program(
        "cargo",
        reads=ReadCommands(
            add_help_entries(
                _CARGO,
                "add bench build check clean clippy doc fetch fix fmt new init publish remove run test update vendor",
            ),
            flags=f"-V --version --list --help {_CARGO_ANY}",
            trust=True,
            bare=True,
        ),
        runs=RunCommands(
            {"watch": Runs("-s=! --shell=!", marker="--", rest=RestOfWords.FLAGS)},
            "-q -v --offline --locked --frozen --color= --config=@ -Z= -C= +?",
        ),
        text_options="--config=@",
        takes_data=True,
        losses=PUBLISHES,
        same_as=(
            "cargo build = cargo b",
            "cargo check = cargo c",
            "cargo run = cargo r",
            "cargo test = cargo t",
            "cargo doc = cargo d",
            "cargo remove = cargo rm",
        ),
        project_files=(
            "build.rs",
            "main.rs",
            "lib.rs",
        ),
        scripts=(Script.COMPILED,),
        can_suggest_commands=True,
        code_files=CARGO,
        does="install uninstall add remove update fetch: installs; publish yank owner: sends; fmt: builds; project",
    ),
    Program(
        "rustc",
        reads=Reads("-V --version -vV", NONE, only=True, trust=True),
        text_options="-C=@ --codegen=@",
        writes=_COMPILER,
        takes_data=True,
        scripts=(Script.COMPILED,),
        code_files=RUST,
        does="builds",
    ),
    Program("rustdoc", reads=Reads("--version -V", only=True, trust=True), code_files=RUST),
    Program(
        "composer",
        reads=ReadCommands(_COMPOSER, flags="-V --version", trust=True, bare=True),
        runs=RunCommands({"exec": Runs("-l -q -n -v")}),
        same_as=(
            "composer require = composer req = composer r",
            "composer install = composer i",
            "composer update = composer u = composer upgrade",
            "composer remove = composer rm = composer uninstall",
        ),
        code_files=COMPOSER,
        does="install require update remove: installs; project",
    ),
    Program(
        "mvn",
        reads=Reads("--version -v", only=True, trust=True),
        text_options="-Dexec.executable=!",
        takes_data=True,
        losses=Losses(
            (
                LossPattern(
                    "** deploy|deploy:deploy|publish|*:publish|publishToMavenCentral|publishSigned",
                    Loss.PUBLISHES,
                ),
            )
        ),
        takes_assignments=True,
        code_files=MAVEN,
    ),
    Program(
        "gradle",
        reads=Reads("--version -v", only=True, trust=True),
        text_options="-I=# --init-script=# -b=#",
        takes_data=True,
        losses=Losses(
            (
                LossPattern(
                    "** deploy|deploy:deploy|publish|*:publish|publishToMavenCentral|publishSigned",
                    Loss.PUBLISHES,
                ),
            )
        ),
        code_files=GRADLE,
    ),
    Program(
        "mix",
        reads=Reads("--version -v", only=True, trust=True),
        never_suggest=True,
        losses=Losses(
            (
                LossPattern("hex.publish", Loss.PUBLISHES),
                LossPattern("hex.retire", Loss.UNPUBLISHES),
                LossPattern("ecto.drop", Loss.DELETES, "database"),
            )
        ),
        scripts=(Script.CALLS,),
        code_files=VERSION_FILES,
    ),
    Program(
        "bundle",
        reads=ReadCommands(
            {
                "config": ReadCommands({"list": Reads("--parseable", NONE)}, empty=True),
                "version": Reads("", NONE),
            },
            flags="-v --version",
            trust=True,
            bare=True,
        ),
        runs=RunCommands({"exec": Runs("--keep-file-descriptors --gemfile="), "e": RUNS_COMMAND}),
        takes_data=True,
        same_as=(
            "bundle = bundler",
            "bundle install = bundle i = bundler install",
            "bundle exec = bundle e = bundler exec",
        ),
        code_files=BUNDLER,
        does="install add remove update lock: installs; project",
    ),
    Program(
        "bazel bazelisk",
        reads=Reads("--version", only=True, trust=True),
        text_options="--run_under=! --workspace_status_command=!",
        code_files=BAZEL,
    ),
    Program(
        "pre-commit",
        reads=Reads("--version", only=True, trust=True),
        project_files=(".pre-commit-config.yaml",),
        scripts=(Script.TASKS,),
        settings=SettingFiles("install init add", ".git/hooks"),
        code_files=VERSION_FILES,
    ),
    Program(
        "rake",
        reads=Reads("--version", only=True, trust=True),
        never_suggest=True,
        losses=Losses(
            (
                LossPattern(
                    "db:drop|db:drop:all|db:reset|db:migrate:reset|db:purge|db:purge:all",
                    Loss.DELETES,
                    "database",
                ),
                LossPattern("db:truncate_all", Loss.EMPTIES, "database"),
            )
        ),
        project_files=(
            "Rakefile",
            "rakefile",
            "Rakefile.rb",
        ),
        scripts=(Script.CALLS,),
        code_files=VERSION_FILES,
    ),
    Program(
        "dotnet",
        input=(InputRule(commands="fsi script"),),
        reads=ReadCommands(
            _DOTNET, flags="--version --info --list-sdks --list-runtimes", trust=True, bare=True
        ),
        never_suggest=True,
        takes_data=True,
        losses=PUBLISHES._replace(
            acts=(LossPattern("ef database drop", Loss.DELETES, "database"), *PUBLISHES.acts)
        ),
        same_as=("dotnet restore = dotnet r",),
        scripts=(Script.COMPILED,),
        can_suggest_commands=True,
        code_files=DOTNET,
    ),
    Program("jar", reads=Reads(check="jar")),
    Program("ar", reads=Reads(check="ar"), input=(InputRule(only="-M"),), takes_data=True, does="builds"),
    Program(
        "nm",
        reads=Reads(
            "-A -a -B -C -D -f= -g -h -n -v -p -P -r -S -s -t= -u -U -V -j -m -x -W --print-file-name --debug-syms --demangle?"
            " --no-demangle --dynamic --format= --extern-only --numeric-sort --no-sort --portability --reverse-sort"
            " --print-size --print-armap --radix= --undefined-only --defined-only --size-sort --special-syms --synthetic"
            " --no-weak --with-symbol-versions --without-symbol-versions" + HELP_FLAGS,
            BINARIES,
        ),
    ),
    Program(
        "c++filt",
        reads=Reads(
            "-_ -n -p -t -i -r -R -s= --strip-underscore --no-strip-underscore --no-params --types --no-verbose"
            " --recurse-limit --no-recurse-limit --format=" + HELP_FLAGS,
            BINARIES,
        ),
    ),
    Program(
        "addr2line",
        reads=Reads(
            "-a -C? -e=< -f -i -p -s --addresses --demangle? --exe=< --functions --inlines --pretty-print --basenames"
            + HELP_FLAGS,
            BINARIES,
        ),
    ),
    Program(
        "objdump",
        reads=Reads(
            "-a -C -d -D -f -F -h -H -i -j= -M= -p -r -R -s -t -T -x -w -z -V --archive-headers --archive-header --demangle?"
            " --disassemble? --disassemble-all --no-addresses --prefix-addresses --file-headers --file-offsets"
            " --section-headers --headers --info --section= --disassembler-options= --private-headers --reloc"
            " --dynamic-reloc --full-contents --show-raw-insn --no-show-raw-insn --insn-width= --disassembler-color="
            " --start-address= --stop-address= --syms --dynamic-syms --special-syms --all-headers --wide"
            " --disassemble-zeroes --macho" + HELP_FLAGS,
            BINARIES,
        ),
    ),
    Program(
        "readelf",
        reads=Reads(
            "-a -h -l -S -g -t -s -C -e -n -r -u -d -V -A -D -x= -R= -p= -z -c -I -v -W -T -H --all --file-header"
            " --program-headers --segments --sections --section-headers --section-groups --section-details --symbols --syms"
            " --dyn-syms --demangle? --no-demangle --headers --notes --relocs --unwind --dynamic --version-info"
            " --arch-specific --use-dynamic --hex-dump= --relocated-dump= --string-dump= --decompress --archive-index"
            " --histogram --wide --silent-truncation" + HELP_FLAGS,
            BINARIES,
        ),
    ),
    Program(
        "size",
        reads=Reads(
            "-A -B -G -d -o -x -t -h -H -v -V -m -l --format= --radix= --common --totals" + HELP_FLAGS,
            BINARIES,
        ),
    ),
    Program("otool", reads=Reads("-L -l -h -f -D -a -t -d -v -V -I", BINARIES)),
    Program(
        "shellcheck",
        reads=Reads(
            "-C? -i= -e= -f= -o= -s= -S= -V -W= --color? --include= --exclude= --format= --list-optional --norc --enable= --shell="
            " --severity= --wiki-link-count=" + HELP_FLAGS
        ),
        does="builds",
    ),
    Program(
        "hadolint",
        reads=Reads(
            "-c=< -f= -t= -h -v -V --config=< --format= --error= --warning= --info= --style= --ignore= --failure-threshold="
            " --no-fail --no-color --trusted-registry= --require-label= --strict-labels" + HELP_FLAGS
        ),
        does="builds",
    ),
    Program(
        "actionlint",
        reads=Reads("-color -no-color -oneline -verbose -version -ignore= -format= -help"),
        does="builds",
    ),
    Program(
        "yamllint",
        reads=Reads(
            "-c=< -d= -f= -s -h -v --config-file=< --config-data= --format= --strict --no-warnings --list-files"
            + HELP_FLAGS
        ),
        does="builds",
    ),
    Program("shfmt", reads=Reads("-d -l -s -i= -ln= -p -bn -ci -sr -kp -fn -f -version"), does="builds"),
    Program(
        "rustfmt",
        reads=Reads("--check -l --files-with-diff --edition= --color=", FILES, needs="--check", trust=True),
        code_files=RUST,
        does="builds",
    ),
    Program(
        "go",
        reads=ReadCommands(_GO, trust=True),
        text_options="-exec=! -toolexec=! --exec=! --toolexec=!",
        takes_data=True,
        same_as=("go fmt = gofmt",),
        project_files=("*.go",),
        scripts=(Script.COMPILED,),
        never_suggest_commands="run",
        can_suggest_commands=True,
        code_files=VERSION_FILES,
        git_settings="fsmonitor filters hooks objects submodules",
        does="get install mod: installs; build vet fmt: builds; project",
    ),
    Program("gofmt", reads=Reads("-l -d -e -s", FILES), does="builds"),
    Program(
        "mise",
        reads=ReadCommands(
            {
                "ls": Reads("-c --current -g --global -i --installed -J --json --missing --prefix=", TEXT),
                "list": Reads("-c --current -g --global -i --installed -J --json --missing --prefix=", TEXT),
                "current": Reads("", TEXT),
                "which": Reads("--version --plugin", TEXT),
                "where": Reads("", TEXT),
                "version": Reads("-J --json", NONE),
                "outdated": Reads("-J --json -b --bump", TEXT),
            },
            flags="-V --version -q --quiet",
            trust=True,
            bare=True,
        ),
        runs=_MISE,
        settings=SettingFiles("local set use", ".tool-versions"),
        code_files=MISE,
        does="install use upgrade uninstall plugins: installs; trust settings: system; project",
    ),
    Program("ccache sccache distcc icecc intercept-build spring esy", runs=RUNS_COMMAND),
    Program(
        "xcrun",
        runs=Runs(
            "-v --verbose -l --log -n --no-cache -k --kill-cache -r --run -f --find --sdk= -sdk= --toolchain="
            " -toolchain="
        ),
    ),
    Program("scan-build", runs=Runs("-o=")),
    Program("bear chruby-exec fab", runs=RUNS_AFTER_DASHES),
    Program("proto", runs=RunCommands({"run": RUNS_AFTER_DASHES})),
    Program(
        "rails",
        input=(InputRule(commands="console c dbconsole db"),),
        runs=RunCommands(
            dict.fromkeys(
                ("runner", "r"), Runs("-e= --environment=", rest=RestOfWords.SCRIPT, input=CodeInput.CODE)
            )
        ),
        losses=Losses(
            (
                LossPattern(
                    "db:drop|db:drop:all|db:reset|db:migrate:reset|db:purge|db:purge:all",
                    Loss.DELETES,
                    "database",
                ),
                LossPattern("db:truncate_all", Loss.EMPTIES, "database"),
            )
        ),
        scripts=(Script.CALLS,),
    ),
    Program(
        "rtx",
        runs=_MISE,
        settings=SettingFiles("local set use", ".tool-versions"),
        does="install use upgrade: installs; project",
    ),
    Program("jenv", runs=RUNS_EXEC, settings=SettingFiles("local", ".python-version")),
    Program("phpenv luaenv", runs=RUNS_EXEC),
    Program("rvm", runs=Runs(marker="do")),
    Program(
        "task",
        text_options="-t=# --taskfile=#",
        takes_assignments=True,
        project_files=(
            "Taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yml",
            "taskfile.yaml",
        ),
        scripts=(Script.TASKS,),
    ),
    Program(
        "go-task",
        text_options="-t=# --taskfile=#",
        project_files=(
            "Taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yml",
            "taskfile.yaml",
        ),
        scripts=(Script.TASKS,),
    ),
    Program("cpp gnat gdc gccgo", text_options="-wrapper=,"),
    Program(
        "bmake remake",
        text_options="-f=# --file=# --makefile=#",
        takes_assignments=True,
        project_files=(
            "Makefile",
            "makefile",
            "GNUmakefile",
            "BSDmakefile",
        ),
        scripts=(Script.MAKE,),
    ),
    Program(
        "gradlew sbt",
        never_suggest=True,
        losses=Losses(
            (
                LossPattern(
                    "** deploy|deploy:deploy|publish|*:publish|publishToMavenCentral|publishSigned",
                    Loss.PUBLISHES,
                ),
            )
        ),
    ),
    Program("buck buck2 pants msbuild lein rebar3 cpan cpanm", never_suggest=True),
    Program("scons", never_suggest=True, takes_assignments=True),
    Program(
        "ansible-playbook",
        never_suggest=True,
        same_as=("ansible-playbook = ansible playbook",),
        scripts=(Script.TASKS,),
    ),
    Program("ranlib strip", takes_data=True, does="builds"),
    Program("nuget flutter pod luarocks", losses=PUBLISHES),
    Program(
        "mvnw",
        losses=Losses(
            (
                LossPattern(
                    "** deploy|deploy:deploy|publish|*:publish|publishToMavenCentral|publishSigned",
                    Loss.PUBLISHES,
                ),
            )
        ),
        takes_assignments=True,
    ),
    Program("configure", takes_assignments=True),
    Program("mask", project_files=("maskfile.md",), scripts=(Script.TASKS,)),
    Program(
        "lefthook",
        project_files=(
            "lefthook.yml",
            "lefthook.yaml",
        ),
        scripts=(Script.TASKS,),
        settings=SettingFiles("install init add", ".git/hooks"),
    ),
    Program("tcc", scripts=(Script.COMPILED,)),
)
