"""The shipped packs: the commands of each, with the options that only build, test, check or format.

The options are a closed list in the language of `programs/flags.py`, where `<` marks a value that is a path.
An option with program text, a plugin, another configuration or another directory is in no list.
"""

from enum import StrEnum
from typing import NamedTuple


class PackOperands(StrEnum):
    """The meaning of the words after the command."""

    NONE = "none"
    PATHS = "paths"
    """Paths of the workspace."""
    TASKS = "tasks"
    """Names of tasks that the project defines; none that publishes, deploys or installs."""
    NAMES = "names"
    """Names of tests, branches or commits."""


_NONE, _PATHS, _TASKS, _NAMES = PackOperands


class PackCommand(NamedTuple):
    """A command of a pack."""

    words: str
    """The program and its sub-commands."""
    flags: str = ""
    operands: PackOperands = _NONE
    least: int = 0
    """The least number of operands."""
    most: int = 64
    needs: str = ""
    """Flags of which one must be given."""
    tail: str = ""
    """Flags that may stand after `--`."""
    only: str = ""
    """The only operands that are allowed; empty if all are."""


class Pack(NamedTuple):
    """Commands that a person allows together."""

    purpose: str
    commands: tuple[PackCommand, ...]
    files: tuple[str, ...]
    """Names of files that show that a project uses these tools, and that define what they run."""
    match: tuple[str, ...]
    """Commands that the pack allows, as examples."""
    never: tuple[str, ...]
    """Commands that the pack must not allow, as examples."""
    tasks: tuple[str, ...] = ()
    """Paths of files that define what the commands run, from the directory of a command or from one above it.

    The pack covers a command only while a person has approved the content of these files. `*` stands for a name.
    """
    git_settings: str = ""
    """The groups of Git settings that the commands use and that can name programs; the repository may name none."""


def _each(words: str, *rest: object) -> tuple[PackCommand, ...]:
    """The same command of several programs, which are separated by commas."""
    return tuple(PackCommand(one.strip(), *rest) for one in words.split(","))  # type: ignore[arg-type]


_GO = (
    "-v -x -n -a -race -msan -asan -work -trimpath -tags= -p= -mod=readonly -mod=vendor -mod=mod -cover"
    " -covermode= -coverpkg= -buildvcs? -json"
)
_GO_TEST = (
    f"{_GO} -run= -skip= -bench= -benchmem -benchtime= -count= -timeout= -short -failfast -list= -parallel="
    " -cpu= -shuffle= -fullpath -fuzz= -fuzztime= -vet=off -c"
)
_PYTEST = (
    "-q -v -vv -vvv -x -s -l -k= -m= -n= -r? --maxfail= --tb= --lf --last-failed --ff --failed-first --nf"
    " --new-first --sw --stepwise --durations= --durations-min= --cov? --cov-report=term --cov-report=term-missing"
    " --no-cov --collect-only --co --no-header --no-summary --showlocals --disable-warnings --color= --timeout="
    " --strict-markers --strict-config --exitfirst --verbose --quiet --capture= --numprocesses= --dist= --reruns="
    " --disable-pytest-warnings --runxfail --setup-show --fixtures --markers --version"
)
_RUFF = (
    "--fix --no-fix --select= --ignore= --extend-select= --statistics --output-format= -q -v --quiet --diff"
    " --unsafe-fixes --show-fixes --no-cache --exit-zero"
)
_MYPY = "--strict --ignore-missing-imports --no-error-summary --pretty --show-error-codes --no-incremental -p= -m="
_CARGO = (
    "-r --release -p= --package= --all --workspace --all-targets --all-features --features= -F="
    " --no-default-features --lib --bin= --bins --tests --test= --examples --example= --benches --bench= --doc"
    " -v -vv -q --verbose --quiet --locked --offline --frozen --no-run --no-fail-fast --message-format= --color="
    " -j= --jobs= --profile= --keep-going"
)
_TEST_BINARY = (
    "--nocapture --test-threads= --ignored --include-ignored --exact --skip= --show-output -q --quiet"
)
_MVN = (
    "-q --quiet -B --batch-mode -o --offline -e --errors -T= -pl= --projects= -am --also-make -ntp"
    " --no-transfer-progress -fae -ff -Dtest= -DskipTests? -DfailIfNoTests? -Dsurefire.failIfNoSpecifiedTests?"
)
_GRADLE = (
    "--info -q --quiet -s --stacktrace --tests= --parallel --no-daemon --offline --continue -x= --exclude-task="
    " --rerun-tasks --build-cache --no-build-cache --console= -i --warning-mode="
)
_GRADLE_TASKS = (
    "clean test build check assemble classes testClasses compileJava compileTestJava compileKotlin jar lint spotlessCheck"
    " spotlessApply ktlintCheck ktlintFormat detekt checkstyleMain pmdMain javadoc"
)
_DOTNET = (
    "-c= --configuration= --no-build --no-restore --verbosity= --filter= --nologo -f= --framework= --list-tests"
    " --no-incremental"
)
_NPM = "-s --silent --if-present -w= --workspace= --workspaces -ws"
_PNPM = "-s --silent -r --recursive --filter= --if-present --parallel"
_GIT = "-q --quiet"
_TASK_TAIL = (
    "--fix --check --watch? --watchAll=false --coverage --no-coverage -u --updateSnapshot --verbose -v --quiet -q --silent"
    " --bail? --ci --runInBand --passWithNoTests -t= --testNamePattern= --grep= -k= -x -s -run= -count= -timeout= -race"
    " -short -failfast --max-warnings= --noEmit --list --no-color --color"
)
"""What a task may be given after `--`: flags of test programs and linters that name no code."""


def _with_packages(files: str) -> tuple[str, ...]:
    """These files, also in the packages of a project: up to two directories below."""
    return tuple(f"{place}{file}" for file in files.split() for place in ("", "*/", "*/*/"))


_NODE_TASKS = (
    *_with_packages("package.json"),
    *(
        ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml biome.json biome.jsonc .babelrc* babel.config.*"
        " .eslintrc* eslint.config.* .prettierrc* prettier.config.* jest.config.* vite.config.* vitest.config.*"
        " vitest.workspace.* webpack.config.* rollup.config.* rspack.config.* esbuild.config.* next.config.*"
        " gulpfile.* Gruntfile.* turbo.json nx.json lerna.json .mocharc* playwright.config.* tsup.config.*"
    ).split(),
)
_PYTHON_TASKS = (
    *_with_packages("conftest.py"),
    *(
        "pyproject.toml setup.cfg setup.py tox.ini noxfile.py pytest.ini .pytest.ini pytest.toml .flake8 mypy.ini .mypy.ini"
        " .coveragerc .isort.cfg ruff.toml .ruff.toml pyrightconfig.json uv.toml"
    ).split(),
)
_RUST_TASKS = (
    *_with_packages("build.rs Cargo.toml"),
    *".cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml rustfmt.toml clippy.toml .config/nextest.toml".split(),
)
_JAVA_TASKS = (
    *_with_packages("pom.xml build.gradle build.gradle.kts"),
    *(
        "settings.gradle settings.gradle.kts gradle.properties mvnw gradlew .mvn/* gradle/*.gradle gradle/*.gradle.kts"
        " gradle/wrapper/* buildSrc/* buildSrc/src/main/*/*"
    ).split(),
)
_DOTNET_TASKS = (
    *_with_packages("*.csproj *.fsproj *.vbproj Directory.Build.props Directory.Build.targets"),
    *"*.sln *.slnx global.json nuget.config NuGet.config Directory.Packages.props .config/dotnet-tools.json".split(),
)
_MAKE_TASKS = (
    *"Makefile makefile GNUmakefile *.mk justfile Justfile .justfile *.just mise.toml .mise.toml mise.local.toml".split(),
    *".mise.local.toml mise.*.toml .mise.*.toml mise/config.toml .mise/config.toml .config/mise.toml .tool-versions".split(),
    *".config/mise/config.toml .config/mise/conf.d/* mise-tasks/* .mise-tasks/* mise/tasks/* .mise/tasks/*".split(),
    *".config/mise/tasks/* Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml".split(),
)
_GO_TASKS = (
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.toml",
    ".golangci.json",
    "staticcheck.conf",
    ".custom-gcl.yml",
)

PACKS: dict[str, Pack] = {
    "go": Pack(
        "build, test, lint and format Go",
        (
            # Go overwrites no file that it did not build.
            PackCommand("go build", f"{_GO} -o=<", _PATHS),
            PackCommand("go test", _GO_TEST, _PATHS, tail=""),
            PackCommand("go vet", _GO, _PATHS),
            PackCommand("go fmt", "-n", _PATHS),
            *_each("gofmt, goimports, gofumpt", "-l -w -d -s -e", _PATHS),
            PackCommand(
                "golangci-lint run",
                "-v --fix --timeout= --new --new-from-rev= -E= --enable= -D= --disable= --fast --tests --build-tags=",
                _PATHS,
            ),
            PackCommand("staticcheck", "-tests -checks= -tags=", _PATHS),
        ),
        ("go.mod", ".golangci.yml", ".golangci.yaml"),
        ("go build ./...", "go test -run TestA ./pkg/...", "gofmt -w a.go", "golangci-lint run --fix"),
        ("go vet -vettool=./x ./...", "go test -exec ./x ./...", "go build -toolexec ./x", "go run x.go", "go install x"),
        _GO_TASKS,
    ),
    "node": Pack(
        "build, test, lint and format JavaScript, and the scripts of package.json",
        (
            PackCommand("npm test", _NPM, tail=_TASK_TAIL),
            PackCommand("npm t", _NPM, tail=_TASK_TAIL),
            PackCommand("npm run", _NPM, _TASKS, 1, 1, tail=_TASK_TAIL),
            PackCommand("npm run-script", _NPM, _TASKS, 1, 1, tail=_TASK_TAIL),
            PackCommand("yarn run", "-s --silent", _TASKS, 1, 1, tail=_TASK_TAIL),
            PackCommand("yarn", "-s --silent", _TASKS, 1, 1, only="test build lint format typecheck check"),
            PackCommand("pnpm run", _PNPM, _TASKS, 1, 1, tail=_TASK_TAIL),
            PackCommand("pnpm", _PNPM, _TASKS, 1, 1, only="test t build lint format typecheck check"),
            PackCommand("bun run", "--silent", _TASKS, 1, 1, tail=_TASK_TAIL),
            PackCommand("bun test", "-t= --bail? --coverage --timeout=", _PATHS),
            *_each(
                "tsc, npx --no-install tsc",
                "--noEmit -p=< --project=< -b --build --pretty --strict --skipLibCheck --incremental -w --watch --version",
                _PATHS,
            ),
            PackCommand(
                "eslint",
                "--fix --fix-dry-run --ext= --quiet --max-warnings= --cache --no-error-on-unmatched-pattern"
                " --report-unused-disable-directives --no-color --color",
                _PATHS,
            ),
            PackCommand(
                "prettier",
                "--check -c --write -w -l --list-different --log-level= --ignore-unknown -u --no-color",
                _PATHS,
                1,
            ),
            PackCommand(
                "jest",
                "-t= --testNamePattern= --coverage --ci -i --runInBand --verbose --silent --bail? -o --onlyChanged"
                " --passWithNoTests --findRelatedTests --testPathPattern= --watchAll=false --no-coverage",
                _PATHS,
            ),
            PackCommand("vitest run", "-t= --coverage --silent --bail= --passWithNoTests --no-color", _PATHS),
            *_each("biome check, biome lint, biome format", "--write --fix --unsafe", _PATHS),
        ),
        ("package.json",),
        ("npm test", "npm run build", "npm test -- src/a.test.ts", "pnpm run lint", "eslint --fix src", "prettier --write src"),
        (
            "npm publish", "npm install", "npx cowsay", "prettier --plugin=./x.js .", "eslint --rulesdir ./x .",
            "npm run release", "npm run build --script-shell=./x",
            "npm test -- --config ./x.js", "npm run lint -- --rulesdir ./x",
        ),
        _NODE_TASKS,
    ),
    "python": Pack(
        "test, lint and format Python",
        (
            *_each(
                "pytest, python -m pytest, python3 -m pytest, uv run pytest, poetry run pytest, uv run python -m pytest",
                _PYTEST,
                _PATHS,
            ),
            *_each("ruff check, uv run ruff check, python -m ruff check", _RUFF, _PATHS),
            *_each("ruff format, uv run ruff format", "--check --diff -q --quiet -v", _PATHS),
            *_each("black, python -m black", "-q --quiet --check --diff -l= --line-length= -S", _PATHS),
            *_each("isort, python -m isort", "--check --check-only --diff -c --profile= -q", _PATHS),
            *_each("flake8, python -m flake8", "--max-line-length= --select= --ignore= --extend-ignore= --count", _PATHS),
            *_each("mypy, python -m mypy, uv run mypy, poetry run mypy", _MYPY, _PATHS),
            *_each("pyright, uv run pyright", "--warnings --stats --verbose", _PATHS),
            *_each("python -m unittest, python3 -m unittest", "-v -q -f -b -c -k= -s=< -p= -t=<", _PATHS),
            PackCommand("tox", "-e= -q -v -p --parallel"),
            PackCommand("tox run", "-e= -q -v"),
            PackCommand("nox", "-s= -e= -r -R --list -l"),
        ),
        ("pyproject.toml", "setup.cfg", "tox.ini", "conftest.py", "noxfile.py", "pytest.ini"),
        ("pytest -q", "python -m pytest tests/a.py::test_b", "ruff check --fix src", "mypy src"),
        ("pytest -p evil", "pytest -c ../x.ini", "python x.py", "pip install x", "mypy --python-executable ./x ."),
        _PYTHON_TASKS,
    ),
    "rust": Pack(
        "build, test, lint and format Rust",
        (
            *_each("cargo build, cargo check, cargo doc", _CARGO),
            *_each("cargo test, cargo bench", _CARGO, _NAMES, 0, 1, "", _TEST_BINARY),
            PackCommand("cargo nextest run", _CARGO, _NAMES, tail=_TEST_BINARY),
            PackCommand(
                "cargo clippy",
                f"{_CARGO} --fix --allow-dirty --allow-staged --no-deps",
                tail="-D= -W= -A= --deny= --warn= --allow=",
            ),
            PackCommand("cargo fmt", "--check --all -p= --package= -v -q", tail="--check"),
            PackCommand("rustfmt", "--check -v -q --edition=", _PATHS, 1),
        ),
        ("Cargo.toml", "build.rs"),
        ("cargo build --release", "cargo test -- --nocapture", "cargo clippy -- -D warnings", "cargo fmt --check"),
        ("cargo publish", "cargo install x", "cargo run", "cargo build --config=x", "cargo -C .. build"),
        _RUST_TASKS,
    ),
    "java": Pack(
        "build and test with Maven and Gradle",
        (
            *_each("mvn, ./mvnw", _MVN, _TASKS, 1, 4, "", "", "clean validate compile test-compile test package verify"),
            *_each("gradle, ./gradlew", _GRADLE, _TASKS, 1, 8, "", "", _GRADLE_TASKS),
        ),
        ("pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"),
        ("mvn -q test", "./gradlew build", "gradle test --tests FooTest"),
        ("mvn deploy", "mvn install", "gradle publish", "gradle -I x.gradle test", "mvn exec:java"),
        _JAVA_TASKS,
    ),
    "dotnet": Pack(
        "build, test and format .NET",
        (
            *_each("dotnet build, dotnet test", _DOTNET, _PATHS, 0, 1),
            PackCommand("dotnet format", "--verify-no-changes --no-restore --severity=", _PATHS, 0, 1),
        ),
        ("global.json", "Directory.Build.props"),
        ("dotnet build -c Release", "dotnet test --filter Foo"),
        ("dotnet publish", "dotnet run", "dotnet nuget push x", "dotnet test --test-adapter-path x"),
        _DOTNET_TASKS,
    ),
    "make": Pack(
        "named tasks of Make, just, mise and Task",
        (
            *_each("make, gmake", "-j? -k -s -n -B --keep-going --silent --jobs?", _TASKS),
            PackCommand("just", "-n --dry-run -q --quiet", _TASKS),
            *_each("mise run, mise r, mise tasks run", "-q --quiet -f --force -j= --jobs=", _TASKS, 1, 1, "", _TASK_TAIL),
            PackCommand("task", "-s --silent -v --verbose -f --force -n --dry", _TASKS),
        ),
        ("Makefile", "makefile", "justfile", "mise.toml", ".mise.toml", "Taskfile.yml"),
        ("make test", "make -j4", "just lint", "mise run test:ci"),
        ("make -f ../Makefile", "make SHELL=./x test", "make install", "make publish", "just --shell sh test"),
        _MAKE_TASKS,
    ),
    "git": Pack(
        "commit, branch, merge and stash in the local repository",
        (
            PackCommand(
                "git commit",
                f"{_GIT} -m= --message= -v --verbose -s --signoff --amend --no-edit --allow-empty -a --all"
                " --author= --date= --trailer=",
                needs="-m --message --no-edit",
            ),
            PackCommand("git add", f"{_GIT} -A --all -u --update -v --verbose -n --dry-run", _PATHS),
            PackCommand("git stash", f"{_GIT} -u --include-untracked -k --keep-index", _NAMES, 0, 0),
            PackCommand("git stash push", f"{_GIT} -m= --message= -u --include-untracked -k --keep-index -S --staged", _PATHS),
            PackCommand("git checkout", f"{_GIT} -b= -t --track", _NAMES, 0, 1, needs="-b"),
            PackCommand("git checkout", _GIT, _NAMES, 1, 1, only="main master develop dev trunk"),
            PackCommand("git switch", f"{_GIT} -c= --create= -t --track -d --detach", _NAMES, 0, 1),
            PackCommand("git branch", f"{_GIT} -d --delete -m --move -v -vv", _NAMES, 0, 2),
            PackCommand("git tag", f"{_GIT} -a --annotate -m= --message=", _NAMES, 0, 2),
            PackCommand(
                "git merge",
                f"{_GIT} --no-commit --no-ff --ff-only --ff --abort --continue --quit --no-edit -m= --squash",
                _NAMES, 0, 1,
            ),
            PackCommand("git rebase", f"{_GIT} --continue --abort --skip --quit --onto= --autostash", _NAMES, 0, 2),
            *_each(
                "git cherry-pick, git revert",
                f"{_GIT} --no-edit -x -n --no-commit --abort --continue --skip --quit",
                _NAMES,
            ),
            PackCommand("git reset", f"{_GIT} --soft --mixed", _NAMES),
            PackCommand("git restore", f"{_GIT} --staged -S", _PATHS, 1, needs="--staged -S"),
            PackCommand("git init", f"{_GIT} -b= --initial-branch=", _PATHS, 0, 1),
            PackCommand("git notes add", f"{_GIT} -m= --message=", _NAMES, 0, 1),
        ),
        (".git",),
        ("git commit -m x", "git switch -c feature", "git branch -d done", "git restore --staged a"),
        (
            "git checkout -- .", "git restore .", "git branch -D main", "git stash drop", "git commit --no-verify -m x",
            "git push", "git reset --hard", "git -c core.editor=x commit -m x", "git rebase -x id main",
        ),
        git_settings="fsmonitor filters hooks objects submodules diff textconv merge gpg alternates editor plain",
    ),
}  # fmt: skip
