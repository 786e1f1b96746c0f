"""A table with one entry per cmdlet, which contains everything that the engine knows about the cmdlet.

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

Only a cmdlet with `reads=True` is harmless; there is no list of dangerous cmdlets.
"""

from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from typing import NamedTuple


class ParameterKind(StrEnum):
    """How a parameter uses its value, by its mark in `parameters`."""

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
        """Whether a piped path can be the value of the parameter."""
        return self in (ParameterKind.READ_PATH, ParameterKind.LOCATION, ParameterKind.REMOVED_PATH)

    @property
    def is_changed_path(self) -> bool:
        """Whether the value of the parameter is a path that the cmdlet changes."""
        return self in (ParameterKind.WRITTEN_PATH, ParameterKind.REMOVED_PATH)


class PipedInput(Enum):
    """How a cmdlet uses its piped input."""

    UNKNOWN = auto()
    PATHS = auto()
    """Each value is a path, or a name that may be a path."""
    OBJECTS = auto()
    """Properties of an object can name a path or another machine."""
    CODE = auto()
    """The cmdlet runs the input."""
    TEXT_TO_FILE = auto()
    """The cmdlet stores the input in the file that its arguments name."""
    CLIPBOARD = auto()
    """The cmdlet stores the input, but in no file."""


class CmdletOutput(Enum):
    """What a cmdlet passes to the next command of a pipeline."""

    UNKNOWN = auto()
    PLAIN = auto()
    """Texts, or objects with fixed properties."""
    CHILDREN = auto()
    """The files in the directories that are given as arguments."""
    ITEMS = auto()
    """The paths that are given as arguments."""
    ARGUMENTS = auto()
    """The values that are given as arguments."""
    JOINED_PATH = auto()
    """One path that is joined from two arguments."""
    INPUT = auto()
    """All of the input."""
    SOME = auto()
    """Some values of the input."""
    SELECTED = auto()
    """Some values of the input, or some of their properties."""
    EACH = auto()
    """One value for each value of the input."""


class WrittenContent(Enum):
    """The content that a cmdlet writes into files which the line may run later."""

    UNKNOWN = auto()
    GIVEN_TEXT = auto()
    DOWNLOAD = auto()
    COPY = auto()


class CmdletEntry(NamedTuple):
    """The description of one cmdlet."""

    parameters: str
    aliases: str = ""
    reads: bool = False
    """True if the cmdlet only reads, shows or computes, as long as no parameter marked with `!` is given."""
    needs_path: bool = False
    """True if the cmdlet reads nothing without a path, as an argument or through the pipe."""
    piped: PipedInput = PipedInput.UNKNOWN
    output: CmdletOutput = CmdletOutput.UNKNOWN
    writes: WrittenContent = WrittenContent.UNKNOWN
    catastrophe: str = ""
    """Why any use of the cmdlet is a catastrophe; otherwise empty."""


_ITEM_PARAMETERS = "LiteralPath|PSPath|LP< Filter= Include= Exclude= Force|fo Credential=!"
_FORMAT_PARAMETERS = (
    "1:Property@* InputObject= GroupBy@ View= ShowError DisplayError Force Expand= AutoSize HideTableHeaders "
    "RepeatHeader Wrap Column= Depth="
)
_TEXT_PARAMETERS = (
    "1:InputObject|Msg|Message|Object=* NoEnumerate Separator= NoNewline ForegroundColor= BackgroundColor="
)
_COMPARE_PARAMETERS = (
    "EQ|IEQ CEQ NE|INE CNE GT|IGT CGT LT|ILT CLT GE|IGE CGE LE|ILE CLE Like|ILike CLike NotLike|INotLike "
    "CNotLike Match|IMatch CMatch NotMatch|INotMatch CNotMatch Contains|IContains CContains "
    "NotContains|INotContains CNotContains In|IIn CIn NotIn|INotIn CNotIn Is IsNot Not"
)
_REMOTE_PARAMETERS = "ComputerName|Cn=! CimSession=! ThrottleLimit= AsJob!"
_NETWORK_PARAMETERS = f"{_REMOTE_PARAMETERS} IncludeAllCompartments PolicyStore=! GPOSession=!"
_CONFIRM_PARAMETERS = "WhatIf|wi Confirm|cf"
_CHANGED_ITEM_PARAMETERS = f"Filter= Include= Exclude= Force Credential= {_CONFIRM_PARAMETERS}"
_LITERAL_PATH_NAMES = "LiteralPath|PSPath|LP"
_CONTENT_PARAMETERS = (
    f"1:Path> 2:Value= {_LITERAL_PATH_NAMES}> {_CHANGED_ITEM_PARAMETERS} PassThru "
    "Encoding= NoNewline AsByteStream Stream="
)
_PROPERTY_PARAMETERS = (
    f"1:Path> 2:Name|PSProperty= 3:Value= {_LITERAL_PATH_NAMES}> "
    f"{_CHANGED_ITEM_PARAMETERS} PassThru Type|PropertyType="
)
_WEB_PARAMETERS = (
    "1:Uri= OutFile> InFile< Method= Body= Headers= UseBasicParsing UserAgent= Form= ContentType= "
    "Credential= WebSession= SessionVariable= UseDefaultCredentials TimeoutSec= MaximumRedirection= Proxy= "
    "PassThru Resume SkipCertificateCheck Token= Authentication= HttpVersion= NoProxy DisableKeepAlive"
)
_BLOCK_PARAMETERS = (
    "ArgumentList|Args= InputObject= ComputerName|Cn= Session= Credential= AsJob JobName= ThrottleLimit="
)

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
"""Cmdlets of which only the name is known, so that rules match all their spellings."""

CMDLETS: Mapping[str, CmdletEntry] = {
    # Files and paths
    "Get-ChildItem": CmdletEntry(
        f"1:Path< 2:Filter|fi|fil= {_ITEM_PARAMETERS} Recurse|s|r Depth= Name Attributes= FollowSymlink! "
        "Directory|ad|d File|af Hidden|ah|h ReadOnly|ar System|as",
        aliases="dir gci ls",
        reads=True,
        piped=PipedInput.PATHS,
        output=CmdletOutput.CHILDREN,
    ),
    "Get-Content": CmdletEntry(
        f"1:Path< {_ITEM_PARAMETERS} ReadCount= TotalCount|First|Head= Tail|Last= Delimiter= Encoding= Raw "
        "AsByteStream Stream= Wait!",
        aliases="cat gc type",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-Item": CmdletEntry(
        f"1:Path< {_ITEM_PARAMETERS} Stream=",
        aliases="gi",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
        output=CmdletOutput.ITEMS,
    ),
    "Get-ItemProperty": CmdletEntry(
        f"1:Path< 2:Name|PSProperty= {_ITEM_PARAMETERS}",
        aliases="gp",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
    ),
    "Get-ItemPropertyValue": CmdletEntry(
        f"1:Path< 2:Name|PSProperty= {_ITEM_PARAMETERS}",
        aliases="gpv",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
    ),
    "Get-FileHash": CmdletEntry(
        "1:Path< LiteralPath|PSPath|LP< 2:Algorithm= InputStream=!",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
    ),
    "Get-Acl": CmdletEntry(
        "1:Path< LiteralPath|PSPath|LP< InputObject= Audit AllCentralAccessPolicies Filter= Include= "
        "Exclude=",
        reads=True,
        piped=PipedInput.PATHS,
    ),
    "Get-AuthenticodeSignature": CmdletEntry(
        "1:FilePath< LiteralPath|PSPath|LP< SourcePathOrExtension= Content=",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
    ),
    "Format-Hex": CmdletEntry(
        "1:Path< LiteralPath|PSPath|LP< InputObject= Encoding= Count= Offset= Raw",
        aliases="fhx",
        reads=True,
        piped=PipedInput.OBJECTS,
    ),
    "Import-Csv": CmdletEntry(
        "1:Path< 2:Delimiter= LiteralPath|PSPath|LP< UseCulture Header= Encoding=",
        aliases="ipcsv",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
    ),
    "Import-PowerShellDataFile": CmdletEntry(
        "1:Path< LiteralPath|PSPath|LP< SkipLimitCheck!", reads=True, needs_path=True, piped=PipedInput.PATHS
    ),
    "Test-Path": CmdletEntry(
        f"1:Path< {_ITEM_PARAMETERS} PathType|Type= IsValid NewerThan= OlderThan=",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
    ),
    "Resolve-Path": CmdletEntry(
        "1:Path< LiteralPath|PSPath|LP< Relative RelativeBasePath< Force Credential=!",
        aliases="rvpa",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
        output=CmdletOutput.ITEMS,
    ),
    "Convert-Path": CmdletEntry(
        "1:Path< LiteralPath|PSPath|LP<",
        aliases="cvpa",
        reads=True,
        needs_path=True,
        piped=PipedInput.PATHS,
        output=CmdletOutput.ITEMS,
    ),
    "Split-Path": CmdletEntry(
        "1:Path= LiteralPath|PSPath|LP= Parent Leaf LeafBase Extension Qualifier NoQualifier IsAbsolute "
        "Resolve! Credential=!",
        reads=True,
        output=CmdletOutput.PLAIN,
    ),
    "Join-Path": CmdletEntry(
        "1:Path|PSPath= 2:ChildPath= 3:AdditionalChildPath=* Extension= Resolve! Credential=!",
        reads=True,
        output=CmdletOutput.JOINED_PATH,
    ),
    "Select-String": CmdletEntry(
        "1:Pattern= 2:Path|FullName<* LiteralPath|PSPath|LP< InputObject= SimpleMatch CaseSensitive Quiet "
        "List NoEmphasis Include= Exclude= NotMatch AllMatches Encoding= Context= Culture= Raw",
        aliases="sls",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Compare-Object": CmdletEntry(
        "1:ReferenceObject= 2:DifferenceObject= SyncWindow= Property@ ExcludeDifferent IncludeEqual "
        "PassThru Culture= CaseSensitive",
        aliases="compare diff",
        reads=True,
    ),
    "Get-Location": CmdletEntry(
        "PSProvider= PSDrive= Stack StackName=", aliases="gl pwd", reads=True, output=CmdletOutput.PLAIN
    ),
    "Set-Location": CmdletEntry(
        "1:Path^ LiteralPath|PSPath|LP^ PassThru StackName=",
        aliases="cd chdir sl",
        reads=True,
        piped=PipedInput.PATHS,
    ),
    "Push-Location": CmdletEntry(
        "1:Path^ LiteralPath|PSPath|LP^ PassThru StackName=",
        aliases="pushd",
        reads=True,
        piped=PipedInput.PATHS,
    ),
    "Pop-Location": CmdletEntry("PassThru StackName=", aliases="popd", reads=True),
    "Get-PSDrive": CmdletEntry(
        "1:Name= LiteralName= Scope= PSProvider=", aliases="gdr", reads=True, output=CmdletOutput.PLAIN
    ),
    "Get-PSProvider": CmdletEntry("1:PSProvider=", reads=True),
    # Objects in a pipe
    "Where-Object": CmdletEntry(
        f"1:FilterScript|Property@ 2:Value= InputObject= {_COMPARE_PARAMETERS}",
        aliases="? where",
        reads=True,
        output=CmdletOutput.SOME,
    ),
    "ForEach-Object": CmdletEntry(
        "1:Process.* Begin{ End{ RemainingScripts{ Parallel{ MemberName. InputObject= ArgumentList|Args=! "
        "ThrottleLimit= TimeoutSeconds= UseNewRunspace AsJob!",
        aliases="% foreach",
        reads=True,
        output=CmdletOutput.EACH,
    ),
    "Select-Object": CmdletEntry(
        "1:Property@* InputObject= ExcludeProperty= ExpandProperty= Unique CaseInsensitive First= Last= "
        "Skip= SkipLast= SkipIndex= Index= Wait",
        aliases="select",
        reads=True,
        output=CmdletOutput.SELECTED,
    ),
    "Sort-Object": CmdletEntry(
        "1:Property@* InputObject= Descending Unique CaseSensitive Culture= Stable Top= Bottom=",
        aliases="sort",
        reads=True,
        output=CmdletOutput.INPUT,
    ),
    "Group-Object": CmdletEntry(
        "1:Property@* InputObject= NoElement AsHashTable|AHT AsString Culture= CaseSensitive",
        aliases="group",
        reads=True,
    ),
    "Measure-Object": CmdletEntry(
        "1:Property@* InputObject= Sum Average Maximum Minimum StandardDeviation AllStats Line Word "
        "Character IgnoreWhiteSpace",
        aliases="measure",
        reads=True,
        output=CmdletOutput.PLAIN,
    ),
    "Get-Member": CmdletEntry(
        "1:Name= InputObject= MemberType|Type= View= Static Force", aliases="gm", reads=True
    ),
    "Get-Unique": CmdletEntry(
        "InputObject= AsString OnType CaseInsensitive", aliases="gu", reads=True, output=CmdletOutput.INPUT
    ),
    "Format-Table": CmdletEntry(_FORMAT_PARAMETERS, aliases="ft", reads=True),
    "Format-List": CmdletEntry(_FORMAT_PARAMETERS, aliases="fl", reads=True),
    "Format-Wide": CmdletEntry(_FORMAT_PARAMETERS, aliases="fw", reads=True),
    "Format-Custom": CmdletEntry(_FORMAT_PARAMETERS, aliases="fc", reads=True),
    "Out-String": CmdletEntry("InputObject= Width= Stream NoNewline", reads=True, output=CmdletOutput.PLAIN),
    "Out-Host": CmdletEntry("InputObject= Paging!", aliases="oh", reads=True),
    "Out-Default": CmdletEntry("InputObject= Transcript!", reads=True),
    "Out-Null": CmdletEntry("InputObject=", reads=True),
    "ConvertTo-Json": CmdletEntry(
        "1:InputObject= Depth= Compress EnumsAsStrings AsArray EscapeHandling=",
        reads=True,
        output=CmdletOutput.PLAIN,
    ),
    "ConvertFrom-Json": CmdletEntry("1:InputObject= AsHashtable Depth= NoEnumerate DateKind=", reads=True),
    "ConvertTo-Csv": CmdletEntry(
        "1:InputObject= 2:Delimiter= UseCulture IncludeTypeInformation|ITI NoTypeInformation|NTI "
        "QuoteFields|QF= UseQuotes|UQ= NoHeader",
        reads=True,
        output=CmdletOutput.PLAIN,
    ),
    "ConvertFrom-Csv": CmdletEntry("1:InputObject= 2:Delimiter= UseCulture Header=", reads=True),
    "ConvertTo-Html": CmdletEntry(
        "1:Property@ 2:Head= 3:Title= 4:Body= InputObject= As= Fragment PreContent= PostContent= CssUri= "
        "Meta= Charset= Transitional",
        reads=True,
        output=CmdletOutput.PLAIN,
    ),
    "ConvertTo-Xml": CmdletEntry("1:InputObject= Depth= NoTypeInformation As=", reads=True),
    "ConvertFrom-StringData": CmdletEntry("1:StringData= Delimiter=", reads=True),
    "Test-Json": CmdletEntry(
        "1:Json= 2:Schema=! SchemaFile<! Options= Path< LiteralPath|PSPath|LP<",
        reads=True,
        piped=PipedInput.OBJECTS,
    ),
    # Text and time
    "Write-Output": CmdletEntry(
        _TEXT_PARAMETERS,
        aliases="echo write",
        reads=True,
        output=CmdletOutput.ARGUMENTS,
        writes=WrittenContent.GIVEN_TEXT,
    ),
    "Write-Host": CmdletEntry(_TEXT_PARAMETERS, reads=True, writes=WrittenContent.GIVEN_TEXT),
    "Write-Verbose": CmdletEntry("1:Message|Msg=", reads=True),
    "Write-Debug": CmdletEntry("1:Message|Msg=", reads=True),
    "Write-Warning": CmdletEntry("1:Message|Msg=", reads=True),
    "Write-Information": CmdletEntry("1:MessageData|Msg|Message= 2:Tags=", reads=True),
    "Write-Error": CmdletEntry(
        "1:Message|Msg= Exception= ErrorRecord= Category= ErrorId= TargetObject= RecommendedAction= "
        "CategoryActivity= CategoryReason= CategoryTargetName= CategoryTargetType=",
        reads=True,
    ),
    "Write-Progress": CmdletEntry(
        "1:Activity= 2:Status= 3:Id= PercentComplete= SecondsRemaining= CurrentOperation= ParentId= "
        "Completed SourceId=",
        reads=True,
    ),
    "Get-Date": CmdletEntry(
        "1:Date|LastWriteTime= Year= Month= Day= Hour= Minute= Second= Millisecond= UnixTimeSeconds= "
        "DisplayHint= Format= UFormat= AsUTC",
        reads=True,
        output=CmdletOutput.PLAIN,
    ),
    "New-TimeSpan": CmdletEntry(
        "1:Start|LastWriteTime= 2:End= Days= Hours= Minutes= Seconds= Milliseconds=", reads=True
    ),
    "Start-Sleep": CmdletEntry("1:Seconds= Milliseconds|ms= Duration|ts=", aliases="sleep", reads=True),
    "Get-Random": CmdletEntry("1:Maximum= Minimum= InputObject= Count= SetSeed= Shuffle", reads=True),
    "New-Guid": CmdletEntry("Empty InputObject=", reads=True),
    "Get-Culture": CmdletEntry(
        "1:Name= NoUserOverrides ListAvailable", reads=True, output=CmdletOutput.PLAIN
    ),
    "Get-UICulture": CmdletEntry("", reads=True),
    "Get-TimeZone": CmdletEntry(
        "1:Name= Id= ListAvailable", aliases="gtz", reads=True, output=CmdletOutput.PLAIN
    ),
    "Measure-Command": CmdletEntry("1:Expression{ InputObject=", reads=True),
    "Clear-Host": CmdletEntry("", aliases="clear cls", reads=True),
    # The session
    "Get-Command": CmdletEntry(
        "1:Name^ 2:ArgumentList|Args=! Verb= Noun= Module|PSModule^ FullyQualifiedModule= "
        "CommandType|Type= TotalCount= Syntax ShowCommandInfo All ListImported ParameterName= "
        "ParameterType= UseFuzzyMatching UseAbbreviationExpansion FuzzyMinimumDistance=",
        aliases="gcm",
        reads=True,
        piped=PipedInput.PATHS,
    ),
    "Get-Help": CmdletEntry(
        "1:Name^ Path=! Category= Component= Functionality= Role= Detailed Full Examples Parameter= "
        "Online! ShowWindow!",
        aliases="help man",
        reads=True,
        piped=PipedInput.PATHS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-Module": CmdletEntry(
        "1:Name^ FullyQualifiedName= All ListAvailable PSEdition= SkipEditionCheck Refresh! PSSession=! "
        "CimSession=! CimResourceUri=! CimNamespace=!",
        aliases="gmo",
        reads=True,
        piped=PipedInput.PATHS,
    ),
    "Get-Alias": CmdletEntry(
        "1:Name= Exclude= Scope= Definition=", aliases="gal", reads=True, output=CmdletOutput.PLAIN
    ),
    "Get-Variable": CmdletEntry("1:Name= ValueOnly Include= Exclude= Scope=", aliases="gv", reads=True),
    "Get-History": CmdletEntry(
        "1:Id= 2:Count=", aliases="ghy h history", reads=True, output=CmdletOutput.PLAIN
    ),
    "Get-Host": CmdletEntry("", reads=True, output=CmdletOutput.PLAIN),
    "Get-Verb": CmdletEntry("1:Verb= 2:Group=", reads=True, output=CmdletOutput.PLAIN),
    "Get-Error": CmdletEntry("1:InputObject= Newest=", aliases="gerr", reads=True),
    "Get-Uptime": CmdletEntry("Since", reads=True),
    "Get-PSCallStack": CmdletEntry("", aliases="gcs", reads=True),
    "Get-ExecutionPolicy": CmdletEntry("1:Scope= List", reads=True),
    "Get-Job": CmdletEntry(
        "1:Id= Name= IncludeChildJob ChildJobState= HasMoreData= Before= After= Newest= State= "
        "InstanceId= Command= Filter=!",
        aliases="gjb",
        reads=True,
    ),
    "Set-StrictMode": CmdletEntry("Version= Off", reads=True),
    "New-Object": CmdletEntry("1:TypeName= 2:ArgumentList|Args= Property= Strict ComObject=!", reads=True),
    # The machine: these read only the local machine; parameters for another machine are marked
    "Get-Process": CmdletEntry(
        "1:Name|ProcessName= Id|PID= InputObject= IncludeUserName Module FileVersionInfo|FV|FVI "
        "ComputerName|Cn=!",
        aliases="gps ps",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-Service": CmdletEntry(
        "1:Name|ServiceName= DisplayName= Include= Exclude= InputObject= DependentServices|DS "
        "RequiredServices|SDO|ServicesDependedOn ComputerName|Cn=!",
        aliases="gsv",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-ComputerInfo": CmdletEntry(
        "1:Property=", aliases="gin", reads=True, piped=PipedInput.OBJECTS, output=CmdletOutput.PLAIN
    ),
    "Get-HotFix": CmdletEntry(
        "1:Id|HFID= Description= ComputerName|Cn=! Credential=!",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-EventLog": CmdletEntry(
        "1:LogName|LN= 2:InstanceId= Newest= After= Before= UserName= Index= EntryType|ET= Source|ABO= "
        "Message|MSG= AsBaseObject List AsString ComputerName|Cn=!",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-WinEvent": CmdletEntry(
        "1:LogName= ListLog= ListProvider= ProviderName= FilterXPath= FilterXml= FilterHashtable= "
        "MaxEvents= Force Oldest Path=! ComputerName|Cn=! Credential=!",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-CimInstance": CmdletEntry(
        "1:ClassName= Filter= Property|SelectProperties= Namespace^ Query= QueryDialect= KeyOnly Shallow "
        "OperationTimeoutSec|OT= InputObject=! ResourceUri=! ComputerName|CN|ServerName=! CimSession=!",
        aliases="gcim",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-CimClass": CmdletEntry(
        "1:ClassName= 2:Namespace^ MethodName= PropertyName= QualifierName= OperationTimeoutSec= "
        "ComputerName=! CimSession=!",
        aliases="gcls",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-WmiObject": CmdletEntry(
        "1:Class|ClassName= 2:Property= Filter= Query= Namespace|NS^ List Recurse Amended DirectRead "
        "ComputerName|Cn=! Credential=! Authority=! Impersonation=! Authentication=! Locale=! "
        "EnableAllPrivileges! AsJob! ThrottleLimit=!",
        aliases="gwmi",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-Volume": CmdletEntry(
        "1:DriveLetter= ObjectId= UniqueId= Path= FileSystemLabel= FilePath^ DiskImage= "
        f"{_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-Disk": CmdletEntry(
        f"1:Number|DeviceId= UniqueId|Id= FriendlyName= SerialNumber= Path= {_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-PhysicalDisk": CmdletEntry(
        "UniqueId|Id= FriendlyName= SerialNumber= ObjectId= DeviceNumber= CanPool= Usage= "
        f"{_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-Partition": CmdletEntry(
        f"DiskNumber= PartitionNumber|Number= DriveLetter= DiskId= Offset= UniqueId= {_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-NetAdapter": CmdletEntry(
        "1:Name|ifAlias= InterfaceDescription= InterfaceIndex|ifIndex= Physical IncludeHidden "
        f"{_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-NetIPAddress": CmdletEntry(
        "1:IPAddress|LocalAddress= InterfaceIndex|ifIndex= InterfaceAlias|ifAlias= AddressFamily= "
        f"AddressState= PrefixLength= Type= {_NETWORK_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-NetIPConfiguration": CmdletEntry(
        f"1:InterfaceAlias|ifAlias= InterfaceIndex|ifIndex= All|AllInterfaces Detailed {_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-NetRoute": CmdletEntry(
        "1:DestinationPrefix= InterfaceIndex|ifIndex= InterfaceAlias|ifAlias= NextHop= AddressFamily= "
        f"{_NETWORK_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-NetTCPConnection": CmdletEntry(
        "1:LocalAddress|IPAddress= 2:LocalPort= RemoteAddress= RemotePort= State= AppliedSetting= "
        f"OwningProcess= CreationTime= OffloadState= {_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-NetUDPEndpoint": CmdletEntry(
        f"1:LocalAddress|IPAddress= 2:LocalPort= OwningProcess= CreationTime= {_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-NetFirewallProfile": CmdletEntry(
        f"1:Name|Profile= All {_NETWORK_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-NetFirewallRule": CmdletEntry(
        f"1:Name|ID= DisplayName= DisplayGroup= Group= Enabled= Direction= Action= All {_NETWORK_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-DnsClientServerAddress": CmdletEntry(
        f"1:InterfaceAlias|ifAlias= InterfaceIndex|ifIndex= AddressFamily= {_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-ScheduledTask": CmdletEntry(
        f"1:TaskName= 2:TaskPath= {_REMOTE_PARAMETERS}",
        reads=True,
        piped=PipedInput.OBJECTS,
        output=CmdletOutput.PLAIN,
    ),
    "Get-LocalUser": CmdletEntry(
        "1:Name= SID=", reads=True, piped=PipedInput.OBJECTS, output=CmdletOutput.PLAIN
    ),
    "Get-LocalGroup": CmdletEntry(
        "1:Name= SID=", reads=True, piped=PipedInput.OBJECTS, output=CmdletOutput.PLAIN
    ),
    "Get-LocalGroupMember": CmdletEntry(
        "1:Group|Name= 2:Member= SID=", reads=True, piped=PipedInput.OBJECTS, output=CmdletOutput.PLAIN
    ),
    # Files and other items
    "Remove-Item": CmdletEntry(
        f"1:Path~ {_LITERAL_PATH_NAMES}~ Recurse Stream= {_CHANGED_ITEM_PARAMETERS}",
        aliases="del erase rd ri rm rmdir",
        piped=PipedInput.PATHS,
    ),
    "Move-Item": CmdletEntry(
        f"1:Path~ 2:Destination> {_LITERAL_PATH_NAMES}~ PassThru {_CHANGED_ITEM_PARAMETERS}",
        aliases="mi move mv",
        piped=PipedInput.PATHS,
        writes=WrittenContent.COPY,
    ),
    "Rename-Item": CmdletEntry(
        f"1:Path~ 2:NewName> {_LITERAL_PATH_NAMES}~ PassThru {_CHANGED_ITEM_PARAMETERS}",
        aliases="ren rni",
        piped=PipedInput.PATHS,
        writes=WrittenContent.COPY,
    ),
    "Copy-Item": CmdletEntry(
        f"1:Path< 2:Destination> {_LITERAL_PATH_NAMES}< Container Recurse PassThru FromSession= ToSession= "
        f"{_CHANGED_ITEM_PARAMETERS}",
        aliases="copy cp cpi",
        piped=PipedInput.PATHS,
        writes=WrittenContent.COPY,
    ),
    "New-Item": CmdletEntry(
        f"1:Path> Name= ItemType|Type= Value|Target= Force Credential= {_CONFIRM_PARAMETERS}",
        aliases="md mkdir ni",
        writes=WrittenContent.GIVEN_TEXT,
    ),
    "Set-Content": CmdletEntry(
        _CONTENT_PARAMETERS, aliases="sc", piped=PipedInput.TEXT_TO_FILE, writes=WrittenContent.GIVEN_TEXT
    ),
    "Add-Content": CmdletEntry(
        _CONTENT_PARAMETERS, aliases="ac", piped=PipedInput.TEXT_TO_FILE, writes=WrittenContent.GIVEN_TEXT
    ),
    "Clear-Content": CmdletEntry(
        f"1:Path> {_LITERAL_PATH_NAMES}> Stream= {_CHANGED_ITEM_PARAMETERS}",
        aliases="clc",
        piped=PipedInput.PATHS,
    ),
    "Set-Item": CmdletEntry(
        f"1:Path> 2:Value= {_LITERAL_PATH_NAMES}> PassThru {_CHANGED_ITEM_PARAMETERS}", aliases="si"
    ),
    "Clear-Item": CmdletEntry(
        f"1:Path> {_LITERAL_PATH_NAMES}> {_CHANGED_ITEM_PARAMETERS}", aliases="cli", piped=PipedInput.PATHS
    ),
    "Set-ItemProperty": CmdletEntry(_PROPERTY_PARAMETERS, aliases="sp", piped=PipedInput.PATHS),
    "New-ItemProperty": CmdletEntry(_PROPERTY_PARAMETERS),
    "Clear-ItemProperty": CmdletEntry(_PROPERTY_PARAMETERS, aliases="clp"),
    "Remove-ItemProperty": CmdletEntry(_PROPERTY_PARAMETERS, aliases="rp"),
    "Rename-ItemProperty": CmdletEntry(
        f"1:Path> 2:Name= 3:NewName= {_LITERAL_PATH_NAMES}> PassThru {_CHANGED_ITEM_PARAMETERS}",
        aliases="rnp",
    ),
    "Copy-ItemProperty": CmdletEntry(
        f"1:Path< 2:Destination> 3:Name= {_LITERAL_PATH_NAMES}< PassThru {_CHANGED_ITEM_PARAMETERS}",
        aliases="cpp",
    ),
    "Move-ItemProperty": CmdletEntry(
        f"1:Path> 2:Destination> 3:Name= {_LITERAL_PATH_NAMES}> PassThru {_CHANGED_ITEM_PARAMETERS}",
        aliases="mp",
    ),
    "Set-Acl": CmdletEntry(
        f"1:Path> 2:AclObject= {_LITERAL_PATH_NAMES}> InputObject= PassThru "
        f"ClearCentralAccessPolicy {_CHANGED_ITEM_PARAMETERS}"
    ),
    "Out-File": CmdletEntry(
        f"1:FilePath|Path> 2:Encoding= {_LITERAL_PATH_NAMES}> Append Force "
        "NoClobber|NoOverwrite Width= NoNewline "
        f"InputObject= {_CONFIRM_PARAMETERS}",
        piped=PipedInput.TEXT_TO_FILE,
        writes=WrittenContent.GIVEN_TEXT,
    ),
    "Tee-Object": CmdletEntry(
        f"1:FilePath|Path> {_LITERAL_PATH_NAMES}> InputObject= Append Variable= Encoding=",
        aliases="tee",
        piped=PipedInput.TEXT_TO_FILE,
        output=CmdletOutput.INPUT,
        writes=WrittenContent.GIVEN_TEXT,
    ),
    "Export-Csv": CmdletEntry(
        f"1:Path> 2:Delimiter= {_LITERAL_PATH_NAMES}> InputObject= Force NoClobber|NoOverwrite "
        "Encoding= Append "
        f"UseCulture IncludeTypeInformation NoTypeInformation|NTI QuoteFields= UseQuotes= NoHeader "
        f"{_CONFIRM_PARAMETERS}",
        aliases="epcsv",
        piped=PipedInput.TEXT_TO_FILE,
    ),
    "Export-Clixml": CmdletEntry(
        f"1:Path> {_LITERAL_PATH_NAMES}> InputObject= Depth= Force NoClobber|NoOverwrite "
        f"Encoding= {_CONFIRM_PARAMETERS}",
        piped=PipedInput.TEXT_TO_FILE,
    ),
    "Export-Alias": CmdletEntry(
        f"1:Path> 2:Name= {_LITERAL_PATH_NAMES}> PassThru As= Append Force "
        "NoClobber|NoOverwrite Description= "
        f"{_CONFIRM_PARAMETERS}",
        aliases="epal",
    ),
    "Export-FormatData": CmdletEntry(
        f"Path> {_LITERAL_PATH_NAMES}> InputObject= Force NoClobber|NoOverwrite IncludeScriptBlock"
    ),
    "Start-Transcript": CmdletEntry(
        f"1:Path> {_LITERAL_PATH_NAMES}> OutputDirectory> Append Force NoClobber|NoOverwrite "
        f"{_CONFIRM_PARAMETERS}"
    ),
    "Compress-Archive": CmdletEntry(
        f"1:Path< 2:DestinationPath> {_LITERAL_PATH_NAMES}< CompressionLevel= Update Force "
        f"PassThru {_CONFIRM_PARAMETERS}"
    ),
    "Expand-Archive": CmdletEntry(
        f"1:Path< 2:DestinationPath> {_LITERAL_PATH_NAMES}< Force PassThru {_CONFIRM_PARAMETERS}"
    ),
    "Invoke-WebRequest": CmdletEntry(
        _WEB_PARAMETERS, aliases="curl iwr wget", writes=WrittenContent.DOWNLOAD
    ),
    "Invoke-RestMethod": CmdletEntry(_WEB_PARAMETERS, aliases="irm", writes=WrittenContent.DOWNLOAD),
    "Start-BitsTransfer": CmdletEntry(
        f"1:Source= 2:Destination> TransferType= Credential= DisplayName= Asynchronous {_CONFIRM_PARAMETERS}",
        writes=WrittenContent.DOWNLOAD,
    ),
    "Set-AuthenticodeSignature": CmdletEntry(
        f"1:FilePath> 2:Certificate= {_LITERAL_PATH_NAMES}> Force {_CONFIRM_PARAMETERS}"
    ),
    "Unblock-File": CmdletEntry(f"1:Path> {_LITERAL_PATH_NAMES}> {_CONFIRM_PARAMETERS}"),
    # Other commands that run commands
    "Invoke-Expression": CmdletEntry("1:Command=", aliases="iex", piped=PipedInput.CODE),
    "Invoke-Command": CmdletEntry(
        "1:ScriptBlock|Command= FilePath= NoNewScope HideComputerName|HCN InDisconnectedSession Port= "
        f"UseSSL HostName= UserName= KeyFilePath= VMName= ContainerId= {_BLOCK_PARAMETERS}",
        aliases="icm",
        piped=PipedInput.CODE,
    ),
    "Start-Job": CmdletEntry(
        f"1:ScriptBlock|Command= Name= FilePath= {_LITERAL_PATH_NAMES}= InitializationScript= "
        "RunAs32 PSVersion= "
        f"WorkingDirectory= {_BLOCK_PARAMETERS}",
        aliases="sajb",
    ),
    "Start-ThreadJob": CmdletEntry(
        f"1:ScriptBlock= Name= FilePath= InitializationScript= StreamingHost= {_BLOCK_PARAMETERS}"
    ),
    "Start-Process": CmdletEntry(
        "1:FilePath|Path|PSPath= 2:ArgumentList|Args= WorkingDirectory= Verb= Wait NoNewWindow|nnw "
        "WindowStyle= PassThru Credential|RunAs= LoadUserProfile|Lup UseNewEnvironment Environment= "
        "RedirectStandardOutput|RSO> RedirectStandardError|RSE> RedirectStandardInput|RSI< "
        f"{_CONFIRM_PARAMETERS}",
        aliases="saps start",
    ),
    "Set-Alias": CmdletEntry(
        f"1:Name= 2:Value= Description= Option= PassThru Scope= Force {_CONFIRM_PARAMETERS}", aliases="sal"
    ),
    "New-Alias": CmdletEntry(
        f"1:Name= 2:Value= Description= Option= PassThru Scope= Force {_CONFIRM_PARAMETERS}", aliases="nal"
    ),
    "Invoke-Item": CmdletEntry(
        f"1:Path= {_LITERAL_PATH_NAMES}= {_CHANGED_ITEM_PARAMETERS}", aliases="ii", piped=PipedInput.PATHS
    ),
    "Invoke-History": CmdletEntry(f"1:Id= {_CONFIRM_PARAMETERS}", aliases="ihy r"),
    "Trace-Command": CmdletEntry(
        "1:Name= 2:Expression= 3:Option= Command= ArgumentList|Args= FilePath> PSHost Force ListenerOption=",
        aliases="trcm",
    ),
    "Register-ScheduledTask": CmdletEntry(
        "1:TaskName= 2:TaskPath= Action= Trigger= Settings= User= Password= RunLevel= Force Xml="
    ),
    # Commands that are known only by name
    "Clear-Disk": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="wipes a disk"),
    "Clear-History": CmdletEntry(_CONFIRM_PARAMETERS, aliases="clhy"),
    "Clear-Variable": CmdletEntry(_CONFIRM_PARAMETERS, aliases="clv"),
    "Connect-PSSession": CmdletEntry(_CONFIRM_PARAMETERS, aliases="cnsn"),
    "Enter-PSSession": CmdletEntry(_CONFIRM_PARAMETERS, aliases="etsn"),
    "Exit-PSSession": CmdletEntry(_CONFIRM_PARAMETERS, aliases="exsn"),
    "Format-Volume": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="formats a volume"),
    "Get-Clipboard": CmdletEntry(_CONFIRM_PARAMETERS, aliases="gcb"),
    "Import-Alias": CmdletEntry(_CONFIRM_PARAMETERS, aliases="ipal"),
    "Import-Module": CmdletEntry(_CONFIRM_PARAMETERS, aliases="ipmo"),
    "Import-PSSession": CmdletEntry(_CONFIRM_PARAMETERS, aliases="ipsn"),
    "Initialize-Disk": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="initializes a disk"),
    "Invoke-CimMethod": CmdletEntry(_CONFIRM_PARAMETERS, aliases="icim"),
    "Invoke-WmiMethod": CmdletEntry(_CONFIRM_PARAMETERS, aliases="iwmi"),
    "New-CimInstance": CmdletEntry(_CONFIRM_PARAMETERS, aliases="ncim"),
    "New-CimSession": CmdletEntry(_CONFIRM_PARAMETERS, aliases="ncms"),
    "New-Module": CmdletEntry(_CONFIRM_PARAMETERS, aliases="nmo"),
    "New-PSDrive": CmdletEntry(_CONFIRM_PARAMETERS, aliases="mount ndr"),
    "New-PSSession": CmdletEntry(_CONFIRM_PARAMETERS, aliases="nsn"),
    "New-Partition": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="changes the partitions of a disk"),
    "New-Variable": CmdletEntry(_CONFIRM_PARAMETERS, aliases="nv"),
    "Out-GridView": CmdletEntry(_CONFIRM_PARAMETERS, aliases="ogv"),
    "Out-Printer": CmdletEntry(_CONFIRM_PARAMETERS, aliases="lp", piped=PipedInput.TEXT_TO_FILE),
    "Receive-Job": CmdletEntry(_CONFIRM_PARAMETERS, aliases="rcjb"),
    "Remove-CimInstance": CmdletEntry(_CONFIRM_PARAMETERS, aliases="rcim"),
    "Remove-Job": CmdletEntry(_CONFIRM_PARAMETERS, aliases="rjb"),
    "Remove-Module": CmdletEntry(_CONFIRM_PARAMETERS, aliases="rmo"),
    "Remove-PSDrive": CmdletEntry(_CONFIRM_PARAMETERS, aliases="rdr"),
    "Remove-Partition": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="removes a partition"),
    "Remove-PhysicalDisk": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="removes a disk"),
    "Remove-StoragePool": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="removes a storage pool"),
    "Remove-Variable": CmdletEntry(_CONFIRM_PARAMETERS, aliases="rv"),
    "Remove-VirtualDisk": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="removes a disk"),
    "Remove-WmiObject": CmdletEntry(_CONFIRM_PARAMETERS, aliases="rwmi"),
    "Reset-PhysicalDisk": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="resets a disk"),
    "Resize-Partition": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="changes the partitions of a disk"),
    "Set-CimInstance": CmdletEntry(_CONFIRM_PARAMETERS, aliases="scim"),
    "Set-Clipboard": CmdletEntry(_CONFIRM_PARAMETERS, aliases="scb", piped=PipedInput.CLIPBOARD),
    "Set-PSBreakpoint": CmdletEntry(_CONFIRM_PARAMETERS, aliases="sbp"),
    "Set-Partition": CmdletEntry(_CONFIRM_PARAMETERS, catastrophe="changes the partitions of a disk"),
    "Set-TimeZone": CmdletEntry(_CONFIRM_PARAMETERS, aliases="stz"),
    "Set-Variable": CmdletEntry(_CONFIRM_PARAMETERS, aliases="set sv"),
    "Set-WmiInstance": CmdletEntry(_CONFIRM_PARAMETERS, aliases="swmi"),
    "Show-Command": CmdletEntry(_CONFIRM_PARAMETERS, aliases="shcm"),
    "Start-Service": CmdletEntry(_CONFIRM_PARAMETERS, aliases="sasv"),
    "Stop-Job": CmdletEntry(_CONFIRM_PARAMETERS, aliases="spjb"),
    "Stop-Process": CmdletEntry(_CONFIRM_PARAMETERS, aliases="kill spps"),
    "Stop-Service": CmdletEntry(_CONFIRM_PARAMETERS, aliases="spsv"),
    "Wait-Job": CmdletEntry(_CONFIRM_PARAMETERS, aliases="wjb"),
    **dict.fromkeys(_NAME_ONLY, CmdletEntry(_CONFIRM_PARAMETERS)),
}
"""The known cmdlets by name."""

_OTHER_ALIASES = """
    asnp=Add-PSSnapin cfs=ConvertFrom-String dbp=Disable-PSBreakpoint dnsn=Disconnect-PSSession
    ebp=Enable-PSBreakpoint epsn=Export-PSSession gbp=Get-PSBreakpoint gcai=Get-CimAssociatedInstance
    gcms=Get-CimSession gsn=Get-PSSession gsnp=Get-PSSnapin npssc=New-PSSessionConfigurationFile
    rbp=Remove-PSBreakpoint rcms=Remove-CimSession rcsn=Receive-PSSession rsn=Remove-PSSession
    rsnp=Remove-PSSnapin rujb=Resume-Job sujb=Suspend-Job
"""
"""Default aliases of cmdlets without an entry of their own."""

ALIASES: Mapping[str, str] = {
    **{alias: name for name, entry in CMDLETS.items() for alias in entry.aliases.split()},
    **{pair.partition("=")[0]: pair.partition("=")[2] for pair in _OTHER_ALIASES.split()},
}
"""Default aliases in lower case, each with the cmdlet that it means."""

ALSO_PROGRAMS = frozenset(
    """ac cat clear compare cp cpp curl diff ls man mkdir mount mv ps rm rmdir sleep sort start tee
    wget""".split()
)
"""Aliases on Windows that are programs on Linux or macOS."""

READS_EITHER_WAY = frozenset("ls cat ps sleep diff clear".split())
"""Aliases that only read, both as a cmdlet and as a program."""

LOCATION_FUNCTIONS = {"cd..": "..", "cd\\": "\\", "cd/": "/", "cd~": "~"}
"""Functions that only change the directory, each with the directory."""

HARMLESS_MEMBERS = frozenset(
    """basename capacity caption cpu count creationtime creationtimeutc definition description directory
    directoryname displayname drivetype enabled exists extension fullname handles hash id index isreadonly
    key keys lastaccesstime lastwritetime lastwritetimeutc length line linenumber manufacturer message mode
    modulename name number parent path processname property providername pspath psparentpath pschildname pid
    size source startmode starttime startuptype state status sum synopsis target timegenerated type value
    values vendor verb version versioninfo workingset ws tostring trim toupper tolower gettype""".split()
)
"""Members that `ForEach-Object Name` may use: properties, and methods that only compute."""
