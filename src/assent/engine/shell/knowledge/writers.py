"""What everyday programs write and remove, by their options and operands."""

from enum import StrEnum
from typing import NamedTuple


class Target(StrEnum):
    """Which operands are changed."""

    EVERY = "every"
    """All of them."""
    REMOVED = "removed"
    """All of them are removed."""
    LAST = "last"
    """The last, or what lies in it; the others are read."""
    MOVED = "moved"
    """The last, or what lies in it; the others are removed."""
    FIRST = "first"
    """The first; the others are read."""
    SECOND = "second"
    """The second, where there is one; the first is read."""
    AFTER_FIRST = "after first"
    """All but the first: a mode, an owner, a script."""
    PACKED = "packed"
    """Each is replaced by a packed or unpacked one."""
    MEMBERS = "members"
    """All but the first, which is an archive, below the directory that `into` names."""
    NONE = "none"
    """None of them."""


class Writer(NamedTuple):
    """What a program changes; a `>` marks an option whose value is written."""

    options: str = ""
    target: Target = Target.EVERY
    into: str = ""
    """Options that name the directory where it writes, instead of the last operand."""
    only: str = ""
    """Options without one of which it changes no operand, and nothing is known of it."""
    quiet: str = ""
    """Options with which it changes no operand."""
    given: str = ""
    """Options that give what otherwise is the first operand."""
    keeps: str = ""
    """Options with which nothing is removed."""
    removing: str = ""
    """Options with which the operands that it reads, or writes, are removed, too."""
    here: bool = False
    """Without a directory named by `into`, it writes to the current one."""


_COPY_OPTIONS = (
    "-a --archive -b --backup? -d -f --force -i --interactive -H -l --link -L --dereference -n --no-clobber"
    " -P --no-dereference -p --preserve? --no-preserve= --parents -R -r --recursive --reflink?"
    " --remove-destination --sparse= --strip-trailing-slashes -s --symbolic-link -S= --suffix= -t="
    " --target-directory= -T --no-target-directory -u --update? -v --verbose -x --one-file-system -X -Z"
    " --context? -c -N --debug --attributes-only --copy-contents --keep-directory-symlink --exchange"
    " --no-copy"
)
_RSYNC_OPTIONS = (
    "-a --archive -A --acls -b --backup -c --checksum -C --cvs-exclude -d --dirs -D --devices --specials -E"
    " --executability -g --group -h --human-readable -H --hard-links -i --itemize-changes -I --ignore-times"
    " -J -k -K -l --links -L --copy-links -m --prune-empty-dirs -n --dry-run -o --owner -O -p --perms -P"
    " --partial --progress -q --quiet -r --recursive -R --relative -s -S --sparse -t --times -u --update -v"
    " --verbose -W --whole-file -x --one-file-system -X --xattrs -z --compress -y --fuzzy --delete"
    " --delete-before --delete-during --del --delete-delay --delete-after --delete-excluded --force"
    " --ignore-errors --ignore-existing --existing --inplace --append --append-verify --remove-source-files"
    " --numeric-ids --stats --size-only --safe-links --mkpath --no-perms --no-owner --no-group"
    " --delay-updates --partial-dir=> --backup-dir=> --log-file=> --write-batch=> --only-write-batch=> -T=>"
    " --temp-dir=> -e= --rsh= --rsync-path= --exclude= --include= --filter= -f= --files-from="
    " --exclude-from= --include-from= --bwlimit= --timeout= --chmod= --chown= --suffix= --max-size="
    " --min-size= --port= --info= --debug= --out-format= --compare-dest= --copy-dest= --link-dest="
    " --password-file= --log-file-format= -M= --remote-option= --usermap= --groupmap= -B= --block-size="
    " --modify-window= --iconv="
)
_COPY = Writer(_COPY_OPTIONS, Target.LAST, into="-t --target-directory")
_PACK_OPTIONS = (
    "-c --stdout --to-stdout -d --decompress --uncompress -f --force -k --keep -l --list -n --no-name -N"
    " --name -q --quiet -r --recursive -t --test -v --verbose -z --compress -e --extreme -S= --suffix= -T="
    " --threads= -NUM --fast --best --rsyncable --rm -M= --memlimit= -F= --format= -C= --check= --no-sparse"
    " --ultra --long? -o=> -b= --block-size="
)
_PACK = Writer(
    _PACK_OPTIONS, Target.PACKED, quiet="-c --stdout --to-stdout -l --list -t --test -o", keeps="-k --keep"
)
_ZSTD = _PACK._replace(keeps="-k --keep -z -d --compress --decompress -f -v -q -T --threads")
_RIGHTS = Writer(
    "-c --changes -f --silent --quiet -v --verbose -R --recursive -H -L -P -h --no-dereference"
    " --dereference --from= --preserve-root --no-preserve-root --reference= -n -x -E -N -C -a -i -I",
    Target.AFTER_FIRST,
    given="--reference",
)
_COMPILER = Writer("-o=> -MF=> -I= -L= -D= -l= -c -g -S -E -shared -static -pthread -* --*", Target.NONE)

WRITERS: dict[str, Writer] = {
    # What they run may write anything, but they do not write the file that they run.
    "source": Writer("-p=", Target.NONE),
    ".": Writer("-p=", Target.NONE),
    "tee": Writer("-a --append -i --ignore-interrupts -p --output-error?"),
    "sponge": Writer("-a"),
    "touch": Writer(
        "-a -c --no-create -d= --date= -f -h --no-dereference -m -r= --reference= -t= --time= -A="
    ),
    "mkdir": Writer("-m= --mode= -p --parents -v --verbose -Z --context?"),
    "mkfifo": Writer("-m= --mode= -Z --context?"),
    "mknod": Writer("-m= --mode= -Z --context?", Target.FIRST),
    "mktemp": Writer("-d --directory -u --dry-run -q --quiet --suffix= -p=> --tmpdir?> -t"),
    "truncate": Writer("-c --no-create -o --io-blocks -r= --reference= -s= --size="),
    "fallocate": Writer(
        "-c -d -i -n -p -v -x -z -o= --offset= -l= --length= --posix --dig-holes --punch-hole"
    ),
    "rm": Writer(
        "-d --dir -f --force -i -I -P -r -R --recursive -v --verbose -W -x --interactive? --one-file-system"
        " --no-preserve-root --preserve-root?",
        Target.REMOVED,
    ),
    "rmdir": Writer("-p --parents -v --verbose --ignore-fail-on-non-empty", Target.REMOVED),
    "unlink": Writer("", Target.REMOVED),
    "trash": Writer("-v -F -f -r -R -i", Target.REMOVED),
    "trash-put": Writer("-v -f -r -R -i -d", Target.REMOVED),
    "shred": Writer(
        "-f --force -n= --iterations= --random-source= -s= --size= -u --remove? -v --verbose -x --exact -z"
        " --zero",
        removing="-u --remove",
    ),
    "srm": Writer("-d -f -i -r -R -s -v -z", Target.REMOVED),
    "cp": _COPY,
    "gcp": _COPY,
    "ditto": Writer("-v -V -X -c -x -k -z -j", Target.LAST),
    "mv": _COPY._replace(target=Target.MOVED),
    "gmv": _COPY._replace(target=Target.MOVED),
    "ln": Writer(
        "-b --backup? -d -F --directory -f --force -i --interactive -L --logical -n --no-dereference -P"
        " --physical -r --relative -s --symbolic -S= --suffix= -t= --target-directory= -T"
        " --no-target-directory -v --verbose -h -w -W",
        Target.LAST,
        into="-t --target-directory",
        here=True,
    ),
    "link": Writer("", Target.LAST),
    "install": Writer(
        "-b --backup? -c -C --compare -D -d --directory -g= --group= -m= --mode= -o= --owner= -p"
        " --preserve-timestamps -s --strip --strip-program= -S= --suffix= -t= --target-directory= -T"
        " --no-target-directory -v --verbose -Z --context?",
        Target.LAST,
        into="-t --target-directory",
    ),
    "rsync": Writer(_RSYNC_OPTIONS, Target.LAST, removing="--remove-source-files"),
    "scp": Writer(
        "-3 -4 -6 -A -B -C -O -p -q -R -r -s -T -v -c= -D= -F= -i= -J= -l= -o= -P= -S= -X=", Target.LAST
    ),
    "rename": Writer("-v --verbose -n -f -i -s -e= -E= -x", Target.AFTER_FIRST, given="-e -E"),
    "sed": Writer(
        "-n --quiet --silent -e= --expression= -f= --file= -E -r --regexp-extended -i? --in-place? -I? -l="
        " --line-length= -s --separate -u --unbuffered -z --null-data --posix --debug --sandbox"
        " --follow-symlinks -a -b --binary",
        Target.AFTER_FIRST,
        only="-i --in-place -I",
        given="-e --expression -f --file",
    ),
    "perl": Writer(
        "-a -c -i? -l? -0? -n -p -s -w -W -F? -I= -m? -M? -C? -e= -E=",
        Target.AFTER_FIRST,
        only="-i",
        given="-e -E",
    ),
    "ruby": Writer("-a -c -i? -l -0? -n -p -s -w -F? -I= -r= -e=", Target.AFTER_FIRST, only="-i", given="-e"),
    "awk": Writer(
        "-F= -v= -f= -i= --include= --field-separator= --assign= --file=",
        Target.AFTER_FIRST,
        only="-i --include",
        given="-f --file",
    ),
    "yq": Writer(
        "-i --inplace -P --prettyPrint -y -Y -o= --output-format= -p= --input-format= -r -e -n -s= -I= -C"
        " -M -j",
        Target.AFTER_FIRST,
        only="-i --inplace",
    ),
    "sort": Writer(
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k= -t= -S= -o=> -T=> --output=> --key="
        " --field-separator= --parallel= --buffer-size= --temporary-directory=> --unique --reverse"
        " --numeric-sort --stable --human-numeric-sort --version-sort --files0-from= --random-sort --merge"
        " --check? --ignore-case --zero-terminated --compress-program= --batch-size=",
        Target.NONE,
    ),
    "uniq": Writer(
        "-c --count -d --repeated -D --all-repeated? -f= --skip-fields= -i --ignore-case -s= --skip-chars="
        " -u --unique -w= --check-chars= -z --zero-terminated --group?",
        Target.SECOND,
    ),
    "xxd": Writer("-a -b -C -e -E -i -p -ps -r -u -v -c= -g= -l= -n= -o= -s= -R=", Target.SECOND),
    "iconv": Writer(
        "-f= --from-code= -t= --to-code= -c -l -s --silent --verbose -o=> --output=>", Target.NONE
    ),
    "patch": Writer(
        "-b --backup -c -C --dry-run -E -e -f --force -l -n -N --forward -R --reverse -s --silent --quiet"
        " -t --batch -T -u --unified -v -Z --verbose --binary --posix -B= --prefix= -d= --directory= -D="
        " --ifdef= -F= --fuzz= -i= --input= -o=> --output=> -p= --strip= -r=> --reject-file=> -V="
        " --version-control= -Y= -z= --suffix= --merge? --no-backup-if-mismatch --reject-format= -g= --get=",
        Target.FIRST,
        into="-d --directory",
        quiet="--dry-run -C",
        here=True,
    ),
    "chmod": _RIGHTS,
    "chown": _RIGHTS,
    "chgrp": _RIGHTS,
    "chflags": _RIGHTS,
    "chattr": Writer("-R -V -f -v= -p= -*"),
    "setfacl": Writer(
        "-b --remove-all -k --remove-default -n --no-mask -d --default -R --recursive -L -P -m= --modify="
        " -M= --modify-file= -x= --remove= -X= --remove-file= -s= --set= -S= --set-file= --mask --test"
        " --restore="
    ),
    "xattr": Writer("-c -d= -w== -r -s -v -x", Target.EVERY),
    "setfattr": Writer("-n= --name= -v= --value= -x= --remove= -h --restore="),
    "unzip": Writer(
        "-a -aa -b -B -C -D -f -i -j -K -L -l -M -n -N -o -p -P= -q -qq -s -t -T -u -U -v -V -W -X -Z -z -:"
        " -^ -d= -x= -c",
        Target.MEMBERS,
        into="-d",
        quiet="-l -t -p -Z -c -v -z",
    ),
    "zip": Writer(
        "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -A -D -d -e -f -F -FF -g -i= -j -J -k -l -ll -m -o -O=> -P= -q -r -R"
        " -s= -S -T -u -v -x= -X -y -z -Z= -@ -b=> -n= -t= -tt=",
        Target.FIRST,
        removing="-m",
    ),
    "cpio": Writer(
        "-i --extract -o --create -p --pass-through -d --make-directories -m -u -v -t -0 -D=> --directory=> -F= -I= -O=>"
        " -H= --format= -R= -E= -*",
        Target.EVERY,
    ),
    "7z": Writer("-o?> -p? -y -r -t? -m? -x? -i? -w?>", Target.AFTER_FIRST),
    "7za": Writer("-o?> -p? -y -r -t? -m? -x? -i?", Target.AFTER_FIRST),
    "gzip": _PACK,
    "gunzip": _PACK,
    "bzip2": _PACK,
    "bunzip2": _PACK,
    "xz": _PACK,
    "unxz": _PACK,
    "lzma": _PACK,
    "unlzma": _PACK,
    "compress": _PACK,
    "uncompress": _PACK,
    "lz4": _ZSTD,
    "zstd": _ZSTD,
    "unzstd": _ZSTD,
    "pigz": _PACK,
    "pbzip2": _PACK,
    "brotli": _ZSTD,
    "split": Writer(
        "-a= --suffix-length= --additional-suffix= -b= --bytes= -C= --line-bytes= -d --numeric-suffixes? -x"
        " --hex-suffixes? -e --elide-empty-files --filter= -l= --lines= -n= --number= -t= --separator= -u"
        " --unbuffered --verbose -p= -NUM",
        Target.SECOND,
    ),
    "csplit": Writer(
        "-b= --suffix-format= -f=> --prefix=> -k --keep-files -n= --digits= -s --quiet --silent -z"
        " --elide-empty-files --suppress-matched",
        Target.NONE,
    ),
    "dos2unix": Writer("-k --keepdate -q --quiet -f --force -c= --convmode= -o --oldfile -n --newfile"),
    "unix2dos": Writer("-k --keepdate -q --quiet -f --force -c= --convmode= -o --oldfile -n --newfile"),
    "prettier": Writer(
        "--write -w --check -c -l --list-different --log-level= --config= --ignore-path= --parser="
        " --plugin= --cache -u",
        Target.EVERY,
        only="--write -w",
    ),
    "cc": _COMPILER,
    "gcc": _COMPILER,
    "g++": _COMPILER,
    "clang": _COMPILER,
    "clang++": _COMPILER,
    "c++": _COMPILER,
    "ld": _COMPILER,
    "rustc": _COMPILER,
    "pandoc": Writer(
        "-o=> --output=> -f= --from= -t= --to= -s --standalone --pdf-engine= --template= -V= --toc -M="
        " --metadata= --log=> --extract-media=> -H= -B= -A= -c= --css= -F= -L= --filter= --lua-filter= -d="
        " --defaults=",
        Target.NONE,
    ),
    "gpg": Writer(
        "-o=> --output=> -d --decrypt -e --encrypt -s --sign -a --armor -b --detach-sign --batch --yes -q"
        " --quiet -v -r= --recipient= -u= --local-user= --homedir=> -c --symmetric --verify --import"
        " --export",
        Target.NONE,
    ),
    "ssh-keygen": Writer(
        "-t= -b= -C= -N= -f=> -q -y -p -P= -l -v -e -i -R= -F= -H -a= -m= -Z= -E= -O= -K", Target.NONE
    ),
    "crontab": Writer("-u= -l -e -r -i", Target.NONE),
}
"""Programs that change files, by name."""

CURL = (
    "-o=> --output=> -D=> --dump-header=> -c=> --cookie-jar=> --trace=> --trace-ascii=> --stderr=>"
    " --etag-save=> --hsts=> --alt-svc=> --libcurl=> --output-dir= -O --remote-name --remote-name-all -J"
    " --remote-header-name -a --append -s --silent -S --show-error -f --fail --fail-with-body -L --location"
    " -k --insecure -v --verbose -i --include -I --head -g --globoff -G --get -N --no-buffer -q --disable -R"
    " --remote-time -n --netrc -j -Z --parallel -# --progress-bar -4 --ipv4 -6 --ipv6 -1 -2 -3 -0 --http1.0"
    " --http1.1 --http2 --http3 --compressed --create-dirs --no-progress-meter --retry-all-errors"
    " --retry-connrefused --ssl-reqd -X= --request= -H= --header= -d= --data= --data-raw= --data-binary="
    " --data-urlencode= --json= -F= --form= --form-string= -u= --user= -A= --user-agent= -e= --referer= -b="
    " --cookie= -m= --max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= -x= --proxy="
    " -U= --proxy-user= -w= --write-out= -T= --upload-file= -r= --range= -C= --continue-at= --cacert="
    " --capath= -E= --cert= --key= --resolve= --limit-rate= --max-filesize= --max-redirs= --url="
    " --interface= --unix-socket= -y= -Y= -z= --time-cond= --proto= --tlsv1.2 --tlsv1.3 --ciphers="
    " --dns-servers= --oauth2-bearer= -K=< --config=< --variable= --aws-sigv4= --keepalive-time="
    " --location-trusted"
)
"""Options of `curl`."""
WGET = (
    "-O=> --output-document=> -o=> --output-file=> -a=> --append-output=> --save-cookies=> --warc-file=>"
    " --hsts-file=> --rejected-log=> -P= --directory-prefix= -q --quiet -v --verbose -nv --no-verbose -c"
    " --continue -N --timestamping -nc --no-clobber -S --server-response --spider -b --background -r"
    " --recursive -k --convert-links -K -m --mirror -p --page-requisites -np --no-parent -H -L --relative -x"
    " --force-directories -nd --no-directories -nH -E --adjust-extension --content-disposition"
    " --no-check-certificate --show-progress --progress= -4 -6 --https-only -i= --input-file= -t= --tries="
    " -T= --timeout= -w= --wait= -U= --user-agent= --header= --user= --password= --post-data= --post-file="
    " --method= --body-data= --body-file= -l= --level= -A= --accept= -R= --reject= -D= --domains= -e="
    " --execute= --limit-rate= --load-cookies= --referer= --ca-certificate= --certificate= --private-key="
    " --random-wait --waitretry= --max-redirect= -Q= --quota= --cut-dirs= --compression= --no-cookies"
    " --no-cache --no-proxy --retry-connrefused"
)
"""Options of `wget`."""
TAR = (
    "-c --create -x --extract --get -t --list -r --append -u --update -A --catenate --concatenate -d --diff"
    " --compare --delete -f= --file= -C= --directory= -v --verbose -z --gzip --gunzip -j --bzip2 -J --xz -a"
    " --auto-compress -Z --compress --zstd --lzma --lzip --lzop -p --preserve-permissions -k"
    " --keep-old-files -m --touch -O --to-stdout -P --absolute-names -h --dereference -S --sparse -U"
    " --unlink-first -w --interactive -W --verify -l -o -s -n -B -i -b= --blocking-factor= -K= -N= --newer="
    " -T= --files-from= -V= --label= -X= --exclude-from= -g=> --listed-incremental=> --exclude="
    " --strip-components= --transform= --xform= --owner= --group= --mode= --mtime= --sort= --format= -H="
    " --remove-files --overwrite --no-same-owner --no-same-permissions --same-owner --numeric-owner"
    " --wildcards --no-recursion --one-file-system --exclude-vcs --warning= --totals? --checkpoint?"
    " --index-file=> --skip-old-files --keep-newer-files --recursive-unlink --backup? --suffix= -q -I="
    " --use-compress-program= --to-command= --checkpoint-action= -F="
)
"""Options of `tar`."""
