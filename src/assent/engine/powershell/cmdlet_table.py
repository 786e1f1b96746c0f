"""What is known about each cmdlet: one entry per cmdlet, and nothing about a cmdlet anywhere else.

`parameters` lists the parameters of a cmdlet, separated by blanks:

    Force            a switch
    Filter=          takes a value
    Path<            takes paths that are read
    Name^            takes locations, or names that may be paths
    FilePath>        takes paths that are written
    Target~          takes paths that are removed or moved away
    Process{         takes a script block
    Property@        takes names, tables or script blocks
    MemberName.      takes the name of a member that is read, or a script block
    Recurse|s        has another name
    1:Path<          may be given without its name, in this position
    2:Value=*        takes all positions that are left
    ComputerName=!   does more than read

A cmdlet without `reads=True` is not known to be harmless; there is no list of dangerous cmdlets.
"""

from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from typing import NamedTuple


class Kind(StrEnum):
    """How a parameter takes its value, by its mark in `parameters`."""

    SWITCH = ""
    VALUE = "="
    READ_PATH = "<"
    LOCATION = "^"
    WRITTEN_PATH = ">"
    REMOVED_PATH = "~"
    BLOCK = "{"
    PROPERTY = "@"
    MEMBER = "."

    @property
    def is_path(self) -> bool:
        """Whether a piped path can be its value."""
        return self in (Kind.READ_PATH, Kind.LOCATION, Kind.REMOVED_PATH)

    @property
    def is_changed_path(self) -> bool:
        """Whether its value is a path that the cmdlet changes."""
        return self in (Kind.WRITTEN_PATH, Kind.REMOVED_PATH)


class Piped(Enum):
    """What a cmdlet does with its piped input."""

    UNKNOWN = auto()
    PATHS = auto()
    """It takes each value as a path, or as a name that may be a path."""
    OBJECTS = auto()
    """Properties of an object can name a path or another machine."""
    CODE = auto()
    """It runs the input."""
    TEXT_TO_FILE = auto()
    """It stores the input in the file that its arguments name."""
    CLIPBOARD = auto()
    """It stores the input, and needs no path for that."""


class Output(Enum):
    """What a cmdlet passes to the next command of a pipeline."""

    UNKNOWN = auto()
    PLAIN = auto()
    """Texts, or objects with fixed properties."""
    CHILDREN = auto()
    """The files in the directories that it is given."""
    ITEMS = auto()
    """The paths that it is given."""
    ARGUMENTS = auto()
    """The values that it is given."""
    JOINED_PATH = auto()
    """One path, made of two."""
    INPUT = auto()
    """All of its input."""
    SOME = auto()
    """Some of its input."""
    SELECTED = auto()
    """Some of its input, or some properties of it."""
    EACH = auto()
    """One value for each value of its input."""


class Writes(Enum):
    """What a cmdlet writes into the files that its arguments name, where the line may run them later."""

    UNKNOWN = auto()
    GIVEN_TEXT = auto()
    DOWNLOAD = auto()
    COPY = auto()


class Entry(NamedTuple):
    """What is known about one cmdlet."""

    parameters: str
    aliases: str = ""
    reads: bool = False
    """It only reads, shows or computes, as long as no parameter marked with `!` is given."""
    needs_path: bool = False
    """It reads nothing unless a path is given, as an argument or through the pipe."""
    piped: Piped = Piped.UNKNOWN
    output: Output = Output.UNKNOWN
    writes: Writes = Writes.UNKNOWN
    catastrophe: str = ""
    """Why any use of it is a catastrophe; empty when it is none."""


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
_REMOTE = "ComputerName|Cn=! CimSession=! ThrottleLimit= AsJob!"
_NETWORK = f"{_REMOTE} IncludeAllCompartments PolicyStore=! GPOSession=!"
_CONFIRM = "WhatIf|wi Confirm|cf"
_CHANGED_ITEMS = f"Filter= Include= Exclude= Force Credential= {_CONFIRM}"
_LITERAL = "LiteralPath|PSPath|LP"
_CONTENT = f"1:Path> 2:Value= {_LITERAL}> {_CHANGED_ITEMS} PassThru Encoding= NoNewline AsByteStream Stream="
_PROPERTY = f"1:Path> 2:Name|PSProperty= 3:Value= {_LITERAL}> {_CHANGED_ITEMS} PassThru Type|PropertyType="
_WEB = (
    "1:Uri= OutFile> InFile< Method= Body= Headers= UseBasicParsing UserAgent= Form= ContentType= "
    "Credential= WebSession= SessionVariable= UseDefaultCredentials TimeoutSec= MaximumRedirection= Proxy= "
    "PassThru Resume SkipCertificateCheck Token= Authentication= HttpVersion= NoProxy DisableKeepAlive"
)
_BLOCK = "ArgumentList|Args= InputObject= ComputerName|Cn= Session= Credential= AsJob JobName= ThrottleLimit="

_NAME_ONLY = frozenset(
    """Add-Computer Add-LocalGroupMember Add-Member Add-MpPreference Add-Type Checkpoint-Computer
    Clear-EventLog Clear-RecycleBin Copy-VMFile Disable-LocalUser Disable-NetAdapter Disable-PSRemoting
    Disable-ScheduledTask Dismount-DiskImage Enable-PSRemoting Export-PfxCertificate Get-Credential
    Import-Clixml Install-Module Install-Package Install-Script Install-WindowsFeature Limit-EventLog
    Mount-DiskImage New-LocalUser New-NetFirewallRule New-Service New-SmbShare Publish-Module Read-Host
    Register-CimIndicationEvent Register-EngineEvent Register-ObjectEvent Remove-Computer
    Remove-EventLog Remove-LocalUser Remove-NetFirewallRule Remove-Service Rename-Computer
    Restart-Computer Restart-Service Resume-Service Save-Module Send-MailMessage Set-Date Set-Disk
    Set-ExecutionPolicy Set-LocalUser Set-MpPreference Set-NetFirewallProfile Set-NetFirewallRule
    Set-NetIPAddress Set-PSDebug Set-Service Set-Volume Start-VM Stop-Computer Suspend-Service
    Test-Connection Test-NetConnection Uninstall-Module Uninstall-Package Unregister-ScheduledTask
    Update-Help Update-Module Wait-Process""".split()
)
"""Cmdlets that are known by name only, so that rules match every spelling of them."""

CMDLETS: Mapping[str, Entry] = {
    # Files and paths
    "Get-ChildItem": Entry(
        f"1:Path< 2:Filter|fi|fil= {_ITEMS} Recurse|s|r Depth= Name Attributes= FollowSymlink! "
        "Directory|ad|d File|af Hidden|ah|h ReadOnly|ar System|as",
        aliases="dir gci ls",
        reads=True,
        piped=Piped.PATHS,
        output=Output.CHILDREN,
    ),
    "Get-Content": Entry(
        f"1:Path< {_ITEMS} ReadCount= TotalCount|First|Head= Tail|Last= Delimiter= Encoding= Raw "
        "AsByteStream Stream= Wait!",
        aliases="cat gc type",
        reads=True,
        needs_path=True,
        piped=Piped.PATHS,
        output=Output.PLAIN,
    ),
    "Get-Item": Entry(
        f"1:Path< {_ITEMS} Stream=",
        aliases="gi",
        reads=True,
        needs_path=True,
        piped=Piped.PATHS,
        output=Output.ITEMS,
    ),
    "Get-ItemProperty": Entry(
        f"1:Path< 2:Name|PSProperty= {_ITEMS}", aliases="gp", reads=True, needs_path=True, piped=Piped.PATHS
    ),
    "Get-ItemPropertyValue": Entry(
        f"1:Path< 2:Name|PSProperty= {_ITEMS}", aliases="gpv", reads=True, needs_path=True, piped=Piped.PATHS
    ),
    "Get-FileHash": Entry(
        "1:Path< LiteralPath|PSPath|LP< 2:Algorithm= InputStream=!",
        reads=True,
        needs_path=True,
        piped=Piped.PATHS,
    ),
    "Get-Acl": Entry(
        "1:Path< LiteralPath|PSPath|LP< InputObject= Audit AllCentralAccessPolicies Filter= Include= "
        "Exclude=",
        reads=True,
        piped=Piped.PATHS,
    ),
    "Get-AuthenticodeSignature": Entry(
        "1:FilePath< LiteralPath|PSPath|LP< SourcePathOrExtension= Content=",
        reads=True,
        needs_path=True,
        piped=Piped.PATHS,
    ),
    "Format-Hex": Entry(
        "1:Path< LiteralPath|PSPath|LP< InputObject= Encoding= Count= Offset= Raw",
        aliases="fhx",
        reads=True,
        piped=Piped.OBJECTS,
    ),
    "Import-Csv": Entry(
        "1:Path< 2:Delimiter= LiteralPath|PSPath|LP< UseCulture Header= Encoding=",
        aliases="ipcsv",
        reads=True,
        needs_path=True,
        piped=Piped.PATHS,
    ),
    "Import-PowerShellDataFile": Entry(
        "1:Path< LiteralPath|PSPath|LP< SkipLimitCheck!", reads=True, needs_path=True, piped=Piped.PATHS
    ),
    "Test-Path": Entry(
        f"1:Path< {_ITEMS} PathType|Type= IsValid NewerThan= OlderThan=",
        reads=True,
        needs_path=True,
        piped=Piped.PATHS,
    ),
    "Resolve-Path": Entry(
        "1:Path< LiteralPath|PSPath|LP< Relative RelativeBasePath< Force Credential=!",
        aliases="rvpa",
        reads=True,
        needs_path=True,
        piped=Piped.PATHS,
        output=Output.ITEMS,
    ),
    "Convert-Path": Entry(
        "1:Path< LiteralPath|PSPath|LP<",
        aliases="cvpa",
        reads=True,
        needs_path=True,
        piped=Piped.PATHS,
        output=Output.ITEMS,
    ),
    "Split-Path": Entry(
        "1:Path= LiteralPath|PSPath|LP= Parent Leaf LeafBase Extension Qualifier NoQualifier IsAbsolute "
        "Resolve! Credential=!",
        reads=True,
        output=Output.PLAIN,
    ),
    "Join-Path": Entry(
        "1:Path|PSPath= 2:ChildPath= 3:AdditionalChildPath=* Extension= Resolve! Credential=!",
        reads=True,
        output=Output.JOINED_PATH,
    ),
    "Select-String": Entry(
        "1:Pattern= 2:Path|FullName<* LiteralPath|PSPath|LP< InputObject= SimpleMatch CaseSensitive Quiet "
        "List NoEmphasis Include= Exclude= NotMatch AllMatches Encoding= Context= Culture= Raw",
        aliases="sls",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Compare-Object": Entry(
        "1:ReferenceObject= 2:DifferenceObject= SyncWindow= Property@ ExcludeDifferent IncludeEqual "
        "PassThru Culture= CaseSensitive",
        aliases="compare diff",
        reads=True,
    ),
    "Get-Location": Entry(
        "PSProvider= PSDrive= Stack StackName=", aliases="gl pwd", reads=True, output=Output.PLAIN
    ),
    "Set-Location": Entry(
        "1:Path^ LiteralPath|PSPath|LP^ PassThru StackName=",
        aliases="cd chdir sl",
        reads=True,
        piped=Piped.PATHS,
    ),
    "Push-Location": Entry(
        "1:Path^ LiteralPath|PSPath|LP^ PassThru StackName=", aliases="pushd", reads=True, piped=Piped.PATHS
    ),
    "Pop-Location": Entry("PassThru StackName=", aliases="popd", reads=True),
    "Get-PSDrive": Entry(
        "1:Name= LiteralName= Scope= PSProvider=", aliases="gdr", reads=True, output=Output.PLAIN
    ),
    "Get-PSProvider": Entry("1:PSProvider=", reads=True),
    # Objects in a pipe
    "Where-Object": Entry(
        f"1:FilterScript|Property@ 2:Value= InputObject= {_COMPARE}",
        aliases="? where",
        reads=True,
        output=Output.SOME,
    ),
    "ForEach-Object": Entry(
        "1:Process.* Begin{ End{ RemainingScripts{ Parallel{ MemberName. InputObject= ArgumentList|Args=! "
        "ThrottleLimit= TimeoutSeconds= UseNewRunspace AsJob!",
        aliases="% foreach",
        reads=True,
        output=Output.EACH,
    ),
    "Select-Object": Entry(
        "1:Property@* InputObject= ExcludeProperty= ExpandProperty= Unique CaseInsensitive First= Last= "
        "Skip= SkipLast= SkipIndex= Index= Wait",
        aliases="select",
        reads=True,
        output=Output.SELECTED,
    ),
    "Sort-Object": Entry(
        "1:Property@* InputObject= Descending Unique CaseSensitive Culture= Stable Top= Bottom=",
        aliases="sort",
        reads=True,
        output=Output.INPUT,
    ),
    "Group-Object": Entry(
        "1:Property@* InputObject= NoElement AsHashTable|AHT AsString Culture= CaseSensitive",
        aliases="group",
        reads=True,
    ),
    "Measure-Object": Entry(
        "1:Property@* InputObject= Sum Average Maximum Minimum StandardDeviation AllStats Line Word "
        "Character IgnoreWhiteSpace",
        aliases="measure",
        reads=True,
        output=Output.PLAIN,
    ),
    "Get-Member": Entry("1:Name= InputObject= MemberType|Type= View= Static Force", aliases="gm", reads=True),
    "Get-Unique": Entry(
        "InputObject= AsString OnType CaseInsensitive", aliases="gu", reads=True, output=Output.INPUT
    ),
    "Format-Table": Entry(_FORMAT, aliases="ft", reads=True),
    "Format-List": Entry(_FORMAT, aliases="fl", reads=True),
    "Format-Wide": Entry(_FORMAT, aliases="fw", reads=True),
    "Format-Custom": Entry(_FORMAT, aliases="fc", reads=True),
    "Out-String": Entry("InputObject= Width= Stream NoNewline", reads=True, output=Output.PLAIN),
    "Out-Host": Entry("InputObject= Paging!", aliases="oh", reads=True),
    "Out-Default": Entry("InputObject= Transcript!", reads=True),
    "Out-Null": Entry("InputObject=", reads=True),
    "ConvertTo-Json": Entry(
        "1:InputObject= Depth= Compress EnumsAsStrings AsArray EscapeHandling=",
        reads=True,
        output=Output.PLAIN,
    ),
    "ConvertFrom-Json": Entry("1:InputObject= AsHashtable Depth= NoEnumerate DateKind=", reads=True),
    "ConvertTo-Csv": Entry(
        "1:InputObject= 2:Delimiter= UseCulture IncludeTypeInformation|ITI NoTypeInformation|NTI "
        "QuoteFields|QF= UseQuotes|UQ= NoHeader",
        reads=True,
        output=Output.PLAIN,
    ),
    "ConvertFrom-Csv": Entry("1:InputObject= 2:Delimiter= UseCulture Header=", reads=True),
    "ConvertTo-Html": Entry(
        "1:Property@ 2:Head= 3:Title= 4:Body= InputObject= As= Fragment PreContent= PostContent= CssUri= "
        "Meta= Charset= Transitional",
        reads=True,
        output=Output.PLAIN,
    ),
    "ConvertTo-Xml": Entry("1:InputObject= Depth= NoTypeInformation As=", reads=True),
    "ConvertFrom-StringData": Entry("1:StringData= Delimiter=", reads=True),
    "Test-Json": Entry(
        "1:Json= 2:Schema=! SchemaFile<! Options= Path< LiteralPath|PSPath|LP<",
        reads=True,
        piped=Piped.OBJECTS,
    ),
    # Text and time
    "Write-Output": Entry(
        _TEXT, aliases="echo write", reads=True, output=Output.ARGUMENTS, writes=Writes.GIVEN_TEXT
    ),
    "Write-Host": Entry(_TEXT, reads=True, writes=Writes.GIVEN_TEXT),
    "Write-Verbose": Entry("1:Message|Msg=", reads=True),
    "Write-Debug": Entry("1:Message|Msg=", reads=True),
    "Write-Warning": Entry("1:Message|Msg=", reads=True),
    "Write-Information": Entry("1:MessageData|Msg|Message= 2:Tags=", reads=True),
    "Write-Error": Entry(
        "1:Message|Msg= Exception= ErrorRecord= Category= ErrorId= TargetObject= RecommendedAction= "
        "CategoryActivity= CategoryReason= CategoryTargetName= CategoryTargetType=",
        reads=True,
    ),
    "Write-Progress": Entry(
        "1:Activity= 2:Status= 3:Id= PercentComplete= SecondsRemaining= CurrentOperation= ParentId= "
        "Completed SourceId=",
        reads=True,
    ),
    "Get-Date": Entry(
        "1:Date|LastWriteTime= Year= Month= Day= Hour= Minute= Second= Millisecond= UnixTimeSeconds= "
        "DisplayHint= Format= UFormat= AsUTC",
        reads=True,
        output=Output.PLAIN,
    ),
    "New-TimeSpan": Entry(
        "1:Start|LastWriteTime= 2:End= Days= Hours= Minutes= Seconds= Milliseconds=", reads=True
    ),
    "Start-Sleep": Entry("1:Seconds= Milliseconds|ms= Duration|ts=", aliases="sleep", reads=True),
    "Get-Random": Entry("1:Maximum= Minimum= InputObject= Count= SetSeed= Shuffle", reads=True),
    "New-Guid": Entry("Empty InputObject=", reads=True),
    "Get-Culture": Entry("1:Name= NoUserOverrides ListAvailable", reads=True, output=Output.PLAIN),
    "Get-UICulture": Entry("", reads=True),
    "Get-TimeZone": Entry("1:Name= Id= ListAvailable", aliases="gtz", reads=True, output=Output.PLAIN),
    "Measure-Command": Entry("1:Expression{ InputObject=", reads=True),
    "Clear-Host": Entry("", aliases="clear cls", reads=True),
    # The session
    "Get-Command": Entry(
        "1:Name^ 2:ArgumentList|Args=! Verb= Noun= Module|PSModule^ FullyQualifiedModule= "
        "CommandType|Type= TotalCount= Syntax ShowCommandInfo All ListImported ParameterName= "
        "ParameterType= UseFuzzyMatching UseAbbreviationExpansion FuzzyMinimumDistance=",
        aliases="gcm",
        reads=True,
        piped=Piped.PATHS,
    ),
    "Get-Help": Entry(
        "1:Name^ Path=! Category= Component= Functionality= Role= Detailed Full Examples Parameter= "
        "Online! ShowWindow!",
        aliases="help man",
        reads=True,
        piped=Piped.PATHS,
        output=Output.PLAIN,
    ),
    "Get-Module": Entry(
        "1:Name^ FullyQualifiedName= All ListAvailable PSEdition= SkipEditionCheck Refresh! PSSession=! "
        "CimSession=! CimResourceUri=! CimNamespace=!",
        aliases="gmo",
        reads=True,
        piped=Piped.PATHS,
    ),
    "Get-Alias": Entry("1:Name= Exclude= Scope= Definition=", aliases="gal", reads=True, output=Output.PLAIN),
    "Get-Variable": Entry("1:Name= ValueOnly Include= Exclude= Scope=", aliases="gv", reads=True),
    "Get-History": Entry("1:Id= 2:Count=", aliases="ghy h history", reads=True, output=Output.PLAIN),
    "Get-Host": Entry("", reads=True, output=Output.PLAIN),
    "Get-Verb": Entry("1:Verb= 2:Group=", reads=True, output=Output.PLAIN),
    "Get-Error": Entry("1:InputObject= Newest=", aliases="gerr", reads=True),
    "Get-Uptime": Entry("Since", reads=True),
    "Get-PSCallStack": Entry("", aliases="gcs", reads=True),
    "Get-ExecutionPolicy": Entry("1:Scope= List", reads=True),
    "Get-Job": Entry(
        "1:Id= Name= IncludeChildJob ChildJobState= HasMoreData= Before= After= Newest= State= "
        "InstanceId= Command= Filter=!",
        aliases="gjb",
        reads=True,
    ),
    "Set-StrictMode": Entry("Version= Off", reads=True),
    "New-Object": Entry("1:TypeName= 2:ArgumentList|Args= Property= Strict ComObject=!", reads=True),
    # The machine: these only ask this one; parameters that lead to another one are marked
    "Get-Process": Entry(
        "1:Name|ProcessName= Id|PID= InputObject= IncludeUserName Module FileVersionInfo|FV|FVI "
        "ComputerName|Cn=!",
        aliases="gps ps",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-Service": Entry(
        "1:Name|ServiceName= DisplayName= Include= Exclude= InputObject= DependentServices|DS "
        "RequiredServices|SDO|ServicesDependedOn ComputerName|Cn=!",
        aliases="gsv",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-ComputerInfo": Entry(
        "1:Property=", aliases="gin", reads=True, piped=Piped.OBJECTS, output=Output.PLAIN
    ),
    "Get-HotFix": Entry(
        "1:Id|HFID= Description= ComputerName|Cn=! Credential=!",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-EventLog": Entry(
        "1:LogName|LN= 2:InstanceId= Newest= After= Before= UserName= Index= EntryType|ET= Source|ABO= "
        "Message|MSG= AsBaseObject List AsString ComputerName|Cn=!",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-WinEvent": Entry(
        "1:LogName= ListLog= ListProvider= ProviderName= FilterXPath= FilterXml= FilterHashtable= "
        "MaxEvents= Force Oldest Path=! ComputerName|Cn=! Credential=!",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-CimInstance": Entry(
        "1:ClassName= Filter= Property|SelectProperties= Namespace^ Query= QueryDialect= KeyOnly Shallow "
        "OperationTimeoutSec|OT= InputObject=! ResourceUri=! ComputerName|CN|ServerName=! CimSession=!",
        aliases="gcim",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-CimClass": Entry(
        "1:ClassName= 2:Namespace^ MethodName= PropertyName= QualifierName= OperationTimeoutSec= "
        "ComputerName=! CimSession=!",
        aliases="gcls",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-WmiObject": Entry(
        "1:Class|ClassName= 2:Property= Filter= Query= Namespace|NS^ List Recurse Amended DirectRead "
        "ComputerName|Cn=! Credential=! Authority=! Impersonation=! Authentication=! Locale=! "
        "EnableAllPrivileges! AsJob! ThrottleLimit=!",
        aliases="gwmi",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-Volume": Entry(
        f"1:DriveLetter= ObjectId= UniqueId= Path= FileSystemLabel= FilePath^ DiskImage= {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-Disk": Entry(
        f"1:Number|DeviceId= UniqueId|Id= FriendlyName= SerialNumber= Path= {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-PhysicalDisk": Entry(
        f"UniqueId|Id= FriendlyName= SerialNumber= ObjectId= DeviceNumber= CanPool= Usage= {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-Partition": Entry(
        f"DiskNumber= PartitionNumber|Number= DriveLetter= DiskId= Offset= UniqueId= {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-NetAdapter": Entry(
        f"1:Name|ifAlias= InterfaceDescription= InterfaceIndex|ifIndex= Physical IncludeHidden {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-NetIPAddress": Entry(
        "1:IPAddress|LocalAddress= InterfaceIndex|ifIndex= InterfaceAlias|ifAlias= AddressFamily= "
        f"AddressState= PrefixLength= Type= {_NETWORK}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-NetIPConfiguration": Entry(
        f"1:InterfaceAlias|ifAlias= InterfaceIndex|ifIndex= All|AllInterfaces Detailed {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-NetRoute": Entry(
        "1:DestinationPrefix= InterfaceIndex|ifIndex= InterfaceAlias|ifAlias= NextHop= AddressFamily= "
        f"{_NETWORK}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-NetTCPConnection": Entry(
        "1:LocalAddress|IPAddress= 2:LocalPort= RemoteAddress= RemotePort= State= AppliedSetting= "
        f"OwningProcess= CreationTime= OffloadState= {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-NetUDPEndpoint": Entry(
        f"1:LocalAddress|IPAddress= 2:LocalPort= OwningProcess= CreationTime= {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-NetFirewallProfile": Entry(
        f"1:Name|Profile= All {_NETWORK}", reads=True, piped=Piped.OBJECTS, output=Output.PLAIN
    ),
    "Get-NetFirewallRule": Entry(
        f"1:Name|ID= DisplayName= DisplayGroup= Group= Enabled= Direction= Action= All {_NETWORK}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-DnsClientServerAddress": Entry(
        f"1:InterfaceAlias|ifAlias= InterfaceIndex|ifIndex= AddressFamily= {_REMOTE}",
        reads=True,
        piped=Piped.OBJECTS,
        output=Output.PLAIN,
    ),
    "Get-ScheduledTask": Entry(
        f"1:TaskName= 2:TaskPath= {_REMOTE}", reads=True, piped=Piped.OBJECTS, output=Output.PLAIN
    ),
    "Get-LocalUser": Entry("1:Name= SID=", reads=True, piped=Piped.OBJECTS, output=Output.PLAIN),
    "Get-LocalGroup": Entry("1:Name= SID=", reads=True, piped=Piped.OBJECTS, output=Output.PLAIN),
    "Get-LocalGroupMember": Entry(
        "1:Group|Name= 2:Member= SID=", reads=True, piped=Piped.OBJECTS, output=Output.PLAIN
    ),
    # Files and other items
    "Remove-Item": Entry(
        f"1:Path~ {_LITERAL}~ Recurse Stream= {_CHANGED_ITEMS}",
        aliases="del erase rd ri rm rmdir",
        piped=Piped.PATHS,
    ),
    "Move-Item": Entry(
        f"1:Path~ 2:Destination> {_LITERAL}~ PassThru {_CHANGED_ITEMS}",
        aliases="mi move mv",
        piped=Piped.PATHS,
        writes=Writes.COPY,
    ),
    "Rename-Item": Entry(
        f"1:Path~ 2:NewName> {_LITERAL}~ PassThru {_CHANGED_ITEMS}",
        aliases="ren rni",
        piped=Piped.PATHS,
        writes=Writes.COPY,
    ),
    "Copy-Item": Entry(
        f"1:Path< 2:Destination> {_LITERAL}< Container Recurse PassThru FromSession= ToSession= "
        f"{_CHANGED_ITEMS}",
        aliases="copy cp cpi",
        piped=Piped.PATHS,
        writes=Writes.COPY,
    ),
    "New-Item": Entry(
        f"1:Path> Name= ItemType|Type= Value|Target= Force Credential= {_CONFIRM}",
        aliases="md mkdir ni",
        writes=Writes.GIVEN_TEXT,
    ),
    "Set-Content": Entry(_CONTENT, aliases="sc", piped=Piped.TEXT_TO_FILE, writes=Writes.GIVEN_TEXT),
    "Add-Content": Entry(_CONTENT, aliases="ac", piped=Piped.TEXT_TO_FILE, writes=Writes.GIVEN_TEXT),
    "Clear-Content": Entry(f"1:Path> {_LITERAL}> Stream= {_CHANGED_ITEMS}", aliases="clc", piped=Piped.PATHS),
    "Set-Item": Entry(f"1:Path> 2:Value= {_LITERAL}> PassThru {_CHANGED_ITEMS}", aliases="si"),
    "Clear-Item": Entry(f"1:Path> {_LITERAL}> {_CHANGED_ITEMS}", aliases="cli", piped=Piped.PATHS),
    "Set-ItemProperty": Entry(_PROPERTY, aliases="sp", piped=Piped.PATHS),
    "New-ItemProperty": Entry(_PROPERTY),
    "Clear-ItemProperty": Entry(_PROPERTY, aliases="clp"),
    "Remove-ItemProperty": Entry(_PROPERTY, aliases="rp"),
    "Rename-ItemProperty": Entry(
        f"1:Path> 2:Name= 3:NewName= {_LITERAL}> PassThru {_CHANGED_ITEMS}", aliases="rnp"
    ),
    "Copy-ItemProperty": Entry(
        f"1:Path< 2:Destination> 3:Name= {_LITERAL}< PassThru {_CHANGED_ITEMS}", aliases="cpp"
    ),
    "Move-ItemProperty": Entry(
        f"1:Path> 2:Destination> 3:Name= {_LITERAL}> PassThru {_CHANGED_ITEMS}", aliases="mp"
    ),
    "Set-Acl": Entry(
        f"1:Path> 2:AclObject= {_LITERAL}> InputObject= PassThru ClearCentralAccessPolicy {_CHANGED_ITEMS}"
    ),
    "Out-File": Entry(
        f"1:FilePath|Path> 2:Encoding= {_LITERAL}> Append Force NoClobber|NoOverwrite Width= NoNewline "
        f"InputObject= {_CONFIRM}",
        piped=Piped.TEXT_TO_FILE,
        writes=Writes.GIVEN_TEXT,
    ),
    "Tee-Object": Entry(
        f"1:FilePath|Path> {_LITERAL}> InputObject= Append Variable= Encoding=",
        aliases="tee",
        piped=Piped.TEXT_TO_FILE,
        output=Output.INPUT,
        writes=Writes.GIVEN_TEXT,
    ),
    "Export-Csv": Entry(
        f"1:Path> 2:Delimiter= {_LITERAL}> InputObject= Force NoClobber|NoOverwrite Encoding= Append "
        f"UseCulture IncludeTypeInformation NoTypeInformation|NTI QuoteFields= UseQuotes= NoHeader "
        f"{_CONFIRM}",
        aliases="epcsv",
        piped=Piped.TEXT_TO_FILE,
    ),
    "Export-Clixml": Entry(
        f"1:Path> {_LITERAL}> InputObject= Depth= Force NoClobber|NoOverwrite Encoding= {_CONFIRM}",
        piped=Piped.TEXT_TO_FILE,
    ),
    "Export-Alias": Entry(
        f"1:Path> 2:Name= {_LITERAL}> PassThru As= Append Force NoClobber|NoOverwrite Description= "
        f"{_CONFIRM}",
        aliases="epal",
    ),
    "Export-FormatData": Entry(
        f"Path> {_LITERAL}> InputObject= Force NoClobber|NoOverwrite IncludeScriptBlock"
    ),
    "Start-Transcript": Entry(
        f"1:Path> {_LITERAL}> OutputDirectory> Append Force NoClobber|NoOverwrite {_CONFIRM}"
    ),
    "Compress-Archive": Entry(
        f"1:Path< 2:DestinationPath> {_LITERAL}< CompressionLevel= Update Force PassThru {_CONFIRM}"
    ),
    "Expand-Archive": Entry(f"1:Path< 2:DestinationPath> {_LITERAL}< Force PassThru {_CONFIRM}"),
    "Invoke-WebRequest": Entry(_WEB, aliases="curl iwr wget", writes=Writes.DOWNLOAD),
    "Invoke-RestMethod": Entry(_WEB, aliases="irm", writes=Writes.DOWNLOAD),
    "Start-BitsTransfer": Entry(
        f"1:Source= 2:Destination> TransferType= Credential= DisplayName= Asynchronous {_CONFIRM}",
        writes=Writes.DOWNLOAD,
    ),
    "Set-AuthenticodeSignature": Entry(f"1:FilePath> 2:Certificate= {_LITERAL}> Force {_CONFIRM}"),
    "Unblock-File": Entry(f"1:Path> {_LITERAL}> {_CONFIRM}"),
    # Other commands that run commands
    "Invoke-Expression": Entry("1:Command=", aliases="iex", piped=Piped.CODE),
    "Invoke-Command": Entry(
        "1:ScriptBlock|Command= FilePath= NoNewScope HideComputerName|HCN InDisconnectedSession Port= "
        f"UseSSL HostName= UserName= KeyFilePath= VMName= ContainerId= {_BLOCK}",
        aliases="icm",
        piped=Piped.CODE,
    ),
    "Start-Job": Entry(
        f"1:ScriptBlock|Command= Name= FilePath= {_LITERAL}= InitializationScript= RunAs32 PSVersion= "
        f"WorkingDirectory= {_BLOCK}",
        aliases="sajb",
    ),
    "Start-ThreadJob": Entry(f"1:ScriptBlock= Name= FilePath= InitializationScript= StreamingHost= {_BLOCK}"),
    "Start-Process": Entry(
        "1:FilePath|Path|PSPath= 2:ArgumentList|Args= WorkingDirectory= Verb= Wait NoNewWindow|nnw "
        "WindowStyle= PassThru Credential|RunAs= LoadUserProfile|Lup UseNewEnvironment Environment= "
        f"RedirectStandardOutput|RSO> RedirectStandardError|RSE> RedirectStandardInput|RSI< {_CONFIRM}",
        aliases="saps start",
    ),
    "Set-Alias": Entry(
        f"1:Name= 2:Value= Description= Option= PassThru Scope= Force {_CONFIRM}", aliases="sal"
    ),
    "New-Alias": Entry(
        f"1:Name= 2:Value= Description= Option= PassThru Scope= Force {_CONFIRM}", aliases="nal"
    ),
    "Invoke-Item": Entry(f"1:Path= {_LITERAL}= {_CHANGED_ITEMS}", aliases="ii", piped=Piped.PATHS),
    "Invoke-History": Entry(f"1:Id= {_CONFIRM}", aliases="ihy r"),
    "Trace-Command": Entry(
        "1:Name= 2:Expression= 3:Option= Command= ArgumentList|Args= FilePath> PSHost Force ListenerOption=",
        aliases="trcm",
    ),
    "Register-ScheduledTask": Entry(
        "1:TaskName= 2:TaskPath= Action= Trigger= Settings= User= Password= RunLevel= Force Xml="
    ),
    # Commands of which only the name matters
    "Clear-Disk": Entry(_CONFIRM, catastrophe="wipes a disk"),
    "Clear-History": Entry(_CONFIRM, aliases="clhy"),
    "Clear-Variable": Entry(_CONFIRM, aliases="clv"),
    "Connect-PSSession": Entry(_CONFIRM, aliases="cnsn"),
    "Enter-PSSession": Entry(_CONFIRM, aliases="etsn"),
    "Exit-PSSession": Entry(_CONFIRM, aliases="exsn"),
    "Format-Volume": Entry(_CONFIRM, catastrophe="formats a volume"),
    "Get-Clipboard": Entry(_CONFIRM, aliases="gcb"),
    "Import-Alias": Entry(_CONFIRM, aliases="ipal"),
    "Import-Module": Entry(_CONFIRM, aliases="ipmo"),
    "Import-PSSession": Entry(_CONFIRM, aliases="ipsn"),
    "Initialize-Disk": Entry(_CONFIRM, catastrophe="initializes a disk"),
    "Invoke-CimMethod": Entry(_CONFIRM, aliases="icim"),
    "Invoke-WmiMethod": Entry(_CONFIRM, aliases="iwmi"),
    "New-CimInstance": Entry(_CONFIRM, aliases="ncim"),
    "New-CimSession": Entry(_CONFIRM, aliases="ncms"),
    "New-Module": Entry(_CONFIRM, aliases="nmo"),
    "New-PSDrive": Entry(_CONFIRM, aliases="mount ndr"),
    "New-PSSession": Entry(_CONFIRM, aliases="nsn"),
    "New-Partition": Entry(_CONFIRM, catastrophe="changes the partitions of a disk"),
    "New-Variable": Entry(_CONFIRM, aliases="nv"),
    "Out-GridView": Entry(_CONFIRM, aliases="ogv"),
    "Out-Printer": Entry(_CONFIRM, aliases="lp", piped=Piped.TEXT_TO_FILE),
    "Receive-Job": Entry(_CONFIRM, aliases="rcjb"),
    "Remove-CimInstance": Entry(_CONFIRM, aliases="rcim"),
    "Remove-Job": Entry(_CONFIRM, aliases="rjb"),
    "Remove-Module": Entry(_CONFIRM, aliases="rmo"),
    "Remove-PSDrive": Entry(_CONFIRM, aliases="rdr"),
    "Remove-Partition": Entry(_CONFIRM, catastrophe="removes a partition"),
    "Remove-PhysicalDisk": Entry(_CONFIRM, catastrophe="removes a disk"),
    "Remove-StoragePool": Entry(_CONFIRM, catastrophe="removes a storage pool"),
    "Remove-Variable": Entry(_CONFIRM, aliases="rv"),
    "Remove-VirtualDisk": Entry(_CONFIRM, catastrophe="removes a disk"),
    "Remove-WmiObject": Entry(_CONFIRM, aliases="rwmi"),
    "Reset-PhysicalDisk": Entry(_CONFIRM, catastrophe="resets a disk"),
    "Resize-Partition": Entry(_CONFIRM, catastrophe="changes the partitions of a disk"),
    "Set-CimInstance": Entry(_CONFIRM, aliases="scim"),
    "Set-Clipboard": Entry(_CONFIRM, aliases="scb", piped=Piped.CLIPBOARD),
    "Set-PSBreakpoint": Entry(_CONFIRM, aliases="sbp"),
    "Set-Partition": Entry(_CONFIRM, catastrophe="changes the partitions of a disk"),
    "Set-TimeZone": Entry(_CONFIRM, aliases="stz"),
    "Set-Variable": Entry(_CONFIRM, aliases="set sv"),
    "Set-WmiInstance": Entry(_CONFIRM, aliases="swmi"),
    "Show-Command": Entry(_CONFIRM, aliases="shcm"),
    "Start-Service": Entry(_CONFIRM, aliases="sasv"),
    "Stop-Job": Entry(_CONFIRM, aliases="spjb"),
    "Stop-Process": Entry(_CONFIRM, aliases="kill spps"),
    "Stop-Service": Entry(_CONFIRM, aliases="spsv"),
    "Wait-Job": Entry(_CONFIRM, aliases="wjb"),
    **dict.fromkeys(_NAME_ONLY, Entry(_CONFIRM)),
}

_OTHER_ALIASES = """
    asnp=Add-PSSnapin cfs=ConvertFrom-String dbp=Disable-PSBreakpoint dnsn=Disconnect-PSSession
    ebp=Enable-PSBreakpoint epsn=Export-PSSession gbp=Get-PSBreakpoint gcai=Get-CimAssociatedInstance
    gcms=Get-CimSession gsn=Get-PSSession gsnp=Get-PSSnapin npssc=New-PSSessionConfigurationFile
    rbp=Remove-PSBreakpoint rcms=Remove-CimSession rcsn=Receive-PSSession rsn=Remove-PSSession
    rsnp=Remove-PSSnapin rujb=Resume-Job sujb=Suspend-Job
"""

ALIASES: Mapping[str, str] = {
    **{alias: name for name, entry in CMDLETS.items() for alias in entry.aliases.split()},
    **{pair.partition("=")[0]: pair.partition("=")[2] for pair in _OTHER_ALIASES.split()},
}
"""Default aliases in lower case, with the cmdlet that each means, known or not."""

ALSO_PROGRAMS = frozenset(
    """ac cat clear compare cp cpp curl diff ls man mkdir mount mv ps rm rmdir sleep sort start tee
    wget""".split()
)
"""Aliases on Windows that are programs where PowerShell runs on Linux or macOS."""

READS_EITHER_WAY = frozenset("ls cat ps sleep diff clear".split())
"""Aliases of a cmdlet that reads which, as a program, also only read."""

LOCATION_FUNCTIONS = {"cd..": "..", "cd\\": "\\", "cd/": "/", "cd~": "~"}
"""Functions that only change the directory, with the directory."""

HARMLESS_MEMBERS = frozenset(
    """basename capacity caption cpu count creationtime creationtimeutc definition description directory
    directoryname displayname drivetype enabled exists extension fullname handles hash id index isreadonly
    key keys lastaccesstime lastwritetime lastwritetimeutc length line linenumber manufacturer message mode
    modulename name number parent path processname property providername pspath psparentpath pschildname pid
    size source startmode starttime startuptype state status sum synopsis target timegenerated type value
    values vendor verb version versioninfo workingset ws tostring trim toupper tolower gettype""".split()
)
"""What `ForEach-Object Name` may name: properties, and methods that only compute."""
