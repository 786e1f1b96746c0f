"""The files of a hook that asks a server: its program, its token, and its command for each event."""

import os
import shlex
import socket
import sys
from collections.abc import Mapping
from urllib.parse import urlsplit

from assent.client.local_server import LocalServer, find_local_server, write_private_file
from assent.config.files import make_private_directory
from assent.config.paths import ConfigPaths
from assent.engine.base.value import Value
from assent.errors import InputError
from assent.hosts.hook.claude import AGENT
from assent.hosts.hook.settings import EVENT, SERVER_EVENTS, SHARED_PROGRAM, blocking_command

FALLBACKS = ("deny", "ask")
"""What happens to a call while the server cannot be reached."""
_CONNECT_SECONDS = 5
_LAUNCHER = '''"""Sends the events of Claude Code to Assent; written by `assent hook install`."""

import sys

sys.path.insert(0, {directory!r})

from assent_hook import run

run()
'''
"""The program is a module of its own beside it, because Python keeps compiled modules, but not programs."""


class ServerHook(Value):
    """A hook that asks a server, with the options of `install`."""

    paths: ConfigPaths
    server: LocalServer
    is_shell: bool = False
    """Whether the program is a shell script with curl instead of Python."""
    fallback: str = FALLBACKS[0]
    is_shared: bool = False
    """Whether the command must work for every user of a project."""
    defers: bool = False
    """Whether a headless session ends while a person is asked, and is resumed after the answer."""

    @property
    def address(self) -> str:
        """The server's address in the format that the hook process expects."""
        if os.path.exists(self.server.socket):
            return f"unix:{self.server.socket}"
        if self.server.url.startswith("https:") and not self.is_shell:
            raise InputError("the server uses TLS and has no local socket here: add --shell")
        return self.server.url

    @property
    def commands(self) -> Mapping[str, str]:
        """The command of each event."""
        return {event: blocking_command(self._command_words(event)) for event in SERVER_EVENTS}

    @property
    def program(self) -> str:
        """The shell words that answer an event about a call."""
        return self._command_words(EVENT)

    def write_program(self) -> None:
        """Write the files of the program."""
        directory = _program_directory(self.paths)
        if self.is_shell:
            write_private_file(_program_file(self.paths, "claude.sh"), _program_source("process.sh"))
        else:
            write_private_file(_program_file(self.paths, "assent_hook.py"), _program_source("process.py"))
            text = _LAUNCHER.format(directory=directory)
            write_private_file(_program_file(self.paths, "claude_server.py"), text)

    def write_token(self, secret: str) -> None:
        """Write the agent's token: alone for Python, and as a header for curl."""
        _program_directory(self.paths)
        write_private_file(token_file(self.paths), secret + "\n")
        write_private_file(_program_file(self.paths, "claude.header"), f"Authorization: Bearer {secret}\n")

    def _command_words(self, event: str) -> str:
        fallback = self.fallback if event == EVENT else FALLBACKS[0]
        more = ("defer",) if self.defers and event == EVENT else ()
        if self.is_shared:
            is_default = fallback == FALLBACKS[0] and not more
            return SHARED_PROGRAM if is_default else " ".join([SHARED_PROGRAM, "--fallback", fallback, *more])
        program = ["sh", _program_file(self.paths, "claude.sh")]
        token = _program_file(self.paths, "claude.header")
        if not self.is_shell:
            program = [_python_interpreter(), "-IS", _program_file(self.paths, "claude_server.py")]
            token = token_file(self.paths)
        return shlex.join([*program, self.address, token, fallback, *more])


def find_running_server(paths: ConfigPaths) -> LocalServer | None:
    """The server of this user, if it accepts connections."""
    server = find_local_server(paths.data)
    if server is None:
        return None
    parts = urlsplit(server.url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=_CONNECT_SECONDS).close()
    except OSError:
        return None
    return server


def token_file(paths: ConfigPaths) -> str:
    """The file with the token of the hook's agent."""
    return _program_file(paths, "claude.token")


async def create_agent_token(server: LocalServer) -> str:
    """Create a token for the agent of the hook, and let its calls of undeclared tools ask."""
    # Only here, because an installation without a server has none of these modules.
    from assent.cli.base.identities import open_identity_admin
    from assent.gate.access import Kind
    from assent.gate.unknown_tools import UnknownAnswer, UnknownTools

    database = None if "://" in server.database else server.database
    async with open_identity_admin(database) as (authenticator, by):
        minted = await authenticator.new_token(
            Kind.AGENT, AGENT, by=by, on_behalf=by.id, label="the hook of Claude Code"
        )
        await UnknownTools(authenticator.people.store).set_answer(by, AGENT, UnknownAnswer.ASK)
    return minted.secret


def _program_directory(paths: ConfigPaths) -> str:
    directory = os.path.join(make_private_directory(paths.data), "hook")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    return directory


def _program_file(paths: ConfigPaths, name: str) -> str:
    return os.path.join(paths.data, "hook", name)


def _program_source(name: str) -> str:
    """The text of a program of the package."""
    here = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
    with open(os.path.join(here, "hosts", "hook", name), encoding="utf-8") as file:
        return file.read()


def _python_interpreter() -> str:
    """The interpreter that this environment is based on, which stays if the environment is removed."""
    base = str(getattr(sys, "_base_executable", ""))
    return base if os.access(base, os.X_OK) else sys.executable
