"""`write_file`: a whole file at once, or not at all."""

import os
import secrets
import stat

from assent.config.opening import parent_of
from assent.gate.ports import Preview
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.diff import Change, current
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.reach import faults, reach, shown
from assent.hosts.chat.belt.threads import FILES
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

_PARAMETERS = schema.record(
    {
        "path": schema.text("The file, from the current directory.", minLength=1),
        "content": schema.text("What the file will hold, all of it."),
    }
)


def write_file() -> BeltTool:
    """The tool that writes a file of the workspace."""
    description = "Write a text file of the workspace, replacing what it held; directories are made."
    return BeltTool(tool=belt_tool("write_file", description, _PARAMETERS), work=_write, dry_run=_preview)


def replace_file(path: str, name: str, content: bytes) -> None:
    """Put a file in place in one step, with the mode of the one it replaces; nobody sees half of it."""
    with faults(name), parent_of(path, create=True) as (directory, last):
        mode = _mode_of(last, directory, name)
        draft = f".{last[:100]}.{secrets.token_hex(8)}"
        descriptor = os.open(
            draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=directory
        )
        try:
            with os.fdopen(descriptor, "wb") as file:
                if mode is not None:
                    os.fchmod(descriptor, mode)
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            os.replace(draft, last, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            os.unlink(draft, dir_fd=directory)
            raise


async def _write(args: Arguments, context: Context) -> Result:
    path, change = await _drafted(args, context)
    await FILES.run(replace_file, path, change.name, change.after.encode("utf-8"))
    told = change.preview()
    return Result(text=f"done: {told.summary}", data={"path": change.name, "diff": told.details["diff"]})


async def _preview(args: Arguments, context: Context) -> Preview:
    _, change = await _drafted(args, context)
    return change.preview()


async def _drafted(args: Arguments, context: Context) -> tuple[str, Change]:
    path = reach(args.text("path"), context)
    name = shown(path, context)
    content = args.text("content")
    try:
        size = len(content.encode("utf-8"))
    except UnicodeEncodeError:
        raise FaultError("`content` holds characters that cannot be written") from None
    if size > context.limits.file_bytes:
        raise FaultError(f"`content` is larger than {context.limits.file_bytes:,} bytes")
    before = await FILES.run(current, path, name, context.limits.file_bytes)
    return path, Change(name=name, before=before, after=content)


def _mode_of(name: str, directory: int, shown_as: str) -> int | None:
    """The mode of a file that is there; anything but a regular file is not replaced."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise FaultError(f"`{shown_as}` is not a regular file, so it is not replaced")
    return stat.S_IMODE(status.st_mode)
