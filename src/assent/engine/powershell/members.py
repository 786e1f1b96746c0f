"""Members of values and types that only compute and run no code."""

from assent.engine.powershell.syntax import (
    Cast,
    ExpandableString,
    Expression,
    HashTable,
    MemberAccess,
    ScriptBlock,
    TextConstant,
    TypeName,
)

_COMPUTING_METHODS = frozenset(
    """adddays addhours addmilliseconds addminutes addmonths addseconds addticks addyears compareto contains
    containskey containsvalue endswith equals getbytes getenumerator gethashcode getstring gettype indexof
    indexofany lastindexof padleft padright split startswith substring subtract tochararray tolocaltime
    tolongdatestring tolower tolowerinvariant toshortdatestring tostring touniversaltime toupper
    toupperinvariant trim trimend trimstart""".split()
)
"""Methods that only compute, on every type that has them."""

_TEXT_METHODS = frozenset({"replace", "insert", "remove", "normalize"})
"""Methods that only compute on a text, but change something on other types, such as `Replace` on a file."""

_NAME_PROPERTIES = frozenset("basename directoryname extension fullname name".split())
"""Properties that are texts on all objects that the line did not create."""

_TEXT_RESULT_METHODS = frozenset(
    "tostring trim trimend trimstart tolower toupper substring padleft padright".split()
)
"""Methods whose result is text."""
_COLLECTION_METHODS = frozenset(
    """add addrange append appendformat appendline clear dequeue enqueue insert peek pop push remove removeat
    reverse sort toarray tryadd""".split()
)
"""Methods that only change the content of a collection."""
_BLOCK_METHODS = frozenset({"where", "foreach"})
"""Methods that run a script block for each item."""

_NUMBER_MEMBERS = frozenset("maxvalue minvalue parse isnan nan".split())
_STATIC_MEMBERS: dict[str, frozenset[str]] = {
    "math": frozenset(),
    "string": frozenset("compare concat empty equals format isnullorempty isnullorwhitespace join".split()),
    "datetime": frozenset(
        "now utcnow today parse parseexact minvalue maxvalue daysinmonth isleapyear".split()
    ),
    "datetimeoffset": frozenset("now utcnow parse fromunixtimeseconds fromunixtimemilliseconds".split()),
    "timespan": frozenset("fromdays fromhours fromminutes fromseconds frommilliseconds parse zero".split()),
    "guid": frozenset("newguid empty parse".split()),
    "char": frozenset(
        "isdigit isletter isletterordigit isupper islower iswhitespace toupper tolower".split()
    ),
    **dict.fromkeys(("int", "int32", "long", "int64", "double"), _NUMBER_MEMBERS),
    "regex": frozenset("escape unescape match matches ismatch replace split".split()),
    "convert": frozenset("tobase64string frombase64string toint32 toint64 tostring todouble tobyte".split()),
    "bitconverter": frozenset({"tostring"}),
    "environment": frozenset(
        """newline machinename osversion processorcount username version is64bitoperatingsystem
        currentdirectory systemdirectory userdomainname tickcount""".split()
    ),
    "io.path": frozenset(
        """combine changeextension getdirectoryname getextension getfilename getfilenamewithoutextension
        getpathroot hasextension ispathrooted join gettemppath directoryseparatorchar pathseparator""".split()
    ),
    "io.directory": frozenset({"getcurrentdirectory"}),
    "text.encoding": frozenset("ascii utf8 unicode default".split()),
    "uri": frozenset("escapedatastring unescapedatastring".split()),
    "runtime.interopservices.runtimeinformation": frozenset(
        "osdescription osarchitecture processarchitecture frameworkdescription isosplatform".split()
    ),
}
"""Static members that only compute, by type; an empty set means all members."""

_READING_METHODS: dict[str, dict[str, str]] = {
    "io.file": {
        "exists": "Test-Path",
        **dict.fromkeys("readalltext readalllines readlines readallbytes".split(), "Get-Content"),
        **dict.fromkeys(
            "getattributes getcreationtime getlastaccesstime getlastwritetime".split(), "Get-Item"
        ),
    },
    "io.directory": {
        "exists": "Test-Path",
        **dict.fromkeys(
            """enumeratedirectories enumeratefiles enumeratefilesystementries getdirectories getfiles
            getfilesystementries""".split(),
            "Get-ChildItem",
        ),
    },
}
"""For each type and static method, the cmdlet that reads the same files."""

_REMOVING_METHODS = {"io.directory": ("Remove-Item", "-Recurse"), "io.file": ("Remove-Item",)}
"""For each type with a static method `Delete`, the cmdlet that removes the same path."""

_HARMLESS_CASTS = frozenset(
    """array bigint bool boolean byte char datetime datetimeoffset decimal double float guid hashtable int
    int16 int32 int64 ipaddress long object ordered pscustomobject psobject regex sbyte short single string
    switch timespan uint uint16 uint32 uint64 ulong uri ushort version void xml collections.generic.list
    collections.arraylist collections.hashtable""".split()
)
"""Types whose casts only compute; a cast to another type can run code."""

_HARMLESS_OBJECTS = _HARMLESS_CASTS | frozenset(
    """random collections.generic.dictionary collections.generic.hashset collections.generic.queue
    collections.queue collections.generic.stack collections.stack collections.specialized.ordereddictionary
    text.stringbuilder management.automation.psobject""".split()
)
"""Types whose objects can be created without running code."""


def is_harmless_cast(kind: TypeName) -> bool:
    """Whether a cast to this type only computes."""
    return _type_without_namespace(kind.name) in _HARMLESS_CASTS


def is_harmless_object(name: str) -> bool:
    """Whether creating an object of this type only computes."""
    return _type_without_namespace(name.lower()) in _HARMLESS_OBJECTS


def returns_text(member: MemberAccess) -> bool:
    """Whether a harmless call returns a text or another plain value."""
    name = member.name.value.lower() if isinstance(member.name, TextConstant) else ""
    if isinstance(member.target, TypeName):
        return name != "new"
    return name in _TEXT_RESULT_METHODS or name in _TEXT_METHODS or name == "split"


def equivalent_read_cmdlet(member: MemberAccess) -> str | None:
    """The cmdlet that reads the same path as a static method; None if the method reads no path."""
    if (
        not isinstance(member.target, TypeName)
        or not isinstance(member.name, TextConstant)
        or not member.arguments
    ):
        return None
    found = _READING_METHODS.get(_type_without_namespace(member.target.name), {}).get(
        member.name.value.lower()
    )
    return found if all(_is_plain_text(argument) for argument in member.arguments[1:]) else None


def equivalent_removal(member: MemberAccess) -> tuple[str, ...]:
    """The cmdlet and switches that remove the same path as a static method; empty for other members."""
    is_delete = isinstance(member.name, TextConstant) and member.name.value.lower() == "delete"
    if not (is_delete and isinstance(member.target, TypeName) and member.arguments):
        return ()
    return _REMOVING_METHODS.get(_type_without_namespace(member.target.name), ())


def fills_collection(member: MemberAccess) -> bool:
    """Whether a call only changes the content of its collection."""
    return (
        isinstance(member.name, TextConstant)
        and member.name.value.lower() in _COLLECTION_METHODS
        and not member.static
    )


def makes_collection(expression: Expression) -> bool:
    """Whether an expression creates a table, a list or another collection."""
    if isinstance(expression, Cast):
        return is_harmless_cast(expression.type) and isinstance(expression.operand, HashTable)
    if isinstance(expression, MemberAccess) and isinstance(expression.target, TypeName):
        return (
            isinstance(expression.name, TextConstant)
            and expression.name.value.lower() == "new"
            and is_harmless_member(expression)
        )
    return isinstance(expression, HashTable)


def is_harmless_member(member: MemberAccess, *, may_be_custom: bool = True) -> bool:
    """Whether reading or calling a member only computes; a custom object may have any property."""
    if not isinstance(member.name, TextConstant):
        return False
    name = member.name.value.lower()
    if isinstance(member.target, TypeName):
        if name == "new":
            return is_harmless_object(member.target.name)
        known = _STATIC_MEMBERS.get(_type_without_namespace(member.target.name))
        return known is not None and (not known or name in known)
    if member.static:
        return False
    if member.arguments is None:
        return True
    if name in _BLOCK_METHODS:
        return len(member.arguments) == 1 and isinstance(member.arguments[0], ScriptBlock)
    return name in _COMPUTING_METHODS or (
        name in _TEXT_METHODS and _is_text(member.target, may_be_custom=may_be_custom)
    )


def _is_plain_text(argument: Expression) -> bool:
    """Whether an argument is a constant text without a directory."""
    return isinstance(argument, TextConstant) and not any(mark in argument.value for mark in "\\/")


def _is_text(target: Expression, *, may_be_custom: bool) -> bool:
    """Whether a value is certainly a text."""
    if isinstance(target, MemberAccess) and isinstance(target.name, TextConstant):
        name = target.name.value.lower()
        if target.arguments is None:
            return name in _NAME_PROPERTIES and not may_be_custom
        return name in _TEXT_RESULT_METHODS or (
            name in _TEXT_METHODS and _is_text(target.target, may_be_custom=may_be_custom)
        )
    return isinstance(target, ExpandableString) or (isinstance(target, TextConstant) and target.quoted)


def _type_without_namespace(name: str) -> str:
    """The name of a type without the namespace `System` and without brackets."""
    return name.removeprefix("system.").partition("[")[0]
