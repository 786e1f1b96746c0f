"""Options that have a short and a long name, by program and sub-command."""

from assent.engine.shell.knowledge.synonyms import spellings

_TABLE: dict[str, str] = {
    "rm": "r=recursive R=recursive f=force i=interactive v=verbose d=dir",
    "cp": "r=recursive R=recursive f=force v=verbose a=archive n=no-clobber p=preserve",
    "mv": "f=force n=no-clobber v=verbose b=backup",
    "ln": "s=symbolic f=force v=verbose",
    "chmod": "R=recursive v=verbose",
    "chown": "R=recursive v=verbose h=no-dereference",
    "chgrp": "R=recursive v=verbose",
    "mkdir": "p=parents m=mode",
    "sed": "i=in-place n=quiet E=regexp-extended r=regexp-extended s=separate",
    "tar": "x=extract c=create f=file t=list z=gzip j=bzip2 J=xz v=verbose C=directory r=append u=update",
    "curl": "X=request d=data H=header o=output O=remote-name F=form T=upload-file k=insecure L=location"
    " u=user s=silent S=show-error f=fail x=proxy K=config b=cookie A=user-agent I=head v=verbose",
    "wget": "O=output-document P=directory-prefix q=quiet r=recursive c=continue i=input-file",
    "rsync": "a=archive v=verbose z=compress r=recursive n=dry-run e=rsh",
    "gh api": "X=method F=field f=raw-field H=header",
    "gh pr merge": "s=squash m=merge r=rebase d=delete-branch",
    "git push": "f=force u=set-upstream d=delete n=dry-run q=quiet v=verbose",
    "git reset": "q=quiet p=patch N=intent-to-add hard=hard",
    "git clean": "f=force n=dry-run q=quiet e=exclude d=d x=x X=X i=interactive",
    "git branch": "d=delete f=force m=move c=copy a=all r=remotes D=delete+force M=move+force C=copy+force",
    "git checkout": "f=force q=quiet b=b B=B m=merge p=patch",
    "git switch": "f=discard-changes c=create C=force-create d=detach",
    "git commit": "a=all m=message n=no-verify s=signoff q=quiet v=verbose p=patch e=edit",
    "git merge": "n=no-stat q=quiet s=strategy",
    "git add": "A=all u=update f=force p=patch n=dry-run i=interactive",
    "git rm": "f=force r=r n=dry-run q=quiet",
    "git tag": "d=delete f=force a=annotate m=message l=list s=sign",
    "git stash": "u=include-untracked a=all k=keep-index p=patch q=quiet m=message",
    "git rebase": "i=interactive f=force-rebase",
    "git fetch": "f=force p=prune a=all t=tags",
    "git pull": "r=rebase f=force q=quiet",
    "git worktree": "f=force d=detach",
    "docker rm": "f=force v=volumes l=link",
    "docker rmi": "f=force",
    "docker run": "d=detach i=interactive t=tty v=volume e=env p=publish u=user w=workdir",
    "docker exec": "d=detach i=interactive t=tty e=env u=user w=workdir",
    "docker compose": "v=volumes d=detach f=force",
    "docker system": "a=all f=force",
    "docker image": "a=all f=force",
    "docker volume": "a=all f=force",
    "kubectl": "n=namespace f=filename l=selector A=all-namespaces o=output k=kustomize",
    "helm": "n=namespace f=values",
    "npm": "g=global D=save-dev S=save E=save-exact f=force w=workspace y=yes",
    "pnpm": "g=global D=save-dev w=workspace-root r=recursive",
    "pip": "U=upgrade e=editable r=requirement y=yes t=target i=index-url",
    "pip3": "U=upgrade e=editable r=requirement y=yes t=target i=index-url",
    "apt": "y=yes",
    "apt-get": "y=yes",
    "dnf": "y=assumeyes",
    "yum": "y=assumeyes",
    "systemctl": "f=force q=quiet",
    "kill": "9=9 KILL=9 SIGKILL=9 15=15 TERM=15 SIGTERM=15 s=signal n=signal",
    "pkill": "9=9 KILL=9 SIGKILL=9 f=full",
    "killall": "9=9 KILL=9 SIGKILL=9",
    "useradd": "m=create-home",
    "crontab": "r=r e=e l=l u=u",
    "ssh": "o=o",
    "du": "s=summarize h=human-readable a=all",
    "ls": "a=all",
    "grep": "r=recursive R=dereference-recursive i=ignore-case v=invert-match",
}


def _names(line: str) -> dict[str, tuple[str, ...]]:
    pairs = (one.partition("=") for one in line.split())
    return {short: tuple(name.split("+")) for short, _, name in pairs}


_BY_HEAD = {tuple(head.split()): _names(line) for head, line in _TABLE.items()}
OPTION_NAMES: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {
    **{other: names for head, names in _BY_HEAD.items() for other in spellings(head) if "-m" not in other},
    **_BY_HEAD,
}
"""The long names that each short option stands for, by the first words of the command."""
DEEPEST = max(map(len, OPTION_NAMES))
SHORTENED = frozenset("rm cp mv ln chmod chown chgrp mkdir sed tar wget rsync du ls grep git grm gsed gtar".split())
"""Programs that take the beginning of a long option for the whole of it."""
VALUED = frozenset(
    """b B config cookie create data directory directory-prefix editable env exclude field file filename
    force-create form header in-place index-url input-file kustomize message method mode namespace o output
    output-document proxy publish raw-field request requirement rsh selector signal strategy target
    upload-file user user-agent values volume workdir""".split()
)
"""Long names of those that take the rest of their word for their value."""
