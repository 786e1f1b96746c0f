"""PowerShell's commands that show what a machine is and does, with their parameters (see `cmdlets`)."""

_REMOTE = "ComputerName|Cn=! CimSession=! ThrottleLimit= AsJob!"
_NETWORK = f"{_REMOTE} IncludeAllCompartments PolicyStore=! GPOSession=!"

MACHINE: dict[str, str] = {
    "Get-Process": (
        "1:Name|ProcessName= Id|PID= InputObject= IncludeUserName Module FileVersionInfo|FV|FVI "
        "ComputerName|Cn=!"
    ),
    "Get-Service": (
        "1:Name|ServiceName= DisplayName= Include= Exclude= InputObject= DependentServices|DS "
        "RequiredServices|SDO|ServicesDependedOn ComputerName|Cn=!"
    ),
    "Get-ComputerInfo": "1:Property=",
    "Get-HotFix": "1:Id|HFID= Description= ComputerName|Cn=! Credential=!",
    "Get-EventLog": (
        "1:LogName|LN= 2:InstanceId= Newest= After= Before= UserName= Index= EntryType|ET= Source|ABO= "
        "Message|MSG= AsBaseObject List AsString ComputerName|Cn=!"
    ),
    "Get-WinEvent": (
        "1:LogName= ListLog= ListProvider= ProviderName= FilterXPath= FilterXml= FilterHashtable= "
        "MaxEvents= Force Oldest Path=! ComputerName|Cn=! Credential=!"
    ),
    "Get-CimInstance": (
        "1:ClassName= Filter= Property|SelectProperties= Namespace^ Query= QueryDialect= KeyOnly Shallow "
        "OperationTimeoutSec|OT= InputObject=! ResourceUri=! ComputerName|CN|ServerName=! CimSession=!"
    ),
    "Get-CimClass": (
        "1:ClassName= 2:Namespace^ MethodName= PropertyName= QualifierName= OperationTimeoutSec= "
        "ComputerName=! CimSession=!"
    ),
    "Get-WmiObject": (
        "1:Class|ClassName= 2:Property= Filter= Query= Namespace|NS^ List Recurse Amended DirectRead "
        "ComputerName|Cn=! Credential=! Authority=! Impersonation=! Authentication=! Locale=! "
        "EnableAllPrivileges! AsJob! ThrottleLimit=!"
    ),
    "Get-Volume": f"1:DriveLetter= ObjectId= UniqueId= Path= FileSystemLabel= FilePath^ DiskImage= {_REMOTE}",
    "Get-Disk": f"1:Number|DeviceId= UniqueId|Id= FriendlyName= SerialNumber= Path= {_REMOTE}",
    "Get-PhysicalDisk": (
        f"UniqueId|Id= FriendlyName= SerialNumber= ObjectId= DeviceNumber= CanPool= Usage= {_REMOTE}"
    ),
    "Get-Partition": f"DiskNumber= PartitionNumber|Number= DriveLetter= DiskId= Offset= UniqueId= {_REMOTE}",
    "Get-NetAdapter": (
        f"1:Name|ifAlias= InterfaceDescription= InterfaceIndex|ifIndex= Physical IncludeHidden {_REMOTE}"
    ),
    "Get-NetIPAddress": (
        "1:IPAddress|LocalAddress= InterfaceIndex|ifIndex= InterfaceAlias|ifAlias= AddressFamily= "
        f"AddressState= PrefixLength= Type= {_NETWORK}"
    ),
    "Get-NetIPConfiguration": (
        f"1:InterfaceAlias|ifAlias= InterfaceIndex|ifIndex= All|AllInterfaces Detailed {_REMOTE}"
    ),
    "Get-NetRoute": (
        "1:DestinationPrefix= InterfaceIndex|ifIndex= InterfaceAlias|ifAlias= NextHop= AddressFamily= "
        f"{_NETWORK}"
    ),
    "Get-NetTCPConnection": (
        "1:LocalAddress|IPAddress= 2:LocalPort= RemoteAddress= RemotePort= State= AppliedSetting= "
        f"OwningProcess= CreationTime= OffloadState= {_REMOTE}"
    ),
    "Get-NetUDPEndpoint": f"1:LocalAddress|IPAddress= 2:LocalPort= OwningProcess= CreationTime= {_REMOTE}",
    "Get-NetFirewallProfile": f"1:Name|Profile= All {_NETWORK}",
    "Get-NetFirewallRule": (
        f"1:Name|ID= DisplayName= DisplayGroup= Group= Enabled= Direction= Action= All {_NETWORK}"
    ),
    "Get-DnsClientServerAddress": (
        f"1:InterfaceAlias|ifAlias= InterfaceIndex|ifIndex= AddressFamily= {_REMOTE}"
    ),
    "Get-ScheduledTask": f"1:TaskName= 2:TaskPath= {_REMOTE}",
    "Get-LocalUser": "1:Name= SID=",
    "Get-LocalGroup": "1:Name= SID=",
    "Get-LocalGroupMember": "1:Group|Name= 2:Member= SID=",
}
"""They only ask this machine: parameters that lead to another one are marked."""
