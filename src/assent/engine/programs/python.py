"""Python: its interpreters, package managers and tools."""

from assent.engine.programs.code_files import PDM, PIPENV, POETRY, PYTHON_FILTER, PYTHON_TOOLS, UV
from assent.engine.programs.losses import PUBLISHES, Loss, Losses, LossPattern
from assent.engine.programs.program import (
    FILES,
    NONE,
    PYENV,
    TEXT,
    Operands,
    OtherOutput,
    Program,
    ReadCommands,
    ReadEntry,
    Reads,
    SettingFiles,
    add_help_entries,
)
from assent.engine.programs.runs import (
    INPUT_SESSION,
    RUNS_AFTER_DASHES,
    RUNS_COMMAND,
    RUNS_EXEC,
    RUNS_OPTIONS,
    CodeInput,
    InputRule,
    InputUse,
    RunCommands,
    Runs,
    Script,
    interpreter_run_entry,
)

_PIP_ANY = """
    -q --quiet -v --verbose --disable-pip-version-check --no-color --isolated --no-input --require-virtualenv
    --no-python-version-warning --no-cache-dir --timeout= --retries= --debug
"""


def _pip_read_entry(flags: str, operands: Operands = NONE) -> Reads:
    """The read entry of a sub-command of `pip`, with the flags that every sub-command has."""
    return Reads(f"{flags} {_PIP_ANY}", operands)


_PIP: dict[str, ReadEntry] = {
    "list": _pip_read_entry(
        "-o --outdated -u --uptodate -e --editable -l --local --user --path=< --pre --format= --not-required"
        " --exclude-editable --include-editable --exclude=",
    ),
    "show": _pip_read_entry("-f --files", TEXT),
    "freeze": _pip_read_entry(
        "-r=< --requirement=< -l --local --user --path=< --all --exclude-editable --exclude="
    ),
    "check": _pip_read_entry(""),
    "inspect": _pip_read_entry("-l --local --user --path=<"),
    "debug": _pip_read_entry(""),
    "config": ReadCommands(
        {
            "list": _pip_read_entry("--global --user --site"),
            "debug": _pip_read_entry("--global --user --site"),
        },
        flags="--global --user --site",
    ),
    "cache": ReadCommands(
        {"dir": _pip_read_entry(""), "info": _pip_read_entry(""), "list": _pip_read_entry("--format=", TEXT)}
    ),
    "index": ReadCommands({"versions": _pip_read_entry("--pre --json", TEXT)}),
    "hash": _pip_read_entry("-a= --algorithm=", FILES),
    "help": _pip_read_entry("", TEXT),
}
_UNINSTALLS = InputRule(InputUse.ANSWERS, commands="uninstall", options="-y; --yes;")
_PIP_LIKE = ReadCommands(
    add_help_entries(_PIP, "install uninstall download wheel search lock completion"),
    flags=f"-V --version --help {_PIP_ANY}",
    bare=True,
)
_UV_ANY = (
    "-q --quiet -v --verbose --color= --offline --no-progress --no-config -n --no-cache --no-python-downloads"
)


def _uv_read_entry(flags: str, operands: Operands = NONE, *, needs: str = "", check: str = "") -> Reads:
    """The read entry of a sub-command of `uv`, with the flags that every sub-command has."""
    return Reads(f"{flags} {_UV_ANY}", operands, needs=needs, trust=True, check=check)


_UV: dict[str, ReadEntry] = {
    "pip": ReadCommands(
        {
            "list": _uv_read_entry(
                "-e --editable --exclude-editable --exclude= --format= --outdated --strict --system"
            ),
            "show": _uv_read_entry("-f --files --strict --system", TEXT),
            "freeze": _uv_read_entry("--exclude-editable --exclude= --strict --system"),
            "tree": _uv_read_entry(
                "-d= --depth= --prune= --package= --no-dedupe --invert --outdated --show-version-specifiers --strict --system",
            ),
            "check": _uv_read_entry("--system"),
        }
    ),
    # Without --frozen they write uv.lock, and may build packages to do so.
    "tree": _uv_read_entry(
        "--frozen --universal -d= --depth= --prune= --package= --no-dedupe --invert --outdated --no-dev --only-dev"
        " --group= --no-group= --all-groups",
        needs="--frozen",
    ),
    "export": _uv_read_entry(
        "--frozen --format= --no-hashes --no-header --no-annotate --no-dev --only-dev --group= --all-groups --extra="
        " --all-extras --no-emit-project",
        needs="--frozen",
    ),
    "python": ReadCommands(
        {
            "list": _uv_read_entry(
                "--all-versions --all-platforms --all-arches --only-installed --only-downloads --output-format=",
                TEXT,
                check="python versions",
            ),
            "find": _uv_read_entry(
                "--system --no-project --show-version --resolve-links", TEXT, check="python versions"
            ),
            "dir": _uv_read_entry("--bin"),
        }
    ),
    "tool": ReadCommands(
        {
            "list": _uv_read_entry(
                "--show-paths --show-version-specifiers --show-with --show-extras --show-python --outdated"
            ),
            "dir": _uv_read_entry("--bin"),
        }
    ),
    "cache": ReadCommands({"dir": _uv_read_entry("")}),
    "version": _uv_read_entry("--short --output-format="),
    "self": ReadCommands({"version": _uv_read_entry("--short --output-format=")}),
}
_POETRY_ANY = "-n --no-interaction -q --quiet -v --verbose --ansi --no-ansi --no-cache"


def _poetry_read_entry(flags: str, operands: Operands = NONE, *, needs: str = "") -> Reads:
    """The read entry of a sub-command of `poetry`, with the flags that every sub-command has."""
    return Reads(f"{flags} {_POETRY_ANY}", operands, needs=needs)


_POETRY: dict[str, ReadEntry] = {
    "show": _poetry_read_entry(
        "-t --tree -l --latest -o --outdated -T --top-level -a --all --why --only= --without= --with= --no-truncate",
        TEXT,
    ),
    "version": _poetry_read_entry("-s --short"),
    "check": _poetry_read_entry("--lock --strict"),
    "env": ReadCommands(
        {"info": _poetry_read_entry("-p --path -e --executable"), "list": _poetry_read_entry("--full-path")}
    ),
    "config": _poetry_read_entry("--list --local", needs="--list"),
    "source": ReadCommands({"show": _poetry_read_entry("", TEXT)}),
    "search": _poetry_read_entry("", TEXT),
    "about": _poetry_read_entry(""),
}
_CONDA_READS: dict[str, ReadEntry] = {
    "list": Reads(
        "-n= --name= -p=< --prefix=< --json -e --export -c --canonical -f --full-name --show-channel-urls -r --revisions"
        " --explicit --md5 --no-pip --reverse -q --quiet -v --verbose",
        TEXT,
    ),
    "info": Reads("-a --all --base -e --envs -l --license -s --system --json -q --quiet -v --verbose", NONE),
    "env": ReadCommands(
        {
            "list": Reads("--json -q --quiet", NONE),
            "export": Reads("-n= --name= --from-history --no-builds --json", NONE),
        }
    ),
    "config": Reads(
        "--show --show-sources --get --describe --json --system --env",
        TEXT,
        needs="--show --show-sources --get --describe",
    ),
    "search": Reads("-i --info --json --platform= --subdir= -q --quiet", TEXT, check="no address"),
}
_CONDA_LIKE = ReadCommands(_CONDA_READS, flags="-V --version", bare=True)
_PYTHON_RUNS = (
    "-b -bb -B -d -E -h; -i -I -O -OO -P -q -s -S -u -v -x -V; -VV; --version; --help; -c=; -m=; -W= -X="
    " --check-hash-based-pycs="
)
_UV_GLOBAL = (
    "-q --quiet -v --verbose --no-progress --offline --no-config --no-cache -n --native-tls"
    " --allow-insecure-host= --config-file= --cache-dir= --project= --directory= --color="
    " --python-preference= --managed-python --no-managed-python --no-python-downloads"
)
_UV_RUN = Runs(
    _UV_GLOBAL
    + " --all-extras --no-dev --dev --only-dev --all-groups --no-default-groups --no-editable --exact"
    " --isolated --active --no-sync --locked --frozen --no-project --all-packages -s --script --gui-script"
    " --refresh --reinstall -U --upgrade --no-index --no-build --no-binary --compile-bytecode --no-sources"
    " --no-env-file --extra= --no-extra= --group= --no-group= --only-group= --env-file= --with= -w="
    " --with-editable= --with-requirements= --package= -p= --python= --index= --default-index= -i="
    " --index-url= --extra-index-url= -f= --find-links= --index-strategy= --keyring-provider= -P="
    " --upgrade-package= --reinstall-package= --refresh-package= --link-mode= --resolution= --prerelease="
    " --exclude-newer= -C= --config-setting= --from= -m; --module;",
)
_CONDA_RUNS = RunCommands(
    {
        "run": Runs(
            "-n= --name= -p= --prefix= --cwd= -v --verbose --dev --debug-wrapper-scripts"
            " --no-capture-output --live-stream -a= --attach= -r= --root-prefix= -e= --env= --clean-env -d"
            " --detach",
        )
    }
)
_PYTHON_RUNS_WRAPPERS = Runs(words_before=("python",))

PROGRAMS = (
    Program(
        "python",
        reads=Reads("--version -V -VV --help -h", only=True),
        runs=interpreter_run_entry(_PYTHON_RUNS),
        is_interpreter=True,
        input=(
            InputRule(
                only="-i pdb code asyncio IPython bpython ptpython ipdb idlelib.idle sqlite3 -mpdb -mcode"
            ),
        ),
        project_files=(
            "conftest.py",
            "test_*.py",
            "*_test.py",
            "noxfile.py",
            "tasks.py",
            "setup.py",
        ),
        scripts=(Script.CALLS,),
        output=OtherOutput.CODE,
        runs_named_script=True,
        is_versioned=True,
        runs_modules=True,
    ),
    Program("python2", reads=Reads("--version -V -VV --help -h", only=True), does="code"),
    Program(
        "python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14",
        reads=Reads(check="python filter", trust=True, trust_without="--version -V -VV --help -h"),
        code_files=PYTHON_FILTER,
        does="code",
    ),
    Program(
        "pip",
        input=(_UNINSTALLS,),
        reads=_PIP_LIKE,
        never_suggest=True,
        takes_data=True,
        options={"": "U=upgrade e=editable r=requirement y=yes t=target i=index-url"},
        is_module=True,
        project_files=(
            "conftest.py",
            "test_*.py",
            "*_test.py",
            "noxfile.py",
            "tasks.py",
            "setup.py",
        ),
        scripts=(Script.COMPILED,),
        settings=SettingFiles("set unset edit", "pip.conf"),
        is_versioned=True,
        does="installs",
    ),
    Program(
        "pip3",
        input=(_UNINSTALLS,),
        reads=_PIP_LIKE,
        never_suggest=True,
        takes_data=True,
        options={"": "U=upgrade e=editable r=requirement y=yes t=target i=index-url"},
        settings=SettingFiles("set unset edit", "pip.conf"),
        does="installs",
    ),
    Program(
        "uv",
        reads=ReadCommands(
            add_help_entries(_UV, "run init add remove sync lock build publish venv format"),
            flags=f"-V --version --help {_UV_ANY}",
            bare=True,
        ),
        runs=RunCommands({"run": _UV_RUN, "x": _UV_RUN, "tool": RunCommands({"run": _UV_RUN})}, _UV_GLOBAL),
        takes_data=True,
        losses=PUBLISHES,
        options={"pip": "U=upgrade e=editable r=requirement y=yes t=target i=index-url"},
        project_files=(
            "conftest.py",
            "test_*.py",
            "*_test.py",
            "noxfile.py",
            "tasks.py",
            "setup.py",
        ),
        scripts=(Script.COMPILED,),
        settings=SettingFiles("pin", ".python-version"),
        code_files=UV,
        does="add remove sync pip lock tool python: installs; publish: sends; project",
    ),
    Program("uvx", reads=Reads("--version -V --help", only=True), runs=_UV_RUN),
    Program(
        "ruff black",
        reads=Reads("--version -V --help", only=True),
        takes_data=True,
        is_module=True,
        does="builds",
    ),
    Program(
        "pyenv",
        reads=PYENV,
        runs=RUNS_EXEC,
        settings=SettingFiles("local", ".python-version"),
        does="installs",
    ),
    Program(
        "pipx",
        reads=ReadCommands(
            {
                "list": Reads("--short --json --include-injected --skip-maintenance", NONE),
                "environment": Reads("-V= --value=", NONE),
            },
            flags="--version",
            bare=True,
        ),
        runs=RunCommands(
            {
                "run": Runs(
                    "--no-cache --path --pypackages --verbose --spec= --python= --index-url= -i="
                    " --pip-args= --system-site-packages --with="
                )
            },
            "-q -v",
        ),
        takes_data=True,
        is_module=True,
        does="run: project; installs",
    ),
    Program("virtualenv", reads=Reads("--version", only=True), is_module=True, does="files"),
    Program(
        "conda",
        reads=_CONDA_LIKE,
        runs=_CONDA_RUNS,
        losses=PUBLISHES,
        same_as=(
            "conda = mamba = micromamba",
            "conda env remove = mamba env remove",
            "conda remove = conda uninstall = mamba remove = mamba uninstall",
        ),
        settings=SettingFiles("--add --append --prepend --set --remove --remove-key set append", ".condarc"),
        does="installs",
    ),
    Program(
        "poetry",
        reads=ReadCommands(
            add_help_entries(_POETRY, "add build init install lock new publish remove run sync update"),
            flags=f"-V --version --help {_POETRY_ANY}",
            trust=True,
            bare=True,
        ),
        runs=RunCommands({"run": RUNS_COMMAND}, "-C= --directory= -P= --project="),
        takes_data=True,
        losses=PUBLISHES,
        same_as=("poetry remove = poetry rm",),
        is_module=True,
        code_files=POETRY,
        does="install add remove update lock sync: installs; publish: sends; project",
    ),
    Program(
        "pdm",
        reads=Reads("--version", only=True, trust=True),
        runs=RunCommands({"run": Runs("-p= --project=")}),
        losses=PUBLISHES,
        is_module=True,
        code_files=PDM,
        does="install add remove update lock sync: installs; publish: sends; project",
    ),
    Program(
        "hatch",
        reads=Reads("--version", only=True, trust=True),
        runs=RunCommands({"run": RUNS_COMMAND}, "-e= --env= -p= --project="),
        losses=PUBLISHES,
        code_files=PYTHON_TOOLS,
    ),
    Program(
        "tox",
        reads=Reads("--version", only=True, trust=True),
        runs=RunCommands({"exec": RUNS_AFTER_DASHES, "e": RUNS_AFTER_DASHES}),
        takes_data=True,
        is_module=True,
        project_files=(
            "conftest.py",
            "test_*.py",
            "*_test.py",
            "noxfile.py",
            "tasks.py",
            "setup.py",
        ),
        scripts=(Script.COMPILED,),
        code_files=PYTHON_TOOLS,
    ),
    Program(
        "nox",
        reads=Reads("--version", only=True, trust=True),
        never_suggest=True,
        takes_data=True,
        is_module=True,
        project_files=(
            "conftest.py",
            "test_*.py",
            "*_test.py",
            "noxfile.py",
            "tasks.py",
            "setup.py",
        ),
        scripts=(Script.COMPILED,),
        code_files=PYTHON_TOOLS,
    ),
    Program(
        "flake8 pylint isort jupyter",
        reads=Reads("--version", only=True, trust=True),
        is_module=True,
        code_files=PYTHON_TOOLS,
    ),
    Program(
        "mypy",
        reads=Reads("--version", only=True, trust=True),
        takes_data=True,
        is_module=True,
        code_files=PYTHON_TOOLS,
        does="builds",
    ),
    Program(
        "pytest",
        reads=Reads("--version", only=True, trust=True),
        takes_data=True,
        same_as=("pytest = py.test",),
        is_module=True,
        project_files=(
            "conftest.py",
            "test_*.py",
            "*_test.py",
            "noxfile.py",
            "tasks.py",
            "setup.py",
        ),
        scripts=(Script.COMPILED,),
        code_files=PYTHON_TOOLS,
    ),
    Program(
        "ipython",
        reads=Reads("--version", only=True, trust=True),
        runs=interpreter_run_entry(_PYTHON_RUNS),
        is_interpreter=True,
        scripts=(Script.CALLS,),
        code_files=PYTHON_TOOLS,
    ),
    Program(
        "pipdeptree",
        reads=Reads(
            "-a --all -l --local-only -u --user-only -w= --warn= -r --reverse -p= --packages= -e= --exclude= -d= --depth="
            " -j --json --json-tree -v --version",
            NONE,
        ),
    ),
    Program(
        "pipenv",
        reads=ReadCommands(
            {
                "graph": Reads("--bare --json --json-tree --reverse", NONE),
                "verify": Reads("", NONE),
            },
            flags="--version --venv --where --py --envs",
            trust=True,
            bare=True,
        ),
        runs=RunCommands({"run": RUNS_COMMAND, "shell": Runs(input=CodeInput.SHELL)}),
        code_files=PIPENV,
        does="install uninstall update sync lock: installs; project",
    ),
    Program(
        "mamba micromamba",
        reads=_CONDA_LIKE,
        runs=_CONDA_RUNS,
        settings=SettingFiles("--add --append --prepend --set --remove --remove-key set append", ".condarc"),
        does="installs",
    ),
    Program(
        "rye",
        runs=RunCommands({"run": RUNS_COMMAND}),
        does="add remove sync lock install: installs; publish: sends; project",
    ),
    Program(
        "pixi",
        runs=RunCommands(
            {
                **dict.fromkeys(("run", "r"), Runs("-e= --environment= --manifest-path=")),
                **dict.fromkeys(("exec", "x"), Runs("-s= --spec= -c= --channel=")),
            }
        ),
        does="add remove install update: installs; project",
    ),
    Program("coverage", runs=RunCommands({"run": _PYTHON_RUNS_WRAPPERS}), is_module=True),
    Program("accelerate", runs=RunCommands({"launch": _PYTHON_RUNS_WRAPPERS})),
    Program("torchrun", runs=_PYTHON_RUNS_WRAPPERS),
    Program(
        "watchmedo",
        runs=RunCommands(
            {
                "shell-command": RUNS_OPTIONS._replace(options="-c=! --command=!"),
                "auto-restart": Runs(
                    "-d= --directory= -p= --patterns= -R --recursive --signal=", marker="--"
                ),
            }
        ),
    ),
    Program(
        "ptw",
        runs=RUNS_OPTIONS._replace(
            options="--runner=! --beforerun=! --afterrun=! --onpass=! --onfail=! --onexit=!"
        ),
    ),
    Program("py-spy", runs=RunCommands({"record": RUNS_AFTER_DASHES, "top": RUNS_AFTER_DASHES})),
    Program(
        "pypy",
        runs=interpreter_run_entry(_PYTHON_RUNS),
        is_interpreter=True,
        input=(
            InputRule(
                only="-i pdb code asyncio IPython bpython ptpython ipdb idlelib.idle sqlite3 -mpdb -mcode"
            ),
        ),
        project_files=(
            "conftest.py",
            "test_*.py",
            "*_test.py",
            "noxfile.py",
            "tasks.py",
            "setup.py",
        ),
        scripts=(Script.CALLS,),
        output=OtherOutput.CODE,
        runs_named_script=True,
        is_versioned=True,
    ),
    Program(
        "pythonw",
        runs=interpreter_run_entry(_PYTHON_RUNS),
        is_interpreter=True,
        input=(
            InputRule(
                only="-i pdb code asyncio IPython bpython ptpython ipdb idlelib.idle sqlite3 -mpdb -mcode"
            ),
        ),
        scripts=(Script.CALLS,),
    ),
    Program(
        "jython bpython ptpython",
        runs=interpreter_run_entry(_PYTHON_RUNS),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program("micropython", runs=interpreter_run_entry(_PYTHON_RUNS), is_interpreter=True),
    Program(
        "py",
        runs=interpreter_run_entry(_PYTHON_RUNS + " -NUM"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
        runs_modules=True,
    ),
    Program("pdb ipdb", never_suggest=True, input=(INPUT_SESSION,)),
    Program(
        "invoke",
        never_suggest=True,
        project_files=(
            "conftest.py",
            "test_*.py",
            "*_test.py",
            "noxfile.py",
            "tasks.py",
            "setup.py",
        ),
        scripts=(Script.COMPILED,),
    ),
    Program("pyright", takes_data=True, does="builds"),
    Program("twine", losses=PUBLISHES, is_module=True, does="sends"),
    Program("flit anaconda", losses=PUBLISHES),
    Program(
        "alembic", losses=Losses((LossPattern("downgrade base", Loss.DELETES, "database"),)), is_module=True
    ),
    Program(
        "manage.py",
        losses=Losses((LossPattern("flush|reset_db", Loss.EMPTIES, "database"),), "--database --settings"),
    ),
    Program("bandit build celery flask gunicorn pip-audit pre_commit uvicorn venv", is_module=True),
)
