"""The hook process: sends an event of Claude Code to the server, prints the reply, and exits with its status.

The client lets a call run when its hook fails in any way but exit status 2. So everything that is not a
complete reply ends with status 2 and a sentence. The file runs alone, as `python -I -S process.py`, and
imports only what loads fastest, because the client starts it for every call.
"""

import _socket
import os
import sys

TYPE_CHECKING = False  # as in the module `typing`, which takes long to load
if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = "1"
DEFER_HEADER = "Assent-Defer: 1\r\n"
"""States that the client can end while a person is asked, and be resumed."""
SILENCE_SECONDS = 30.0
"""Seconds without a byte from the server after which the connection counts as lost."""
ATTACH_SECONDS = 60.0
"""Seconds in which a lost connection can be replaced while a person is asked."""
LIMIT_SECONDS = 9.5 * 60 * 60
"""Seconds after which the process gives up; shorter than the `timeout` in the client's settings."""
_POLL_SECONDS = 1.0
_RETRY_SECONDS = 0.3
_BLOCKED = 2
_EXIT_STATUSES = (b"0", b"2")
"""The client would let a call run after any other status."""
_MAX_REPLY_BYTES = 64_000_000
NO_FALLBACK = "none"
"""With this fallback the caller of `main` gets `ServerUnreachable`, and decides the call itself."""
_ASK = b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Assent cannot be reached, so you are asked here"}}\n'  # noqa: E501 - it is printed as it is
_PROBLEMS = {
    b"401": "the server refuses the token; run `assent hook install` again",
    b"403": "the server refuses this agent; run `assent hook install` again",
    b"404": "the server has no such hook; is it an older version?",
    b"413": "the event is larger than the server accepts",
    b"503": "the server is overloaded; try again in a moment",
}


class ConnectionLost(Exception):
    """The connection broke or stayed silent."""


class ServerUnreachable(ConnectionLost):
    """No server accepts the connection."""


class HookFailure(Exception):
    """No reply is possible; the message is for the person and the model."""


class Hook:
    """One event and the conversation with the server about it."""

    def __init__(self, address: str, token: str, limit: float, *, defers: bool = False) -> None:
        self._address = address
        self._token = token
        self._deadline = monotonic_seconds() + limit
        self._nonce = os.urandom(16).hex()
        self._parents = parent_process_ids()
        self._defers = defers and is_headless_client(self._parents[1])
        self._waiting = ""
        """The id of the question, once a person is asked."""

    def run(self, event: bytes) -> "tuple[bytes, bytes, int]":
        """Send the event; return what to print and the exit status."""
        try:
            return self._receive_reply(self._send("/v1/hooks/claude", event))
        except ConnectionLost:
            if not self._waiting:
                raise
        until = monotonic_seconds() + ATTACH_SECONDS
        while monotonic_seconds() < until:
            try:
                reply = self._receive_reply(self._send(f"/v1/hooks/claude/{self._waiting}/wait", b""))
            except ConnectionLost as error:
                if error.args[:1] == ("after a sign of life",):
                    until = monotonic_seconds() + ATTACH_SECONDS
                self._wait_before_retry()
                continue
            return reply
        raise HookFailure("the server was lost while a person was asked")

    def withdraw(self) -> None:
        """Withdraw the question, because nobody waits for its answer."""
        if self._waiting:
            connection = self._send(f"/v1/calls/{self._waiting}/withdraw", b"{}")
            connection.settimeout(_POLL_SECONDS)
            connection.recv(1)

    def _send(self, path: str, body: bytes) -> "_socket.socket":
        kind, _, address = self._address.partition(":")
        host, base = "localhost", ""
        try:
            if kind == "unix":
                connection = connect_local(address)
            else:
                host, _, base = address.strip("/").partition("/")
                connection = connect_remote(host)
        except OSError as error:
            raise ServerUnreachable(error.strerror or "no server") from None
        path = f"/{base}{path}" if base else path
        head = (
            f"POST {path} HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f"Assent-Hook: {VERSION}\r\nAssent-Nonce: {self._nonce}\r\n"
            f"{DEFER_HEADER if self._defers else ''}\r\n"
        )
        try:
            connection.settimeout(SILENCE_SECONDS)
            connection.sendall(head.encode("latin-1") + body)
        except OSError:
            pass  # The server may have refused the body; its reply says why.
        connection.settimeout(_POLL_SECONDS)
        return connection

    def _receive_reply(self, connection: "_socket.socket") -> "tuple[bytes, bytes, int]":
        """Read a reply to its end, and close the connection."""
        try:
            return self._read_reply(connection)
        finally:
            connection.close()

    def _read_reply(self, connection: "_socket.socket") -> "tuple[bytes, bytes, int]":
        data, seen, out, err = b"", False, b"", b""
        for chunk in self._receive_chunks(connection):
            data += chunk
            if not seen:
                head, found, rest = data.partition(b"\r\n\r\n")
                if not found:
                    continue
                self._check_status(head)
                seen, data = True, rest
            *lines, data = data.split(b"\n")
            for line in lines:
                word, _, rest = line.partition(b" ")
                if word == b"waiting":
                    self._waiting = rest.decode("ascii", "replace")
                    if not self._waiting.isalnum():
                        raise HookFailure("the server sent an id that is none")
                elif word == b"out":
                    out += rest + b"\n"
                elif word == b"err":
                    err += rest + b"\n"
                elif word == b"exit":
                    if rest not in _EXIT_STATUSES:
                        raise HookFailure("the server sent an exit status that is unknown")
                    return out, err, int(rest)
                elif word != b"alive":
                    raise HookFailure("the server sent a line that is unknown")
        raise ConnectionLost("after a sign of life" if seen else "before one")

    def _check_status(self, head: bytes) -> None:
        """Raise an error for every status but 200; a server that starts or stops is lost for a while only."""
        words = head.split(b"\r\n", 1)[0].split(b" ")
        status = words[1] if len(words) > 1 else b"none"
        if status == b"503" and self._waiting:
            raise ConnectionLost("the server is busy")
        if status != b"200":
            problem = _PROBLEMS.get(status)
            shown = status.decode("ascii", "replace")
            raise HookFailure(problem or f"the server answers with the status {shown}")

    def _receive_chunks(self, connection: "_socket.socket") -> "Iterator[bytes]":
        """Yield the bytes of a reply; raise an error after the time limit or if a parent process ended."""
        quiet, size = monotonic_seconds(), 0
        while True:
            if monotonic_seconds() > self._deadline:
                raise HookFailure("nobody answered within the time limit of the hook")
            if parent_process_ids() != self._parents:
                raise HookFailure("the program that asked is gone")
            try:
                chunk = connection.recv(65536)
            except TimeoutError:
                if monotonic_seconds() - quiet > SILENCE_SECONDS:
                    return
                continue
            except OSError:
                return
            quiet, size = monotonic_seconds(), size + len(chunk)
            if not chunk or size > _MAX_REPLY_BYTES:
                return
            yield chunk

    def _wait_before_retry(self) -> None:
        """Wait a moment before the next try, by reading from a socket that nobody writes to."""
        if monotonic_seconds() > self._deadline or parent_process_ids() != self._parents:
            raise HookFailure("nobody waits for the answer any more")
        one, other = _socket.socketpair()
        one.settimeout(_RETRY_SECONDS)
        try:  # noqa: SIM105 - contextlib takes long to load
            one.recv(1)
        except TimeoutError:
            pass
        one.close()
        other.close()


def monotonic_seconds() -> float:
    """Monotonic time in seconds."""
    return os.times().elapsed


def parent_process_ids() -> "tuple[int, bytes]":
    """The ids of the parent process and of its parent, because the client starts the hook through a shell."""
    parent = os.getppid()
    try:
        with open(f"/proc/{parent}/stat", "rb") as file:
            # The name of the program may contain anything, also parentheses.
            return parent, file.read().rpartition(b")")[2].split()[1]
    except (OSError, IndexError):
        return parent, b""


def is_headless_client(process: bytes) -> bool:
    """Whether the client was started with `-p`; one at a terminal ignores a reply that defers a call."""
    try:
        with open(b"/proc/" + process + b"/cmdline", "rb") as file:
            words = file.read().partition(b"\0--\0")[0].split(b"\0")
    except OSError:
        return False
    return b"-p" in words or b"--print" in words


def connect_local(path: str) -> "_socket.socket":
    """Connect to the server's socket of the same user."""
    directory, _, name = path.rpartition("/")
    # A path in a socket's address has at most about 100 characters, so the last name is used alone.
    os.chdir(directory)
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(SILENCE_SECONDS)
    connection.connect(name)
    owner = os.stat(name).st_uid
    if hasattr(_socket, "SO_PEERCRED"):
        found = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        owner = int.from_bytes(found[4:8], sys.byteorder)
    if owner != os.getuid():
        raise HookFailure("the server's socket belongs to another user")
    return connection


def connect_remote(address: str) -> "_socket.socket":
    """Connect to a server by its host and port, without encryption."""
    host, _, port = address.rpartition(":")
    family = _socket.AF_INET6 if ":" in host else _socket.AF_INET
    connection = _socket.socket(family, _socket.SOCK_STREAM)
    connection.settimeout(SILENCE_SECONDS)
    connection.connect((host.strip("[]"), int(port)))
    return connection


def read_token(path: str) -> str:
    """The token in a file that only its owner can read."""
    with open(path, encoding="ascii") as file:
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise HookFailure(
                "other users can read the token file of the hook; run `assent hook install` again"
            )
        return file.read().strip()


def read_event() -> bytes:
    """The event on standard input."""
    event = sys.stdin.buffer.read()
    if not event:
        raise HookFailure("there is no event on its standard input")
    return event


def finish(out: bytes, err: bytes, status: int) -> int:
    """Print a reply; return its exit status."""
    sys.stdout.buffer.write(out)
    sys.stdout.flush()
    sys.stderr.buffer.write(err)
    sys.stderr.flush()
    return status


def default_arguments(arguments: "list[str]") -> "list[str]":
    """The arguments of a hook that a project shares: each user has a server and a token of their own."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    more = arguments[1:] if arguments[:1] == ["--fallback"] and len(arguments) > 1 else ["deny"]
    return [f"unix:{data}/assent/assent.sock", f"{data}/assent/hook/claude.token", *more]


def main(arguments: "list[str]", event: bytes = b"") -> int:
    """Handle an event, by default the one on standard input; return the exit status of the process.

    The arguments are `ADDRESS TOKEN_FILE [FALLBACK [LIMIT]] [defer]`, or `[--fallback FALLBACK [defer]]`.
    """
    hook = None
    if len(arguments) < 2 or arguments[0] == "--fallback":
        arguments = default_arguments(arguments)
    defers = arguments[-1:] == ["defer"]
    arguments = arguments[:-1] if defers else arguments
    fallback = arguments[2] if len(arguments) > 2 else "deny"
    try:
        limit = float(arguments[3]) if len(arguments) > 3 else LIMIT_SECONDS
        event = event or read_event()
        hook = Hook(arguments[0], read_token(arguments[1]), limit, defers=defers)
        return finish(*hook.run(event))
    except ServerUnreachable as error:
        if fallback == NO_FALLBACK:
            raise
        if fallback == "ask":
            return finish(_ASK, b"", 0)
        problem = f"Assent cannot be reached ({error}); start it with `assent serve`"
    except ConnectionLost:
        problem = "the reply of Assent was cut off"
    except HookFailure as error:
        problem = str(error)
    except BaseException as error:  # noqa: BLE001 - the edge: a failure must block the call
        problem = f"the hook failed ({type(error).__name__}: {error})"
    for act in (hook.withdraw if hook is not None else None, lambda: print_blocked(problem)):
        try:
            if act is not None:
                act()
        except BaseException:  # noqa: BLE001, S110 - the call is blocked anyway, and nobody may be there to read
            pass
    return _BLOCKED


def print_blocked(problem: str) -> None:
    """Tell the person and the model why the call is blocked."""
    sys.stderr.write(f"assent: this call is blocked: {problem}\n")
    sys.stderr.flush()


def run() -> None:
    """Run as a program; the process ends at once, because all output is written."""
    os._exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
