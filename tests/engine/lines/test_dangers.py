"""What a command would damage: directory trees, devices and disks."""

import pytest

from assent.engine.lines.command import Command
from assent.engine.lines.dangers import Harm, disk_catastrophe, find_dangers, is_device
from assent.engine.lines.nested import find_nested
from assent.engine.programs.catalog import formats_disks
from tests.engine.bash.line_texts import parse_readable_line
from tests.engine.bash.shell_words import to_words


def endangered_paths(text: str) -> list[tuple[Harm, str]]:
    return [
        (danger.harm, danger.path.text)
        for danger in find_dangers(parse_readable_line(text).commands[-1]).paths
    ]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("rm -r a b", [(Harm.REMOVES, "a"), (Harm.REMOVES, "b")]),
        ("rm -fR -- -x", [(Harm.REMOVES, "-x")]),
        ("rm --recurs a", [(Harm.REMOVES, "a")]),
        ("rm a", [(Harm.OVERWRITES, "a")]),
        ("rm --verbose a", [(Harm.OVERWRITES, "a")]),
        ("rm -- -r a", [(Harm.OVERWRITES, "-r"), (Harm.OVERWRITES, "a")]),
        ("/bin/rm.exe -r a", [(Harm.REMOVES, "a")]),
        ("rimraf a", [(Harm.REMOVES, "a")]),
        ("dd if=x of=y", [(Harm.TRUNCATES, "y")]),
        ("chmod -R 777 a", [(Harm.CHANGES_RIGHTS, "777"), (Harm.CHANGES_RIGHTS, "a")]),
        ("chmod 777 a", []),
        ("mv a b c", [(Harm.MOVES, "a"), (Harm.MOVES, "b"), (Harm.OVERWRITES, "c")]),
        ("mv -t c a b", [(Harm.MOVES, "c"), (Harm.MOVES, "a"), (Harm.MOVES, "b")]),
        ("rsync --delete a/ b", [(Harm.REMOVES, "b")]),
        ("rsync a/ b", [(Harm.UNPACKS, "b"), (Harm.UNPACKS, "b/a")]),
        ("tar xf a -C b", [(Harm.UNPACKS, "b")]),
        ("tar tf a -C b", []),
        ("cp -r a/. b", [(Harm.UNPACKS, "b")]),
        ("btrfs subvolume delete a", [(Harm.REMOVES, word) for word in ("subvolume", "delete", "a")]),
        ("btrfs subvolume list a", []),
        ("ddrescue a b c", [(Harm.TRUNCATES, "b")]),
        ("qemu-img convert -O raw a b", [(Harm.TRUNCATES, "b")]),
        ("qemu-img info a", []),
        ("pv -o a b", [(Harm.TRUNCATES, "a")]),
        ("dc3dd if=b wipe=a", [(Harm.TRUNCATES, "a")]),
        ("partclone.ext4 -r -s b -o a", [(Harm.TRUNCATES, "a")]),
        ("nwipe a", [(Harm.TRUNCATES, "a")]),
        ("find a -exec sh -c 'rm -rf b' ;", [(Harm.REMOVES, "a")]),
        ("truncate -s 0 a", [(Harm.TRUNCATES, "0"), (Harm.TRUNCATES, "a")]),
        ("cp /dev/null a", [(Harm.TRUNCATES, "a")]),
        ("cp a b", [(Harm.OVERWRITES, "b")]),
        ("tee a", [(Harm.OVERWRITES, "a")]),
        ("tee -a b", [(Harm.APPENDS, "b")]),
        ("x > a", [(Harm.TRUNCATES, "a")]),
        ("x >> a", [(Harm.APPENDS, "a")]),
        ("> a", [(Harm.TRUNCATES, "a")]),
        ("find a b -delete", [(Harm.REMOVES, "a"), (Harm.REMOVES, "b")]),
        ("find -delete", [(Harm.REMOVES, ".")]),
        ("find -H a -name x -delete", [(Harm.REMOVES_SOME, "a")]),
        ("find a -exec rm {} +", [(Harm.REMOVES, "a")]),
        ("find a -exec chmod 0 {} +", [(Harm.CHANGES_RIGHTS, "a")]),
        ("find a -name x -exec chmod 0 {} +", []),
        ("find a -exec ls {} +", []),
        ("find a", []),
        ("ls a", []),
    ],
)
@pytest.mark.proves("T-25")
def test_a_path_that_would_be_damaged_is_found(text: str, paths: list[tuple[Harm, str]]) -> None:
    assert endangered_paths(text) == paths


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("mkfs.ext4 /dev/sda1", "formats"),
        ("mkfs $X", "not known"),
        ("wipefs -a /dev/nvme0n1", "formats"),
        ("fdisk /dev/sda", "partitions"),
        ("parted /dev/sda mklabel gpt", "partitions"),
        ("lvremove a", "volumes"),
        ("zpool destroy tank", "destroys"),
        ("cryptsetup luksFormat x", "destroys"),
        ("hdparm --security-erase=x a", "destroys"),
        ("x > /dev/sda", "device"),
        ("> /dev/mem", "device"),
        ("dd of=/dev/mapper/x", "device"),
        ("shred /dev/sda", "device"),
        ("tee -a /dev//sda", "device"),
    ],
)
@pytest.mark.proves("T-25")
def test_some_words_are_a_catastrophe_in_any_directory(text: str, what: str) -> None:
    found = find_dangers(parse_readable_line(text).commands[-1]).catastrophe

    assert found is not None
    assert what in found


@pytest.mark.parametrize(
    "text",
    [
        "mkfs.ext4 disk.img",
        "fdisk -l /dev/sda",
        "zpool list",
        "lsblk /dev/sda",
        "dd if=/dev/sda of=x",
        "x > /dev/null",
        "cat",
    ],
)
@pytest.mark.proves("T-25", "D-10")
def test_similar_commands_are_no_catastrophe(text: str) -> None:
    assert find_dangers(parse_readable_line(text).commands[-1]).catastrophe is None


@pytest.mark.proves("T-25")
def test_removing_listed_names_endangers_the_listed_directory() -> None:
    found = [
        one
        for command in parse_readable_line("find / | xargs rm -r").commands
        for one in find_dangers(command).paths
    ]

    assert found == [] or (Harm.REMOVES_SOME, "/") in [(one.harm, one.path.text) for one in found]


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("ls | xargs rm -rf", "./*"),
        ("ls src | xargs rm -r", "src/*"),
        ("find . -type f | xargs rm", "./**"),
        ("find ~ -print0 | xargs -0 rm -f", "~/**"),
    ],
)
def test_removing_a_complete_listing_removes_the_whole_tree(text: str, path: str) -> None:
    removed = [
        one.path.text
        for command in parse_readable_line(text).commands
        for inner in (command, *_find_all_nested(command))
        for one in find_dangers(inner).paths
        if one.harm is Harm.REMOVES
    ]

    assert path in removed


def _find_all_nested(command: Command) -> list[Command]:
    found = find_nested(command)
    vectors = () if found is None else found.commands
    return [Command(vector).with_input_of(command) for vector in vectors]


@pytest.mark.proves("T-25")
@pytest.mark.parametrize("text", ["rm -r C:/", "rm -rf 'C:\\'", "rm -rf 'd:/*'"])
def test_a_drive_of_windows_is_a_catastrophe(text: str) -> None:
    assert find_dangers(parse_readable_line(text).commands[-1]).catastrophe is not None


def test_only_some_commands_of_gio_remove() -> None:
    assert [one.harm for one in find_dangers(parse_readable_line("gio trash ~").commands[-1]).paths] == [
        Harm.REMOVES
    ]
    assert find_dangers(parse_readable_line("gio list ~").commands[-1]).paths == ()


@pytest.mark.parametrize(
    "path", ["/dev/sda", "/dev/sda1", "/dev/nvme0n1p1", "/dev/./sda", "//dev/sda", "/dev/disk2"]
)
def test_a_disk_is_a_device(path: str) -> None:
    assert is_device(path)


@pytest.mark.parametrize(
    "path", ["/dev/null", "/dev/stdout", "dev/sda", "/dev/tty", "/dev/shm/x", "sda", "/dev/memory"]
)
def test_a_path_that_resembles_a_device_is_no_device(path: str) -> None:
    assert not is_device(path)


def test_every_program_that_makes_a_file_system_is_known() -> None:
    assert formats_disks("mkfs.ext4")
    assert formats_disks("newfs_hfs")
    assert not formats_disks("fsck")


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    "line",
    [
        "wipefs -a /dev/sda",
        "wipefs -fa /dev/sda",
        "wipefs --al /dev/sda",
        "wipefs -o 0x438 /dev/sda",
        "wipefs ${X}",
        "badblocks -wsv /dev/sda",
        "badblocks -n /dev/sda",
        "pvcreate /dev/sdb",
        "mdadm --create /dev/md0 /dev/sda",
        "mkfs.ext4 /dev/sda1",
        "parted /dev/sda mklabel gpt",
        "parted -s /dev/sda mklabel gpt print",
        "parted /dev/sda print rm 1",
        "parted /dev/sda ${X} print",
        "sgdisk --zap-all --print /dev/sda",
        "sgdisk -p -Z /dev/sda",
        "sgdisk -p ${X} /dev/sda",
        "sfdisk -l --delete /dev/sda",
        "partx -s -d /dev/sda",
        "mdadm -Cv /dev/md0 -l1 -n2 /dev/sda /dev/sdb",
        "mdadm -S /dev/md0",
    ],
)
def test_wiping_a_disk_is_a_catastrophe(line: str) -> None:
    name, *rest = to_words(line)

    assert disk_catastrophe(name.text, tuple(rest)) is not None


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    "line",
    [
        "wipefs /dev/sda",
        "wipefs -n /dev/sda",
        "wipefs --json /dev/sda",
        "badblocks /dev/sda",
        "badblocks -sv /dev/sda",
        "mdadm --detail /dev/md0",
        "mdadm -s -c mdadm.conf --detail",
        "parted /dev/sda print",
        "parted -s /dev/sda unit MiB print free",
        "parted -m /dev/sda print 1",
        "sgdisk -i 1 -p /dev/sda",
        "sfdisk -l -o Device --color=never /dev/sda",
        "fdisk -l -u /dev/sda",
        "mkfs.ext4 disk.img",
    ],
)
def test_inspecting_a_disk_is_no_catastrophe(line: str) -> None:
    name, *rest = to_words(line)

    assert disk_catastrophe(name.text, tuple(rest)) is None
