"""PowerShell's commands that only read, show or compute, with their parameters (see `cmdlets`).

What is not listed here is not known to be harmless; there is no list of what is dangerous.
"""

from assent.engine.powershell.machine import MACHINE

_ITEMS = "LiteralPath|PSPath|LP< Filter= Include= Exclude= Force|fo Credential=!"
_FORMAT = (
    "1:Property@* InputObject= GroupBy@ View= ShowError DisplayError Force Expand= AutoSize HideTableHeaders "
    "RepeatHeader Wrap Column= Depth="
)
_TEXT = (
    "1:InputObject|Msg|Message|Object=* NoEnumerate Separator= NoNewline ForegroundColor= BackgroundColor="
)
_COMPARE = (
    "EQ|IEQ CEQ NE|INE CNE GT|IGT CGT LT|ILT CLT GE|IGE CGE LE|ILE CLE Like|ILike CLike NotLike|INotLike "
    "CNotLike Match|IMatch CMatch NotMatch|INotMatch CNotMatch Contains|IContains CContains "
    "NotContains|INotContains CNotContains In|IIn CIn NotIn|INotIn CNotIn Is IsNot Not"
)

READERS: dict[str, str] = {
    # Files and paths
    "Get-ChildItem": (
        f"1:Path< 2:Filter|fi|fil= {_ITEMS} Recurse|s|r Depth= Name Attributes= FollowSymlink! "
        "Directory|ad|d File|af Hidden|ah|h ReadOnly|ar System|as"
    ),
    "Get-Content": (
        f"1:Path< {_ITEMS} ReadCount= TotalCount|First|Head= Tail|Last= Delimiter= Encoding= Raw "
        "AsByteStream Stream= Wait!"
    ),
    "Get-Item": f"1:Path< {_ITEMS} Stream=",
    "Get-ItemProperty": f"1:Path< 2:Name|PSProperty= {_ITEMS}",
    "Get-ItemPropertyValue": f"1:Path< 2:Name|PSProperty= {_ITEMS}",
    "Get-FileHash": "1:Path< LiteralPath|PSPath|LP< 2:Algorithm= InputStream=!",
    "Get-Acl": (
        "1:Path< LiteralPath|PSPath|LP< InputObject= Audit AllCentralAccessPolicies Filter= Include= Exclude="
    ),
    "Get-AuthenticodeSignature": "1:FilePath< LiteralPath|PSPath|LP< SourcePathOrExtension= Content=",
    "Format-Hex": "1:Path< LiteralPath|PSPath|LP< InputObject= Encoding= Count= Offset= Raw",
    "Import-Csv": "1:Path< 2:Delimiter= LiteralPath|PSPath|LP< UseCulture Header= Encoding=",
    "Import-PowerShellDataFile": "1:Path< LiteralPath|PSPath|LP< SkipLimitCheck!",
    "Test-Path": f"1:Path< {_ITEMS} PathType|Type= IsValid NewerThan= OlderThan=",
    "Resolve-Path": "1:Path< LiteralPath|PSPath|LP< Relative RelativeBasePath< Force Credential=!",
    "Convert-Path": "1:Path< LiteralPath|PSPath|LP<",
    "Split-Path": (
        "1:Path= LiteralPath|PSPath|LP= Parent Leaf LeafBase Extension Qualifier NoQualifier IsAbsolute "
        "Resolve! Credential=!"
    ),
    "Join-Path": "1:Path|PSPath= 2:ChildPath= 3:AdditionalChildPath=* Extension= Resolve! Credential=!",
    "Select-String": (
        "1:Pattern= 2:Path|FullName<* LiteralPath|PSPath|LP< InputObject= SimpleMatch CaseSensitive Quiet "
        "List NoEmphasis Include= Exclude= NotMatch AllMatches Encoding= Context= Culture= Raw"
    ),
    "Compare-Object": (
        "1:ReferenceObject= 2:DifferenceObject= SyncWindow= Property@ ExcludeDifferent IncludeEqual "
        "PassThru Culture= CaseSensitive"
    ),
    "Get-Location": "PSProvider= PSDrive= Stack StackName=",
    "Set-Location": "1:Path^ LiteralPath|PSPath|LP^ PassThru StackName=",
    "Push-Location": "1:Path^ LiteralPath|PSPath|LP^ PassThru StackName=",
    "Pop-Location": "PassThru StackName=",
    "Get-PSDrive": "1:Name= LiteralName= Scope= PSProvider=",
    "Get-PSProvider": "1:PSProvider=",
    # Objects in a pipe
    "Where-Object": f"1:FilterScript|Property@ 2:Value= InputObject= {_COMPARE}",
    "ForEach-Object": (
        "1:Process.* Begin{ End{ RemainingScripts{ Parallel{ MemberName. InputObject= ArgumentList|Args=! "
        "ThrottleLimit= TimeoutSeconds= UseNewRunspace AsJob!"
    ),
    "Select-Object": (
        "1:Property@* InputObject= ExcludeProperty= ExpandProperty= Unique CaseInsensitive First= Last= "
        "Skip= SkipLast= SkipIndex= Index= Wait"
    ),
    "Sort-Object": "1:Property@* InputObject= Descending Unique CaseSensitive Culture= Stable Top= Bottom=",
    "Group-Object": "1:Property@* InputObject= NoElement AsHashTable|AHT AsString Culture= CaseSensitive",
    "Measure-Object": (
        "1:Property@* InputObject= Sum Average Maximum Minimum StandardDeviation AllStats Line Word "
        "Character IgnoreWhiteSpace"
    ),
    "Get-Member": "1:Name= InputObject= MemberType|Type= View= Static Force",
    "Get-Unique": "InputObject= AsString OnType CaseInsensitive",
    "Format-Table": _FORMAT,
    "Format-List": _FORMAT,
    "Format-Wide": _FORMAT,
    "Format-Custom": _FORMAT,
    "Out-String": "InputObject= Width= Stream NoNewline",
    "Out-Host": "InputObject= Paging!",
    "Out-Default": "InputObject= Transcript!",
    "Out-Null": "InputObject=",
    "ConvertTo-Json": "1:InputObject= Depth= Compress EnumsAsStrings AsArray EscapeHandling=",
    "ConvertFrom-Json": "1:InputObject= AsHashtable Depth= NoEnumerate DateKind=",
    "ConvertTo-Csv": (
        "1:InputObject= 2:Delimiter= UseCulture IncludeTypeInformation|ITI NoTypeInformation|NTI "
        "QuoteFields|QF= UseQuotes|UQ= NoHeader"
    ),
    "ConvertFrom-Csv": "1:InputObject= 2:Delimiter= UseCulture Header=",
    "ConvertTo-Html": (
        "1:Property@ 2:Head= 3:Title= 4:Body= InputObject= As= Fragment PreContent= PostContent= CssUri= "
        "Meta= Charset= Transitional"
    ),
    "ConvertTo-Xml": "1:InputObject= Depth= NoTypeInformation As=",
    "ConvertFrom-StringData": "1:StringData= Delimiter=",
    "Test-Json": "1:Json= 2:Schema=! SchemaFile<! Options= Path< LiteralPath|PSPath|LP<",
    # Text and time
    "Write-Output": _TEXT,
    "Write-Host": _TEXT,
    "Write-Verbose": "1:Message|Msg=",
    "Write-Debug": "1:Message|Msg=",
    "Write-Warning": "1:Message|Msg=",
    "Write-Information": "1:MessageData|Msg|Message= 2:Tags=",
    "Write-Error": (
        "1:Message|Msg= Exception= ErrorRecord= Category= ErrorId= TargetObject= RecommendedAction= "
        "CategoryActivity= CategoryReason= CategoryTargetName= CategoryTargetType="
    ),
    "Write-Progress": (
        "1:Activity= 2:Status= 3:Id= PercentComplete= SecondsRemaining= CurrentOperation= ParentId= "
        "Completed SourceId="
    ),
    "Get-Date": (
        "1:Date|LastWriteTime= Year= Month= Day= Hour= Minute= Second= Millisecond= UnixTimeSeconds= "
        "DisplayHint= Format= UFormat= AsUTC"
    ),
    "New-TimeSpan": "1:Start|LastWriteTime= 2:End= Days= Hours= Minutes= Seconds= Milliseconds=",
    "Start-Sleep": "1:Seconds= Milliseconds|ms= Duration|ts=",
    "Get-Random": "1:Maximum= Minimum= InputObject= Count= SetSeed= Shuffle",
    "New-Guid": "Empty InputObject=",
    "Get-Culture": "1:Name= NoUserOverrides ListAvailable",
    "Get-UICulture": "",
    "Get-TimeZone": "1:Name= Id= ListAvailable",
    "Measure-Command": "1:Expression{ InputObject=",
    "Clear-Host": "",
    # The session
    "Get-Command": (
        "1:Name^ 2:ArgumentList|Args=! Verb= Noun= Module|PSModule^ FullyQualifiedModule= "
        "CommandType|Type= TotalCount= Syntax ShowCommandInfo All ListImported ParameterName= "
        "ParameterType= UseFuzzyMatching UseAbbreviationExpansion FuzzyMinimumDistance="
    ),
    "Get-Help": (
        "1:Name^ Path=! Category= Component= Functionality= Role= Detailed Full Examples Parameter= "
        "Online! ShowWindow!"
    ),
    "Get-Module": (
        "1:Name^ FullyQualifiedName= All ListAvailable PSEdition= SkipEditionCheck Refresh! PSSession=! "
        "CimSession=! CimResourceUri=! CimNamespace=!"
    ),
    "Get-Alias": "1:Name= Exclude= Scope= Definition=",
    "Get-Variable": "1:Name= ValueOnly Include= Exclude= Scope=",
    "Get-History": "1:Id= 2:Count=",
    "Get-Host": "",
    "Get-Verb": "1:Verb= 2:Group=",
    "Get-Error": "1:InputObject= Newest=",
    "Get-Uptime": "Since",
    "Get-PSCallStack": "",
    "Get-ExecutionPolicy": "1:Scope= List",
    "Get-Job": (
        "1:Id= Name= IncludeChildJob ChildJobState= HasMoreData= Before= After= Newest= State= "
        "InstanceId= Command= Filter=!"
    ),
    "Set-StrictMode": "Version= Off",
    "New-Object": "1:TypeName= 2:ArgumentList|Args= Property= Strict ComObject=!",
    **MACHINE,
}
"""Each command's parameters; all but those marked do no more than read."""

PATH_READERS = frozenset(
    """Get-Content Get-Item Get-ItemProperty Get-ItemPropertyValue Get-FileHash Get-AuthenticodeSignature
    Import-Csv Import-PowerShellDataFile Test-Path Resolve-Path Convert-Path""".split()
)
"""Readers that must be given paths, by words or by what is piped to them."""

PIPED_PATHS = PATH_READERS | frozenset(
    "Get-Acl Get-ChildItem Get-Command Get-Help Get-Module Push-Location Set-Location".split()
)
"""Readers that take what is piped to them for paths, or for names that may be paths."""

PIPED_OBJECTS = frozenset({"Format-Hex", "Select-String", "Test-Json", *MACHINE})
"""Readers to which the properties of a piped object may say a path, or another machine."""

UNCHOSEN = frozenset(
    """ConvertTo-Csv ConvertTo-Html ConvertTo-Json Get-Alias Get-Content Get-Culture Get-Date Get-Help
    Get-History Get-Host Get-Location Get-PSDrive Get-TimeZone Get-Verb Measure-Object Out-String
    Select-String Split-Path""".split()
) | frozenset(MACHINE)
"""Readers that give texts, or objects whose properties nobody could choose."""

HARMLESS_ANYWAY = frozenset("ls cat ps echo sleep diff clear pwd".split())
"""Names that mean a reader in PowerShell and a reader of another flag language elsewhere."""

MEMBERS = frozenset(
    """basename capacity caption cpu count creationtime creationtimeutc definition description directory
    directoryname displayname drivetype enabled exists extension fullname handles hash id index isreadonly
    key keys lastaccesstime lastwritetime lastwritetimeutc length line linenumber manufacturer message mode
    modulename name number parent path processname property providername pspath psparentpath pschildname pid
    size source startmode starttime startuptype state status sum synopsis target timegenerated type value
    values vendor verb version versioninfo workingset ws tostring trim toupper tolower gettype""".split()
)
"""What `ForEach-Object Name` may name: properties, and methods that only compute."""
