"""JavaScript: its interpreters, package managers and tools."""

from assent.engine.programs.code_files import COREPACK, NPM, PNPM, VERSION_FILES, YARN, local_module
from assent.engine.programs.losses import PUBLISHES, REMOVES_FILES, Loss, Losses, LossPattern
from assent.engine.programs.program import (
    NONE,
    TEXT,
    Damage,
    FileEdits,
    OtherOutput,
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
    RUNS_COMMAND,
    RUNS_OPTIONS,
    CodeInput,
    InputRule,
    RestOfWords,
    RunCommands,
    Runs,
    Script,
    interpreter_run_entry,
)

_WORKSPACES = "-w= --workspace= --workspaces --include-workspace-root"
_NPM_TREE = f"""
    -a --all --json -l --long -p --parseable -g --global --depth= --omit= --include= --link --package-lock-only
    --prod --production --dev --unicode --no-unicode {_WORKSPACES}
"""
_NPM_VIEW = Reads(f"--json {_WORKSPACES}", TEXT, check="registry names")
_NPM_LIST = Reads(_NPM_TREE, TEXT)
_NPM_SEARCH = Reads("--json -l --long -p --parseable --no-description --searchlimit=", TEXT, bare=False)
_NPM_WHY = Reads(f"--json {_WORKSPACES}", TEXT)
_NPM_CONFIG = ReadCommands(
    {
        "get": Reads("--json -g --global", TEXT, check="registry names", bare=False),
        "list": Reads("--json -l --long -g --global", NONE),
        "ls": Reads("--json -l --long -g --global", NONE),
    }
)
_NPM: dict[str, ReadEntry] = {
    "ls": _NPM_LIST,
    "list": _NPM_LIST,
    "la": _NPM_LIST,
    "ll": _NPM_LIST,
    "view": _NPM_VIEW,
    "info": _NPM_VIEW,
    "show": _NPM_VIEW,
    "v": _NPM_VIEW,
    "why": _NPM_WHY,
    "explain": _NPM_WHY,
    "outdated": Reads(f"-a --all --json -l --long -p --parseable -g --global --depth= {_WORKSPACES}", TEXT),
    "audit": Reads(
        f"--json --omit= --include= --audit-level= --package-lock-only --production {_WORKSPACES}", NONE
    ),
    "run": Reads(f"--json {_WORKSPACES}", NONE),
    "run-script": Reads(f"--json {_WORKSPACES}", NONE),
    "root": Reads("-g --global", NONE),
    "prefix": Reads("-g --global", NONE),
    "bin": Reads("-g --global", NONE),
    "config": _NPM_CONFIG,
    "c": _NPM_CONFIG,
    "pkg": ReadCommands({"get": Reads(f"--json {_WORKSPACES}", TEXT)}),
    "query": Reads(f"-g --global --package-lock-only {_WORKSPACES}", TEXT, bare=False),
    "sbom": Reads(f"--omit= --package-lock-only --sbom-format= --sbom-type= {_WORKSPACES}", NONE),
    "fund": Reads(f"--json --no-browser --unicode --no-unicode {_WORKSPACES}", NONE),
    "search": _NPM_SEARCH,
    "s": _NPM_SEARCH,
    "find": _NPM_SEARCH,
    "org": ReadCommands({"ls": Reads("--json -p --parseable", TEXT, bare=False)}),
    "team": ReadCommands({"ls": Reads("--json -p --parseable", TEXT, bare=False)}),
    "owner": ReadCommands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "dist-tag": ReadCommands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "dist-tags": ReadCommands({"ls": Reads(_WORKSPACES, TEXT, check="registry names")}),
    "whoami": Reads("", NONE),
    "ping": Reads("", NONE),
    "version": Reads("--json", NONE),
}
# These ask the registry that the repository's `.npmrc` may name, with what it may add to the question.
_NPM_ASKS = """
    view info show v outdated audit fund search s find org team owner dist-tag dist-tags whoami ping
""".split()
_NPM_TRUSTING: dict[str, ReadEntry] = {
    **{name: entry._replace(trust=True) for name, entry in _NPM.items()},
    **{name: _NPM[name]._replace(trust=True, settings="registry") for name in _NPM_ASKS},
}
_PNPM_TREE = """
    --depth= --json --long --parseable -g --global -P --prod --production -D --dev --no-optional --only-projects
    -r --recursive --filter= -w --workspace-root
"""
_PNPM_LIST = Reads(_PNPM_TREE, TEXT)
_PNPM_VIEW = Reads("--json", TEXT, check="registry names")
_PNPM: dict[str, ReadEntry] = {
    "ls": _PNPM_LIST,
    "list": _PNPM_LIST,
    "la": _PNPM_LIST,
    "ll": _PNPM_LIST,
    "why": _PNPM_LIST,
    "view": _PNPM_VIEW,
    "info": _PNPM_VIEW,
    "show": _PNPM_VIEW,
    "outdated": Reads(f"{_PNPM_TREE} --compatible --long --no-table --format=", TEXT),
    "audit": Reads("--json -P --prod -D --dev --no-optional --audit-level=", NONE),
    "run": Reads("", NONE),
    "root": Reads("-g --global", NONE),
    "bin": Reads("-g --global", NONE),
    "config": ReadCommands(
        {
            "get": Reads("--json -g --global", TEXT, check="registry names", bare=False),
            "list": Reads("--json", NONE),
        }
    ),
    "store": ReadCommands({"path": Reads("", NONE)}),
}
# Yarn and bun run a script of the project when they do not know a command, so that only those are here
# which every version of them knows: `yarn list` is gone from newer ones, `bun outdated` is new.
_YARN_READS: dict[str, ReadEntry] = {
    "why": Reads("-R --recursive --json --peers", TEXT, bare=False),
    "info": Reads(
        "-A --all -R --recursive --json --name-only -D --dependents --virtuals", TEXT, check="registry names"
    ),
    "config": ReadCommands({"get": Reads("--json", TEXT, check="registry names", bare=False)}),
    "workspaces": ReadCommands({"list": Reads("--json -v --verbose -R --recursive", NONE)}),
    "bin": Reads("", TEXT),
}
_BUN_READS: dict[str, ReadEntry] = {
    "pm": ReadCommands(
        {
            "ls": Reads("-a --all", NONE),
            "bin": Reads("-g --global", NONE),
            "hash": Reads("", NONE),
            "whoami": Reads("", NONE),
            "untrusted": Reads("", NONE),
        }
    ),
}
_NODE = (
    "-e=; --eval=; -p=; --print=; -pe=; -c -i -v; --version; -h; --help; -r= --require= --import= --loader="
    " --experimental-loader= -C= --conditions= --env-file= --env-file-if-exists= --inspect? --inspect-brk?"
    " --input-type= --run=; --title= --test; --trace-warnings --no-warnings --enable-source-maps"
    " --experimental-strip-types --watch"
)
_DENO = (
    "-c= --config= --import-map= -L= --log-level= --cert= --location= -r? --reload? --allow-read?"
    " --allow-write? --allow-net? --allow-env? --allow-run? --allow-ffi? --allow-sys? -A --allow-all -q"
    " --quiet --seed= --lock? --env? --env-file? --watch? --check? --inspect? --version; --help;"
)
_BUN_RUNS = "--cwd= --config= -c= -r= --preload= --filter= --bun -b --silent --hot --watch"
_NPM_GLOBAL = (
    "--prefix= -C= -w= --workspace= -ws --workspaces --include-workspace-root --registry= --userconfig="
    " --globalconfig= --cache= --loglevel= -s --silent -q --quiet -d -dd -ddd --verbose -g --global"
    " --offline --prefer-offline --prefer-online --no-color --color? --script-shell=!"
)
_NPX = Runs(
    _NPM_GLOBAL + " -y --yes -n --no --no-install --ignore-existing -p= --package= -c=! --call=! --shell=!",
)
_PNPM_GLOBAL = (
    "-C= --dir= -F= --filter= --filter-prod= -r --recursive -w --workspace-root --parallel --stream"
    " --silent -s --reporter= --loglevel= --workspace-concurrency= --no-color --color --aggregate-output"
    " --no-bail --use-stderr --if-present"
)
_YARN_RUNS = RunCommands(
    {
        "dlx": Runs("-p= --package= -q --quiet"),
        "exec": Runs("-s --silent"),
        "workspace": Runs(operands=1, words_before=("yarn",)),
        "workspaces": RunCommands(
            {"foreach": Runs("--from= --include= --exclude= -j= --jobs= --since=", words_before=("yarn",))}
        ),
    },
    "--cwd= -s --silent --offline --non-interactive",
)
_NODE_PACKAGES = Losses(
    (
        LossPattern("publish", Loss.PUBLISHES),
        LossPattern("npm publish", Loss.PUBLISHES),
        LossPattern("unpublish", Loss.UNPUBLISHES),
    ),
    "--registry --tag --access --otp -w --workspace -C --dir --filter -F --prefix --cwd",
)

PROGRAMS = (
    Program(
        "node",
        reads=Reads("--version -v --help -h", only=True),
        runs=interpreter_run_entry(_NODE),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
        output=OtherOutput.CODE,
        runs_named_script=True,
    ),
    Program(
        "npm",
        reads=ReadCommands(
            add_help_entries(
                _NPM_TRUSTING,
                "install i ci add update uninstall exec init create test start publish pack link rebuild prune dedupe",
            ),
            flags="-v --version -g --global -s --silent --json --help",
            bare=True,
        ),
        runs=RunCommands(
            {
                "exec": _NPX,
                "x": _NPX,
                "explore": Runs(operands=1, options_after_operands=True, input=CodeInput.SHELL),
            },
            _NPM_GLOBAL,
        ),
        takes_data=True,
        losses=_NODE_PACKAGES,
        options={"": "g=global D=save-dev S=save E=save-exact f=force w=workspace y=yes"},
        same_as=(
            "npm install = npm i = npm in = npm ins = npm inst = npm insta = npm instal = npm isnt = npm isnta = npm isntal = npm isntall = npm add",
            "npm ci = npm clean-install = npm ic = npm install-clean = npm isntall-clean",
            "npm uninstall = npm un = npm unlink = npm remove = npm rm = npm r",
            "npm run = npm run-script = npm rum = npm urn",
            "npm test = npm t = npm tst = npm run test = npm run-script test",
            "npm start = npm run start = npm run-script start",
            "npm stop = npm run stop = npm run-script stop",
            "npm restart = npm run restart = npm run-script restart",
            "npm update = npm up = npm upgrade = npm udpate",
            "npm exec = npm x = npx",
            "npm list = npm ls = npm la = npm ll",
            "npm view = npm info = npm show = npm v",
            "npm search = npm s = npm se = npm find",
            "npm link = npm ln",
            "npm init = npm create = npm innit",
            "npm login = npm adduser = npm add-user",
            "npm config = npm c",
            "npm version = npm verison",
            "npm rebuild = npm rb",
            "npm owner = npm author",
            "npm dist-tag = npm dist-tags",
            "npm install-test = npm it",
            "npm install-ci-test = npm cit = npm clean-install-test = npm sit",
            "npm dedupe = npm ddp",
            "npm docs = npm home",
            "npm bugs = npm issues",
            "npm whoami = npm who",
            "npm publish = npm publis = npm publi = npm publ = npm pub = npm pu",
            "npm unpublish = npm unpublis = npm unpubli = npm unpubl = npm unpub = npm unpu = npm unp",
        ),
        project_files=("package.json",),
        scripts=(
            Script.PROJECT,
            Script.JSON_VALUES,
        ),
        settings=SettingFiles("set delete rm edit fix", ".npmrc ~/.npmrc"),
        edits=FileEdits.PROJECT_SCRIPTS,
        can_suggest_commands=True,
        code_files=NPM,
        does="install i ci add remove rm uninstall un update up upgrade link dedupe rebuild prune import: installs; publish unpublish deprecate dist-tag owner access: sends; project",
    ),
    Program(
        "npx",
        input=(InputRule(options="-c=; --call=; -y --yes --no -q --quiet --version; --help;", operands=1),),
        reads=Reads("--version -v --help -h", only=True),
        runs=_NPX,
        takes_data=True,
        project_files=("package.json",),
        scripts=(
            Script.PROJECT,
            Script.JSON_VALUES,
        ),
    ),
    Program(
        "deno",
        reads=Reads("--version -v --help -h", only=True),
        runs=RunCommands(
            {
                "run": interpreter_run_entry(_DENO),
                "serve": interpreter_run_entry(_DENO),
                "task": Runs("--eval=!", rest=RestOfWords.FLAGS),
                "x": Runs(_DENO),
            },
            _DENO,
            default=interpreter_run_entry(_DENO),
        ),
        is_interpreter=True,
        input=(InputRule(commands="repl"),),
        takes_data=True,
        losses=PUBLISHES,
        scripts=(Script.CALLS,),
        output=OtherOutput.CODE,
        runs_named_script=True,
    ),
    Program(
        "bun",
        reads=ReadCommands(_BUN_READS, flags="-v --version --revision", bare=True),
        runs=RunCommands(
            {
                "run": interpreter_run_entry(_BUN_RUNS),
                "x": Runs("--bun --no-install -p= --package="),
                "exec": Runs(rest=RestOfWords.TEXT),
            },
            _BUN_RUNS,
            default=interpreter_run_entry(_BUN_RUNS + " -e=; --eval=; -p=; --print=; --version; --help;"),
        ),
        is_interpreter=True,
        input=(InputRule(commands="repl"),),
        takes_data=True,
        losses=_NODE_PACKAGES,
        same_as=(
            "bun add = bun a",
            "bun install = bun i",
            "bun remove = bun rm",
            "bun x = bunx",
        ),
        project_files=("package.json",),
        scripts=(
            Script.CALLS,
            Script.JSON_VALUES,
            Script.RUN_COMMAND,
        ),
        output=OtherOutput.CODE,
        runs_named_script=True,
        runs_scripts_by_name=True,
        does="install i ci add remove rm uninstall un update up upgrade link dedupe rebuild prune import: installs; publish unpublish deprecate dist-tag owner access: sends; project",
    ),
    Program("tsc", reads=Reads("--version -v --help -h", only=True), takes_data=True, does="builds"),
    Program(
        "volta",
        reads=ReadCommands(
            {
                "list": Reads("-c --current -d --default --format= --quiet --verbose", TEXT),
                "which": Reads("", TEXT),
            },
            flags="-v --version",
            bare=True,
        ),
        runs=RunCommands(
            {"run": Runs("--node= --npm= --pnpm= --yarn= --bundled-npm --no-pnpm --no-yarn --env=")}
        ),
        does="installs",
    ),
    # Without a sub-command yarn installs, so that no other flag may come first.
    Program(
        "yarn",
        input=(InputRule(commands="node"),),
        reads=ReadCommands(_YARN_READS, flags="-v --version", trust=True, bare=True),
        runs=_YARN_RUNS,
        takes_data=True,
        losses=_NODE_PACKAGES,
        same_as=(
            "yarn = yarnpkg",
            "yarn test = yarn run test",
            "yarn upgrade = yarn up",
        ),
        project_files=("package.json",),
        scripts=(
            Script.PROJECT,
            Script.JSON_VALUES,
        ),
        settings=SettingFiles("set unset delete", ".yarnrc.yml .yarnrc"),
        edits=FileEdits.PROJECT_SCRIPTS,
        can_suggest_commands=True,
        runs_scripts_by_name=True,
        code_files=YARN,
        does="install i ci add remove rm uninstall un update up upgrade link dedupe rebuild prune import: installs; publish unpublish deprecate dist-tag owner access: sends; project",
    ),
    Program(
        "pnpm",
        input=(InputRule(commands="node"),),
        reads=ReadCommands(
            _PNPM,
            flags="-v --version -r --recursive --filter= -w --workspace-root -s --silent",
            trust=True,
            bare=True,
        ),
        runs=RunCommands(
            {
                "dlx": Runs("--package= -c --shell-mode --allow-build= -s --silent"),
                "exec": Runs(_PNPM_GLOBAL + " -c --shell-mode --resume-from= --report-summary"),
            },
            _PNPM_GLOBAL,
        ),
        takes_data=True,
        losses=_NODE_PACKAGES,
        options={"": "g=global D=save-dev w=workspace-root r=recursive"},
        same_as=(
            "pnpm install = pnpm i",
            "pnpm remove = pnpm rm = pnpm uninstall = pnpm un = pnpm uni",
            "pnpm update = pnpm up = pnpm upgrade",
            "pnpm run = pnpm run-script",
            "pnpm test = pnpm t = pnpm tst = pnpm run test",
            "pnpm list = pnpm ls = pnpm la = pnpm ll",
            "pnpm dlx = pnpx",
        ),
        project_files=("package.json",),
        scripts=(
            Script.PROJECT,
            Script.JSON_VALUES,
        ),
        settings=SettingFiles("set delete rm edit fix", ".npmrc ~/.npmrc"),
        edits=FileEdits.PROJECT_SCRIPTS,
        can_suggest_commands=True,
        runs_scripts_by_name=True,
        code_files=PNPM,
        does="install i ci add remove rm uninstall un update up upgrade link dedupe rebuild prune import: installs; publish unpublish deprecate dist-tag owner access: sends; project",
    ),
    Program(
        "corepack", reads=Reads("--version -v", only=True, trust=True), runs=RUNS_COMMAND, code_files=COREPACK
    ),
    Program(
        "eslint vite webpack rollup",
        reads=Reads("--version", only=True, trust=True),
        takes_data=True,
        code_files=VERSION_FILES,
    ),
    Program(
        "prettier",
        reads=Reads("--version", only=True, trust=True),
        writes=Writes(
            "--write -w --check -c -l --list-different --log-level= --config= --ignore-path= --parser="
            " --plugin= --cache -u",
            WriteTarget.EVERY,
            only="--write -w",
        ),
        takes_data=True,
        code_files=VERSION_FILES,
        does="builds",
    ),
    Program(
        "jest vitest",
        reads=Reads("--version", only=True, trust=True),
        takes_data=True,
        project_files=(
            "*.test.*",
            "*.spec.*",
        ),
        scripts=(Script.COMPILED,),
        code_files=(*local_module("jest"), *local_module("vitest")),
    ),
    Program("turbo", reads=Reads("--version", only=True, trust=True), code_files=local_module("turbo")),
    Program(
        "nx",
        reads=Reads("--version", only=True, trust=True),
        runs=RunCommands({"exec": RUNS_AFTER_DASHES}),
        text_options="--command=!",
        code_files=local_module("nx"),
    ),
    Program(
        "fnm",
        reads=ReadCommands(
            {"list": Reads("", NONE), "ls": Reads("", NONE), "current": Reads("", NONE)},
            flags="-V --version",
            bare=True,
        ),
        runs=RunCommands({"exec": Runs("--using= --log-level= --fnm-dir=")}),
        does="installs",
    ),
    Program("nodemon", runs=RUNS_OPTIONS._replace(options="-x=! --exec=!")),
    Program("onchange", runs=RUNS_AFTER_DASHES),
    Program("chokidar", runs=RUNS_OPTIONS._replace(options="-c=! --command=!")),
    Program(
        "concurrently",
        runs=Runs(
            "-n= --names= -c= --prefix-colors= -p= --prefix= -m= --max-processes= -s= --success=",
            rest=RestOfWords.TEXTS,
        ),
    ),
    Program("start-server-and-test", runs=Runs(rest=RestOfWords.TEXTS)),
    Program("pnpx", runs=_NPX),
    Program("bunx", runs=Runs("--bun --no-install --verbose --silent -p= --package=")),
    Program(
        "yarnpkg",
        runs=_YARN_RUNS,
        project_files=("package.json",),
        scripts=(
            Script.PROJECT,
            Script.JSON_VALUES,
        ),
        settings=SettingFiles("set unset delete", ".yarnrc.yml .yarnrc"),
    ),
    Program(
        "lerna",
        runs=RunCommands(
            {"exec": Runs("--scope= --ignore= --concurrency= --since? --no-bail --parallel --stream")}
        ),
        losses=PUBLISHES,
    ),
    Program(
        "nvm",
        runs=RunCommands(
            {
                "exec": Runs("--silent", operands=1, optional=True),
                "run": Runs("--silent", operands=1, words_before=("node",)),
            }
        ),
        does="installs",
    ),
    Program(
        "n",
        runs=RunCommands({"exec": Runs(operands=1), "run": Runs(operands=1, words_before=("node",))}),
        does="installs",
    ),
    Program("cross-env", runs=Runs(assignments=True), takes_assignments=True),
    Program("cross-env-shell", runs=Runs(assignments=True, rest=RestOfWords.TEXT), takes_assignments=True),
    Program(
        "env-cmd",
        runs=Runs(
            "-f= --file= -r= --rc-file= -e= --environments= --no-override --fallback --silent --use-shell -x"
            " --expand-envs --verbose"
        ),
    ),
    Program(
        "dotenv",
        runs=Runs("-f= --file= -e= -c= -v= -p= -o --override --no-override -i= -q= --quote= --no-expand run"),
    ),
    Program("dotenv-cli", runs=Runs("-e= -c= -v= -p= -o")),
    Program("rush-pnpm", runs=RunCommands({"exec": RUNS_COMMAND})),
    Program(
        "pm2", runs=RunCommands({"start": Runs("-n= --name= -i= --watch --cwd=", rest=RestOfWords.TEXTS)})
    ),
    Program("forever", runs=RunCommands({"start": RUNS_OPTIONS._replace(options="-c=!")}, "-c=!")),
    Program(
        "nodejs",
        runs=interpreter_run_entry(_NODE),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        same_as=("nodejs = node",),
        scripts=(Script.CALLS,),
        output=OtherOutput.CODE,
        runs_named_script=True,
    ),
    Program(
        "tsx",
        does="code",
        runs=interpreter_run_entry(_NODE),
        is_interpreter=True,
        scripts=(Script.CALLS,),
        runs_named_script=True,
    ),
    Program("babel-node", runs=interpreter_run_entry(_NODE), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("esno", runs=interpreter_run_entry(_NODE), is_interpreter=True),
    Program(
        "ts-node",
        does="code",
        runs=interpreter_run_entry(_NODE + " -T -P= --project= -O="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
        runs_named_script=True,
    ),
    Program(
        "zx",
        runs=interpreter_run_entry("-e=; --eval=; --cwd= --shell= --prefix= --postfix="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program("qjs", runs=interpreter_run_entry("-e=; --eval=; -m -i -I="), is_interpreter=True),
    Program("d8", runs=interpreter_run_entry("-e=;"), is_interpreter=True),
    Program("coffee", runs=interpreter_run_entry("-e=; -c"), is_interpreter=True),
    Program("gjs", runs=interpreter_run_entry("-c=; -I="), is_interpreter=True),
    Program("esbuild", takes_data=True, does="builds"),
    Program(
        "mocha",
        takes_data=True,
        project_files=(
            "*.test.*",
            "*.spec.*",
        ),
        scripts=(Script.COMPILED,),
    ),
    Program("jsr vsce ovsx changeset", losses=PUBLISHES),
    Program("semantic-release", losses=Losses((LossPattern("", Loss.PUBLISHES),))),
    Program(
        "prisma",
        losses=Losses(
            (
                LossPattern("migrate reset", Loss.EMPTIES, "database"),
                LossPattern("db push", Loss.EMPTIES, "database", flags="--force-reset --accept-data-loss"),
            )
        ),
    ),
    Program("rimraf del-cli", losses=REMOVES_FILES, damage=Damage.REMOVES_TREES),
    Program(
        "ava",
        project_files=(
            "*.test.*",
            "*.spec.*",
        ),
        scripts=(Script.COMPILED,),
    ),
    Program(
        "claude",
        settings=SettingFiles("set add remove add-json", ".mcp.json ~/.claude.json"),
        does="services",
    ),
    Program("husky", settings=SettingFiles("install init add", ".git/hooks")),
)
