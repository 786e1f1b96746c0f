"""Tools that format, partition and wipe disks."""

import pytest

from assent.engine.lines.disks import is_device, on_disk
from assent.engine.programs.catalog import formats_disks
from tests.engine.bash.spelled import words


@pytest.mark.parametrize(
    "path", ["/dev/sda", "/dev/sda1", "/dev/nvme0n1p1", "/dev/./sda", "//dev/sda", "/dev/disk2"]
)
def test_a_disk_is_a_device(path: str) -> None:
    assert is_device(path)


@pytest.mark.parametrize(
    "path", ["/dev/null", "/dev/stdout", "dev/sda", "/dev/tty", "/dev/shm/x", "sda", "/dev/memory"]
)
def test_what_only_sounds_like_one_is_none(path: str) -> None:
    assert not is_device(path)


def test_every_kind_of_file_system_has_a_program_of_its_own() -> None:
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
def test_what_wipes_a_disk_is_a_catastrophe(line: str) -> None:
    name, *rest = words(line)

    assert on_disk(name.text, tuple(rest)) is not None


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
def test_what_only_looks_at_one_is_none(line: str) -> None:
    name, *rest = words(line)

    assert on_disk(name.text, tuple(rest)) is None
