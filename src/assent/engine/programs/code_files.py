"""Files of a workspace that can make programs run code although they only read, as named groups for their entries."""

from typing import NamedTuple


class CodeFile(NamedTuple):
    """A file of the workspace that can make a program run code."""

    path: str
    """The path below the working directory; the last name may be a glob."""
    keys: str = ""
    """Words of which the file must contain one to name code; empty if the file itself is code."""
    above: bool = True
    """True if the program also looks for the file in the directories above."""
    settings: str = ""
    """The group of settings that a command must use for the file to matter; empty if every command does."""


_PATHS = "/ \\ path: ref: {{"
"""Texts with which a file of versions names a program by its path, or runs one."""
VERSION_FILES = (CodeFile(".tool-versions", _PATHS),)
"""Files with which version managers choose the program that runs."""
_PACKAGE_MANAGER = CodeFile("package.json", "yarn@file yarn@http pnpm@file pnpm@http npm@file npm@http")
"""A package manager that the project names by its address."""
COREPACK = (_PACKAGE_MANAGER, *VERSION_FILES)
YARN = (
    CodeFile(".yarnrc.yml", "yarnPath plugins injectEnvironmentFiles unsafeHttpWhitelist"),
    CodeFile(".yarnrc", "yarn-path use-yarnrc cwd"),
    *COREPACK,
)
PNPM = (
    CodeFile(".pnpmfile.cjs"),
    CodeFile(".pnpmfile.mjs"),
    CodeFile(
        ".npmrc",
        "pnpmfile global-pnpmfile script-shell node-options onload-script git-shallow-hosts use-node-version"
        " config-dir hooks registry",
    ),
    CodeFile(
        "pnpm-workspace.yaml",
        "pnpmfile pnpmfiles globalPnpmfile configDependencies scriptShell nodeOptions hooks useNodeVersion"
        " executionEnv registry registries",
    ),
    *COREPACK,
)
NPM = (
    CodeFile(".npmrc", "onload-script script-shell shell node-options git prefix globalconfig userconfig"),
    CodeFile(".npmrc", "registry proxy https-proxy cafile _auth", settings="registry"),
    *VERSION_FILES,
)
MAVEN = (
    tuple(
        CodeFile(f".mvn/{name}")
        for name in (
            "extensions.xml",
            "jvm.config",
            "maven.config",
            "maven.properties",
            "maven-user.properties",
        )
    )
    + VERSION_FILES
)
GRADLE = (
    CodeFile("gradle.properties", "org.gradle.java.home org.gradle.jvmargs systemProp"),
    CodeFile("gradle/gradle-daemon-jvm.properties"),
    *VERSION_FILES,
)
RUST = (
    CodeFile("rust-toolchain.toml", "path /"),
    CodeFile("rust-toolchain", "path / \\"),
    *VERSION_FILES,
)
_CARGO_KEYS = (
    "rustc rustc-wrapper rustc-workspace-wrapper rustdoc rustflags rustdocflags runner linker alias"
    " credential-provider global-credential-providers credential-alias include env source replace-with"
)
CARGO = (CodeFile(".cargo/config.toml", _CARGO_KEYS), CodeFile(".cargo/config", _CARGO_KEYS), *RUST)
_ENVIRONMENT = (
    CodeFile(".venv/pyvenv.cfg"),
    CodeFile(".venv/bin/python*"),
    CodeFile(".venv/Scripts/python*"),
    CodeFile(".python-version", _PATHS),
    CodeFile(".python-versions", _PATHS),
)
"""The interpreter of a Python project."""
_PYTHON_START = (CodeFile("sitecustomize.py", above=False), CodeFile("usercustomize.py", above=False))
UV = (
    CodeFile("uv.toml", "python keyring-provider pip index-url extra-index-url index find-links"),
    CodeFile("pyproject.toml", "pip keyring-provider"),
    *_ENVIRONMENT,
    *VERSION_FILES,
)
POETRY = (
    CodeFile("poetry.toml", "path"),
    CodeFile("pyproject.toml", "requires-plugins"),
    *_ENVIRONMENT,
    *VERSION_FILES,
)
PDM = (
    CodeFile(".pdm-python"),
    CodeFile(".pdm-plugins"),
    CodeFile("pdm.toml", "python plugins"),
    *_ENVIRONMENT,
    *VERSION_FILES,
)
PIPENV = (*_ENVIRONMENT, CodeFile(".env", "PIPENV_PYTHON PYTHONPATH PYTHONSTARTUP"), *VERSION_FILES)
_PYTHON_LIBRARY = """
    __future__ _abc _ast _bisect _codecs _collections _collections_abc _colorize _compat_pickle _csv _datetime
    _decimal _functools _heapq _io _json _locale _opcode _operator _pydatetime _pyrepl _random _sre _stat _string
    _strptime _struct _thread _tokenize _tracemalloc _typing _warnings _weakref _weakrefset abc annotationlib
    argparse array ast atexit bisect bz2 calendar codecs codeop collections contextlib contextvars copy copyreg csv
    dataclasses datetime decimal difflib dis encodings enum errno fnmatch fractions functools gc genericpath
    gettext glob heapq importlib inspect io itertools json keyword linecache locale marshal math ntpath numbers
    opcode operator os pathlib pickle pkgutil posix posixpath pprint pyexpat queue random re reprlib runpy selectors shutil signal
    site sre_compile sre_constants sre_parse stat statistics string stringprep struct subprocess sys sysconfig
    tempfile textwrap threading time timeit token tokenize traceback tracemalloc types typing unicodedata urllib
    usercustomize sitecustomize warnings weakref zipfile zipimport zlib
""".split()
"""Modules of the standard library that a small program or its error message may import."""
PYTHON_FILTER = (
    *(CodeFile(f"{name}.py", above=False) for name in _PYTHON_LIBRARY),
    *(CodeFile(f"{name}/__init__.*", above=False) for name in _PYTHON_LIBRARY),
    *(CodeFile(f"*.{end}", above=False) for end in ("pyc", "pyd", "so", "sl", "dll")),
    *_ENVIRONMENT,
    CodeFile("venv/pyvenv.cfg"),
    CodeFile("env/pyvenv.cfg"),
    *VERSION_FILES,
)
"""A program in an option imports modules from its directory before those of the library."""
PYTHON_TOOLS = (
    *_PYTHON_START,
    CodeFile("conftest.py"),
    CodeFile("tests/conftest.py"),
    CodeFile("test/conftest.py"),
    CodeFile("toxfile.py"),
    CodeFile("noxfile.py"),
    CodeFile("pytest.ini", "addopts"),
    CodeFile(".pytest.ini", "addopts"),
    CodeFile("tox.ini", "addopts init-hook local-plugins requires"),
    CodeFile("setup.cfg", "addopts init-hook local-plugins"),
    CodeFile(".flake8", "local-plugins"),
    CodeFile("pyproject.toml", "addopts init-hook init_hook local-plugins"),
    CodeFile("pylintrc", "init-hook"),
    CodeFile(".pylintrc", "init-hook"),
    CodeFile("pylintrc.toml", "init-hook"),
    CodeFile(".pylintrc.toml", "init-hook"),
    CodeFile("jupyter*config.*", above=False),
    CodeFile("ipython_config.py", above=False),
    *VERSION_FILES,
)
TERRAFORM = (
    CodeFile(".terraform", above=False),
    CodeFile("terraform.d/plugins", above=False),
    CodeFile(".terraform-version", _PATHS),
    CodeFile(".opentofu-version", _PATHS),
    *VERSION_FILES,
)
PULUMI = (CodeFile("Pulumi.yaml"), CodeFile("Pulumi.yml"), CodeFile("Pulumi.json"))
_MISE_KEYS = "env hooks plugins vars source path exec task_config postinstall {{ _ / \\"
MISE = (
    *(
        CodeFile(name, _MISE_KEYS)
        for name in (
            "mise.toml", "mise.*.toml", ".mise.toml", ".mise.*.toml", "mise/config.toml", ".mise/config.toml",
            ".config/mise.toml", ".config/mise/config.toml", ".config/mise/config.*.toml", ".config/mise/conf.d/*",
        )
    ),
    *VERSION_FILES,
)  # fmt: skip
DOTNET = (CodeFile("global.json", "paths"), *VERSION_FILES)
BUNDLER = (CodeFile("Gemfile"), CodeFile("gems.rb"), CodeFile(".bundle/config"), *VERSION_FILES)
COMPOSER = (CodeFile("vendor/composer", above=False), *VERSION_FILES)
BAZEL = (CodeFile("tools/bazel"), CodeFile(".bazelversion", _PATHS), CodeFile(".bazeliskrc"), *VERSION_FILES)
SUBVERSION = (CodeFile(".svn"),)
"""A working copy, whose server the copy itself names."""
LATEXMK = (CodeFile("latexmkrc", above=False), CodeFile(".latexmkrc", above=False))
ANSIBLE = (CodeFile("ansible.cfg", above=False), *VERSION_FILES)
_COMPOSE_KEYS = "include extends provider build oci:// git@ .git"
COMPOSE_FILES = (
    *(
        CodeFile(name, _COMPOSE_KEYS)
        for name in ("compose.yaml", "compose.yml", "compose.override.y*", "docker-compose.y*",
                     "docker-compose.override.y*")
    ),
    CodeFile(".env", "COMPOSE_FILE COMPOSE_PATH_SEPARATOR COMPOSE_ENV_FILES DOCKER_HOST DOCKER_CONTEXT"),
)  # fmt: skip
"""Included files may come from another host."""


def local_module(name: str) -> tuple[CodeFile, ...]:
    """The copy of a JavaScript program in the project, which its global command runs instead of itself."""
    return (CodeFile(f"node_modules/{name}"), *VERSION_FILES)
