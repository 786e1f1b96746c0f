"""Programs that run what they are given, but only tell about themselves with one of these words alone.

Where a program also has an entry that says more of it, that one counts.
"""

from assent.engine.shell.knowledge.entry import Entry, Reads

_ANYWHERE = {
    "--version -v --help -h": "node npm npx deno bun tsc make gmake",
    "--version -V -VV --help -h": "python python2 python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14",
    "--version -V --help": "pip pip3 uv uvx ruff black rustup just curl wget psql pg_dump pg_config mysql rsync",
    "--version -v": "ruby gem perl php lua luajit nim crystal julia brew pandoc code groovy",
    "--version": (
        "ghc cabal stack opam dart R Rscript octave ninja meson autoconf automake libtool pkg-config as ldd"
        " redis-cli redis-server mongosh vim nvim nano emacs gdb lldb strace valgrind protoc apt apt-get dpkg"
        " yum dnf delta difft lsd dust duf starship zoxide tig btop htop ncdu fzf watchexec pdflatex xelatex lualatex latex pyenv rbenv asdf volta pipx virtualenv conda hyperfine"
    ),
    "-version --version": "java javac scala kotlin kotlinc ocaml swift swiftc sqlite3 magick convert identify",
    "-version": "ffmpeg ffprobe ant xcodebuild",
    "--version -v -dumpversion -dumpmachine --help": "gcc g++ cc c++ clang clang++ gfortran",
    "--version -v -V": "ld",
    "--help --version": "cmake ctest cpack split xargs gxargs csplit",
    "-V": "ssh dot",
    "-v -V": "nginx",
    "version": "zig hugo caddy",
}

# These look into the directory first, and may start or fetch the version of themselves that it names.
_TRUSTED = {
    "--version -V": "cargo rustc rustdoc composer",
    "--version -v": "yarn pnpm corepack mvn gradle elixir mix bundle latexmk",
    "--version": (
        "bazel bazelisk poetry pdm hatch tox nox flake8 pylint mypy pytest isort pre-commit ipython jupyter ansible rake"
        " eslint prettier jest vitest vite webpack rollup turbo nx"
    ),
    "--version --info --list-sdks --list-runtimes --help": "dotnet",
}


def _entries(programs: dict[str, str], *, trust: bool) -> dict[str, Entry]:
    return {
        name: Reads(flags, only=True, trust=trust)
        for flags, names in programs.items()
        for name in names.split()
    }


PROGRAMS: dict[str, Entry] = {**_entries(_ANYWHERE, trust=False), **_entries(_TRUSTED, trust=True)}
