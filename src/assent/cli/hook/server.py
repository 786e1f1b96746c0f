"""The files of a hook that asks a server: its program, its token, and its command for each event."""

import os
import shlex
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assent.client.local_server import LocalServer, find_local_server, write_private_file
from assent.config.files import make_private_directory
from assent.config.paths import ConfigPaths
from assent.engine.base.value import Value
from assent.errors import InputError
from assent.hosts.hook.claude import AGENT, SOCKET_FILE, TOKEN_FILE
from assent.hosts.hook.history import FILE_NAME as HISTORY_FILE
from assent.hosts.hook.settings import EVENT, SERVER_EVENTS, SHARED_PROGRAM, blocking_command

if TYPE_CHECKING:
    from assent.door.authentication import Authenticator
    from assent.gate.access import Principal

FALLBACKS = ("deny", "ask")
"""What happens to a call while the server cannot be reached."""
LOCAL_PROGRAM = "claude.py"
"""The program of a hook that was installed without a server."""
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
    """Whether the program is a shell script instead of Python."""
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
        directory = _program_directory(self.paths.data)
        if self.is_shell:
            write_private_file(_program_file(self.paths.data, "claude.sh"), _program_source("process.sh"))
        else:
            write_private_file(
                _program_file(self.paths.data, "assent_hook.py"), _program_source("process.py")
            )
            text = _LAUNCHER.format(directory=directory)
            write_private_file(_program_file(self.paths.data, "claude_server.py"), text)

    def _command_words(self, event: str) -> str:
        fallback = self.fallback if event == EVENT else FALLBACKS[0]
        more = ("defer",) if self.defers and event == EVENT else ()
        if self.is_shared:
            is_default = fallback == FALLBACKS[0] and not more
            return SHARED_PROGRAM if is_default else " ".join([SHARED_PROGRAM, "--fallback", fallback, *more])
        program = ["sh", _program_file(self.paths.data, "claude.sh")]
        token = _program_file(self.paths.data, "claude.header")
        if not self.is_shell:
            program = [_python_interpreter(), "-IS", _program_file(self.paths.data, "claude_server.py")]
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
    return os.path.join(paths.data, TOKEN_FILE)


def write_token(data: str, secret: str) -> None:
    """Write the token of the hook's agent: alone for Python, and as a header for the shell form."""
    _program_directory(data)
    write_private_file(os.path.join(data, TOKEN_FILE), secret + "\n")
    write_private_file(_program_file(data, "claude.header"), f"Authorization: Bearer {secret}\n")


def has_abandoned_socket(data: str) -> bool:
    """Whether the socket in a data directory is that of a server that ended without being stopped."""
    path = os.path.join(data, SOCKET_FILE)
    if not os.path.exists(path):
        return False
    handle = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    # The address of a socket has at most about 100 bytes.
    short = f"/proc/self/fd/{handle}/{SOCKET_FILE}"
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(_CONNECT_SECONDS)
            probe.connect(short if os.path.exists(short) else path)
    except OSError as error:
        return isinstance(error, ConnectionRefusedError)
    finally:
        os.close(handle)
    return False


def remove_abandoned_socket(data: str) -> None:
    """Remove the socket of a server that ended without being stopped, so that the hook decides by itself."""
    if has_abandoned_socket(data):
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(data, SOCKET_FILE))


async def create_agent_token(server: LocalServer) -> str:
    """Create a token for the agent of the hook, and let its calls of undeclared tools ask."""
    # Only here, because an installation without a server has none of these modules.
    from assent.cli.base.identities import open_identity_admin

    database = None if "://" in server.database else server.database
    async with open_identity_admin(database) as (authenticator, by):
        return await _new_agent_token(authenticator, by)


async def connect_local_hook(data: str, authenticator: "Authenticator", by: "Principal") -> bool:
    """Create the token of a hook that was installed without a server; whether that was needed."""
    # A token that is there may be revoked, and only a person replaces it.
    is_used = any(map(os.path.exists, (_program_file(data, LOCAL_PROGRAM), os.path.join(data, HISTORY_FILE))))
    if not is_used or os.path.exists(os.path.join(data, TOKEN_FILE)):
        return False
    write_token(data, await _new_agent_token(authenticator, by))
    return True


async def _new_agent_token(authenticator: "Authenticator", by: "Principal") -> str:
    from assent.gate.access import Kind
    from assent.gate.unknown_tools import UnknownAnswer, UnknownTools

    minted = await authenticator.new_token(
        Kind.AGENT, AGENT, by=by, on_behalf=by.id, label="the hook of Claude Code"
    )
    await UnknownTools(authenticator.people.store).set_answer(by, AGENT, UnknownAnswer.ASK)
    return minted.secret


def _program_directory(data: str) -> str:
    directory = os.path.join(make_private_directory(data), "hook")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    return directory


def _program_file(data: str, name: str) -> str:
    return os.path.join(data, "hook", name)


def _program_source(name: str) -> str:
    """The text of a program of the package."""
    here = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
    with open(os.path.join(here, "hosts", "hook", name), encoding="utf-8") as file:
        return file.read()


def _python_interpreter() -> str:
    """The interpreter that this environment is based on, which stays if the environment is removed."""
    base = str(getattr(sys, "_base_executable", ""))
    return base if os.access(base, os.X_OK) else sys.executable
