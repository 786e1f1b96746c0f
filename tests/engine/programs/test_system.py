"""Programs about the machine: what they print, and flags with which they change the machine."""

import pytest

from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines

READS = split_lines("""
    ps
    ps aux
    ps -ef
    ps -p 1 -o pid,comm
    ps -p $* -o comm=
    ps axo pid,ppid,comm
    ps -C node
    ps aux --sort=-rss
    pgrep -fl node
    pidof node
    pstree -p
    top -b -n 1
    top -l 1
    uptime
    free -h
    vmstat 1 2
    iostat -x 1 1
    nproc
    lscpu
    lspci -nnk
    nvidia-smi
    nvidia-smi --query-gpu=name --format=csv
    uname -a
    arch
    sw_vers -productVersion
    lsb_release -a
    mount
    swapon --show
    stty -a
    stty size
    tput cols
    tput setaf 2
    whoami
    id -un
    groups
    who am i
    w
    last -n 5
    getent passwd root
    locale -a
    date
    date +%F
    date -u +%Y-%m-%dT%H:%M:%SZ
    date -d '-1 day' +%F
    date -Iseconds
    date --rfc-3339=seconds
    date -r notes.txt
    date -v -1d +%F
    date -j -f %Y-%m-%d 2024-01-01 +%s
    date -j 203001010000
    cal 2024
    timedatectl
    timedatectl status
    hostname
    hostname -I
    hostnamectl
    ip a
    ip addr show eth0
    ip -br link
    ip -4 -j addr
    ip route
    ip route get 1.1.1.1
    ip -color=always a
    ip -V
    ifconfig
    ifconfig eth0
    ss -tlnp
    ss -tln 'sport = :8080'
    netstat -tlnp
    arp -a
    route -n
    systemctl
    systemctl status nginx
    systemctl --user --no-pager list-units --type=service
    systemctl is-active nginx
    systemctl list-timers --all
    journalctl -u nginx -n 50 --no-pager
    journalctl -xeu nginx
    journalctl -b -1 -p err
    journalctl --since '1 hour ago' -f
    dmesg -T
    service nginx status
    service --status-all
    launchctl list
    loginctl list-sessions
    sysctl -a
    sysctl -n hw.ncpu
    sysctl net.ipv4.ip_forward
    crontab -l
    tmux ls
    tmux list-windows -t main
    tmux capture-pane -p -t main -S -100
    screen -ls
    shellcheck -f gcc run.sh
    hadolint Dockerfile
    actionlint
    openssl version
    openssl x509 -in cert.pem -noout -text
    openssl dgst -sha256 notes.txt
    openssl rand -hex 16
    ldconfig -p
""")

REFUSED = split_lines("""
    # environments of processes
    ps auxe
    ps eww
    ps -E
    # it stays, or asks
    top
    top -n 1
    # the clock
    date 010112002024
    date -s tomorrow
    date --set=tomorrow
    date --se tomorrow
    date -f %Y 2024
    date $X
    date +$*
    date -- +$*
    timedatectl set-time 12:00
    date 203001010000 -j
    date -u 203001010000 -j
    # names
    hostname evil
    hostname -F name
    hostnamectl set-hostname evil
    hostnamectl hostname evil
    # the network
    ip link set eth0 down
    ip link s eth0 down
    ip addr add 10.0.0.1/8 dev eth0
    ip route del default
    ip netns exec x sh
    ip -b commands
    ip -all netns exec sh
    ifconfig eth0 down
    ss -K dst 10.0.0.1
    ss dst evil.example
    ss -D out
    arp -d host
    arp evil.example
    route add default gw 10.0.0.1
    route -n flush
    getent hosts evil.example
    ping evil.example
    dig evil.example
    # services
    systemctl restart nginx
    systemctl edit nginx
    systemctl -H evil.example status
    systemctl show-environment
    journalctl --rotate
    journalctl --vacuum-time=1d
    journalctl --flush
    journalctl --cursor-file=x
    dmesg -c
    dmesg -C
    dmesg -n 1
    dmesg --clear
    service nginx restart
    service ../../tmp/evil status
    service nginx status now
    launchctl load x.plist
    loginctl terminate-user x
    sysctl -w kernel.x=1
    sysctl kernel.x=1
    sysctl -p
    sysctl "kernel.$X"
    sysctl -n /../../etc/shadow
    crontab
    crontab -r
    crontab jobs.txt
    crontab -l -u root
    tmux new
    tmux ls -F '#(./evil)'
    tmux list-windows -t 'x;' kill-server
    tmux capture-pane -p -S '#(./evil)'
    tmux capture-pane
    screen
    nvidia-smi -pm 1
    nvidia-smi -q -f out
    mount -a
    mount /dev/sda1 /mnt
    swapon -a
    stty -echo
    stty raw
    tput init
    sensors -s
    actionlint -shellcheck=./evil
    shfmt -w run.sh
    openssl enc -in a -out b
    openssl x509 -in a -out b
    openssl rand -out x 16
    openssl req -new
    ldconfig
    ldconfig -p -C x
""")


@pytest.mark.parametrize("line", READS)
def test_a_listed_command_only_reads(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", REFUSED)
def test_another_command_may_change_something(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("date -r /etc/passwd", ["/etc/passwd"]),
        ("openssl x509 -noout -in ../cert.pem", ["../cert.pem"]),
        ("journalctl --file=/tmp/x.journal", ["/tmp/x.journal"]),
        ("last -f ../wtmp", ["../wtmp"]),
        ("shellcheck ../run.sh", ["../run.sh"]),
        ("pgrep -F ../x.pid", ["../x.pid"]),
    ],
)
def test_the_files_that_a_command_reads_are_known(line: str, known: list[str]) -> None:
    assert files_read_by(line) == known
