#!/bin/sh
# The hook process as a shell script: ADDRESS TOKEN_FILE [FALLBACK [LIMIT]] [defer].
# It sends an event of Claude Code to the server with Perl or curl, and prints and ends as the server says.
# Everything that is not a complete reply ends with status 2, because the client lets a call run otherwise.
# The token file has a complete header, so that the token is on no command line.
address=${1-} token=${2-} fallback=${3-deny} limit=${4-34200} defer=
for last; do :; done
[ "${last-}" != defer ] || defer=yes
[ "$limit" != defer ] || limit=34200
question='' printed='' said='' refused='' perl=''

block() {
    printf 'assent: this call is blocked: %s\n' "$1" >&2
    exit 2
}

ask() {
    printf '%s\n' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Assent cannot be reached, so you are asked here"}}'
    exit 0
}

# No settings and no proxy of the user apply: a proxy could answer in place of the server.
# The line that curl's status ends with has no line break before it: a line that was cut stays incomplete.
send_with_curl() {
    curl -q -sSfN --noproxy '*' -X POST -m "$limit" --connect-timeout 30 --speed-time 30 --speed-limit 1 $local \
        -H "@$token" -H 'Content-Type: application/json' -H 'Assent-Hook: 1' -H "Assent-Nonce: $nonce" ${defer:+-H 'Assent-Defer: 1'} \
        --data-binary "$2" "$server$1" 2>/dev/null
    printf 'curl %s\n' $?
}

# Perl starts in a third of curl's time. This program makes the same request over the local socket, and ends
# with curl's statuses. With -T, no variable of the environment loads code.
perl_program='
my ($socket, $path, $token, $nonce, $defer, $limit, $body) = map { /(.*)/s } @ARGV;
my $end = time + $limit;
END { syswrite STDOUT, "curl $?\n" }
$SIG{ALRM} = sub { exit 28 };
$SIG{PIPE} = "IGNORE";
alarm($limit < 30 ? $limit : 30);
socket(my $server, 1, 1, 0) or exit 7;
connect($server, pack("S a*", 1, "$socket\0")) or exit 7;
my $peer = getsockopt($server, 1, 17) or exit 78;
(unpack "l3", $peer)[1] == $> or exit 78;
open(my $file, "<", $token) or exit 26;
(stat $file)[2] & 077 and exit 79;
chomp(my $credential = <$file> // exit 26);
binmode $_ for $server, *STDIN, *STDOUT;
if ($body eq "\@-") { local $/; $body = <STDIN> // "" }
my $request = join "\r\n", "POST $path HTTP/1.0", "Host: localhost", $credential, "Content-Type: application/json",
    "Content-Length: " . length $body, "Assent-Hook: 1", "Assent-Nonce: $nonce", $defer ? "Assent-Defer: 1" : (), "", $body;
for (my $at = 0; $at < length $request;) {
    $at += syswrite($server, $request, 65536, $at) || last;
    alarm 30;
}
alarm 0;
my ($head, $is_body) = ("");
while (1) {
    my $left = $end - time;
    my $ready = "";
    vec($ready, fileno $server, 1) = 1;
    $left > 0 && select($ready, undef, undef, $left < 30 ? $left : 30) > 0 or exit 28;
    my $size = sysread($server, my $data, 65536);
    $size or exit($is_body && defined $size ? 0 : 52);
    if (!$is_body) {
        $head .= $data;
        $head =~ /\r\n\r\n/ or length $head < 100_000 ? next : exit 22;
        $data = substr $head, $+[0];
        $head =~ /^HTTP\/1\.[01] 200[ \r]/ or exit 22;
        $is_body = 1;
    }
    for (my $at = 0; $at < length $data;) { $at += syswrite(STDOUT, $data, 65536, $at) || exit 23 }
}'

# Only in a subshell, because it becomes Perl.
send() {
    [ -n "$perl" ] || { send_with_curl "$@"; exit; }
    exec perl -Te "$perl_program" "$socket" "$1" "$token" "$nonce" "$defer" "$limit" "$2" 2>/dev/null
}

# Sets `client` to the process that started the hook; a shell of the client's own stands between them.
find_client() {
    client='' stat=''
    if IFS= read -r stat 2>/dev/null <"/proc/$PPID/stat"; then
        stat=${stat##*') '} stat=${stat#? }
        client=${stat%% *}
    elif [ ! -e /proc/self/stat ]; then
        client=$(ps -o ppid= -p "$PPID" 2>/dev/null)
    fi
}

# An answer must not reach a hook whose client is gone, so the hook takes its question back.
check_client() {
    find_client
    [ "$client" != "$first_client" ] || return 0
    (send "/v1/calls/$question/withdraw" '{}') >/dev/null
    block 'the program that asked is gone'
}

listen() {
    failure='the reply of Assent was cut off'
    while IFS= read -r line; do
        case $line in
        'exit 0' | 'exit 2')
            [ -z "$printed" ] || printf '%s' "$printed"
            [ -z "$said" ] || printf '%s' "$said" >&2
            exit "${line#exit }" ;;
        'waiting '*) question=${line#waiting } ;;
        'out '*) printed=$printed${line#out }$newline ;;
        'err '*) said=$said${line#err }$newline ;;
        'alive '*) check_client ;;
        'curl 7')
            [ -n "$question" ] || [ "$fallback" != ask ] || ask
            failure='Assent cannot be reached; start it with `assent serve`' ;;
        'curl 22') failure='the server refuses the event; see: assent hook status' refused=yes ;;
        'curl 28') failure='the server does not answer' ;;
        'curl 78') failure="the server's socket belongs to another user" refused=yes ;;
        'curl 79') failure='other users can read the token file of the hook; run `assent hook install` again' refused=yes ;;
        'curl '*) ;;
        *'curl '[0-9]*) failure='the reply of Assent was cut off' ;;
        *) block 'the server sent a line that is unknown' ;;
        esac
    done
}

# An open question goes on after the connection was lost: 75 is a lost one, 76 one that was there for a while.
attach() {
    question=''
    listen
    [ -z "$refused" ] || block "$failure"
    [ -z "$question" ] && exit 75
    exit 76
}

follow() {
    listen
    [ -n "$question" ] && [ -z "$refused" ] || block "$failure"
    tries=0
    while [ $tries -lt 120 ]; do
        sleep 0.5
        check_client
        send "/v1/hooks/claude/$question/wait" '' | attach
        status=$?
        case $status in
        75) tries=$((tries + 1)) ;;
        76) tries=0 ;;
        *) exit $status ;;
        esac
    done
    block 'the server was lost while a person was asked'
}

newline='
'
# With a closed standard input, curl would read from the pipe that it writes to, and wait for ever.
{ true 3<&0; } 2>/dev/null || block 'there is no event on its standard input'
case $address in
unix:*)
    path=${address#unix:}
    cd "${path%/*}" 2>/dev/null || { [ "$fallback" != ask ] || ask; block 'the directory of the server is missing'; }
    # curl cannot check who listens, so the directory must belong to this user.
    [ -O . ] || block "the directory of the server's socket belongs to another user"
    socket=${path##*/} local="--unix-socket ${path##*/}" server=http://localhost
    # Elsewhere, Perl would need a module for the address of a socket.
    [ ! -e /proc/self/stat ] || ! command -v perl >/dev/null || perl=perl ;;
*) local='' server=${address%/} ;;
esac
[ -r "$token" ] || block 'the token of the hook is missing; run `assent hook install` again'
[ -n "$perl" ] || command -v curl >/dev/null 2>&1 || block 'neither perl nor curl is installed'
read -r nonce </proc/sys/kernel/random/uuid 2>/dev/null || nonce=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
find_client
first_client=$client
# Only a client that was started with `-p` can end and be resumed; one at a terminal ignores such a reply.
[ -z "$defer" ] || tr '\0' '\n' <"/proc/$client/cmdline" 2>/dev/null | sed '/^--$/,$d' | grep -qxe -p -e --print || defer=
send /v1/hooks/claude @- | follow
