"""PowerShell's commands that change something, with their parameters (see `cmdlets`)."""

_SURE = "WhatIf|wi Confirm|cf"
_ITEMS = f"Filter= Include= Exclude= Force Credential= {_SURE}"
_LITERAL = "LiteralPath|PSPath|LP"
_CONTENT = f"1:Path> 2:Value= {_LITERAL}> {_ITEMS} PassThru Encoding= NoNewline AsByteStream Stream="
_PROPERTY = f"1:Path> 2:Name|PSProperty= 3:Value= {_LITERAL}> {_ITEMS} PassThru Type|PropertyType="
_WEB = (
    "1:Uri= OutFile> InFile< Method= Body= Headers= UseBasicParsing UserAgent= Form= ContentType= "
    "Credential= WebSession= SessionVariable= UseDefaultCredentials TimeoutSec= MaximumRedirection= Proxy= "
    "PassThru Resume SkipCertificateCheck Token= Authentication= HttpVersion= NoProxy DisableKeepAlive"
)
_BLOCK = "ArgumentList|Args= InputObject= ComputerName|Cn= Session= Credential= AsJob JobName= ThrottleLimit="

CHANGERS: dict[str, str] = {
    # Files and other items
    "Remove-Item": f"1:Path~ {_LITERAL}~ Recurse Stream= {_ITEMS}",
    "Move-Item": f"1:Path~ 2:Destination> {_LITERAL}~ PassThru {_ITEMS}",
    "Rename-Item": f"1:Path~ 2:NewName> {_LITERAL}~ PassThru {_ITEMS}",
    "Copy-Item": (
        f"1:Path< 2:Destination> {_LITERAL}< Container Recurse PassThru FromSession= ToSession= {_ITEMS}"
    ),
    "New-Item": f"1:Path> Name= ItemType|Type= Value|Target= Force Credential= {_SURE}",
    "Set-Content": _CONTENT,
    "Add-Content": _CONTENT,
    "Clear-Content": f"1:Path> {_LITERAL}> Stream= {_ITEMS}",
    "Set-Item": f"1:Path> 2:Value= {_LITERAL}> PassThru {_ITEMS}",
    "Clear-Item": f"1:Path> {_LITERAL}> {_ITEMS}",
    "Set-ItemProperty": _PROPERTY,
    "New-ItemProperty": _PROPERTY,
    "Clear-ItemProperty": _PROPERTY,
    "Remove-ItemProperty": _PROPERTY,
    "Rename-ItemProperty": f"1:Path> 2:Name= 3:NewName= {_LITERAL}> PassThru {_ITEMS}",
    "Copy-ItemProperty": f"1:Path< 2:Destination> 3:Name= {_LITERAL}< PassThru {_ITEMS}",
    "Move-ItemProperty": f"1:Path> 2:Destination> 3:Name= {_LITERAL}> PassThru {_ITEMS}",
    "Set-Acl": f"1:Path> 2:AclObject= {_LITERAL}> InputObject= PassThru ClearCentralAccessPolicy {_ITEMS}",
    "Out-File": (
        f"1:FilePath|Path> 2:Encoding= {_LITERAL}> Append Force NoClobber|NoOverwrite Width= NoNewline "
        f"InputObject= {_SURE}"
    ),
    "Tee-Object": f"1:FilePath|Path> {_LITERAL}> InputObject= Append Variable= Encoding=",
    "Export-Csv": (
        f"1:Path> 2:Delimiter= {_LITERAL}> InputObject= Force NoClobber|NoOverwrite Encoding= Append "
        f"UseCulture IncludeTypeInformation NoTypeInformation|NTI QuoteFields= UseQuotes= NoHeader {_SURE}"
    ),
    "Export-Clixml": f"1:Path> {_LITERAL}> InputObject= Depth= Force NoClobber|NoOverwrite Encoding= {_SURE}",
    "Export-Alias": (
        f"1:Path> 2:Name= {_LITERAL}> PassThru As= Append Force NoClobber|NoOverwrite Description= {_SURE}"
    ),
    "Export-FormatData": f"Path> {_LITERAL}> InputObject= Force NoClobber|NoOverwrite IncludeScriptBlock",
    "Start-Transcript": f"1:Path> {_LITERAL}> OutputDirectory> Append Force NoClobber|NoOverwrite {_SURE}",
    "Compress-Archive": (
        f"1:Path< 2:DestinationPath> {_LITERAL}< CompressionLevel= Update Force PassThru {_SURE}"
    ),
    "Expand-Archive": f"1:Path< 2:DestinationPath> {_LITERAL}< Force PassThru {_SURE}",
    "Invoke-WebRequest": _WEB,
    "Invoke-RestMethod": _WEB,
    "Start-BitsTransfer": (
        f"1:Source= 2:Destination> TransferType= Credential= DisplayName= Asynchronous {_SURE}"
    ),
    "Set-AuthenticodeSignature": f"1:FilePath> 2:Certificate= {_LITERAL}> Force {_SURE}",
    "Unblock-File": f"1:Path> {_LITERAL}> {_SURE}",
    # Other commands that run commands
    "Invoke-Expression": "1:Command=",
    "Invoke-Command": (
        "1:ScriptBlock|Command= FilePath= NoNewScope HideComputerName|HCN InDisconnectedSession Port= "
        f"UseSSL HostName= UserName= KeyFilePath= VMName= ContainerId= {_BLOCK}"
    ),
    "Start-Job": (
        f"1:ScriptBlock|Command= Name= FilePath= {_LITERAL}= InitializationScript= RunAs32 PSVersion= "
        f"WorkingDirectory= {_BLOCK}"
    ),
    "Start-ThreadJob": f"1:ScriptBlock= Name= FilePath= InitializationScript= StreamingHost= {_BLOCK}",
    "Start-Process": (
        "1:FilePath|Path|PSPath= 2:ArgumentList|Args= WorkingDirectory= Verb= Wait NoNewWindow|nnw "
        "WindowStyle= PassThru Credential|RunAs= LoadUserProfile|Lup UseNewEnvironment Environment= "
        f"RedirectStandardOutput|RSO> RedirectStandardError|RSE> RedirectStandardInput|RSI< {_SURE}"
    ),
    "Set-Alias": f"1:Name= 2:Value= Description= Option= PassThru Scope= Force {_SURE}",
    "New-Alias": f"1:Name= 2:Value= Description= Option= PassThru Scope= Force {_SURE}",
    "Invoke-Item": f"1:Path= {_LITERAL}= {_ITEMS}",
    "Invoke-History": f"1:Id= {_SURE}",
    "Trace-Command": (
        "1:Name= 2:Expression= 3:Option= Command= ArgumentList|Args= FilePath> PSHost Force ListenerOption="
    ),
    "Register-ScheduledTask": (
        "1:TaskName= 2:TaskPath= Action= Trigger= Settings= User= Password= RunLevel= Force Xml="
    ),
}
"""Each command's parameters; the paths among them are what the command touches."""

CHANGERS.update(
    dict.fromkeys(
        """Add-Computer Add-LocalGroupMember Add-Member Add-MpPreference Add-Type Checkpoint-Computer
        Clear-Disk Clear-EventLog Clear-History Clear-RecycleBin Clear-Variable Connect-PSSession
        Copy-VMFile Disable-LocalUser Disable-NetAdapter Disable-PSRemoting Disable-ScheduledTask
        Dismount-DiskImage Enable-PSRemoting Enter-PSSession Exit-PSSession Export-PfxCertificate
        Format-Volume Get-Clipboard Get-Credential Import-Alias Import-Clixml Import-Module Import-PSSession
        Initialize-Disk Install-Module Install-Package Install-Script Install-WindowsFeature
        Invoke-CimMethod Invoke-WmiMethod Limit-EventLog Mount-DiskImage New-CimInstance New-CimSession
        New-LocalUser New-Module New-NetFirewallRule New-PSDrive New-PSSession New-Partition New-Service
        New-SmbShare New-Variable Out-GridView Out-Printer Publish-Module Read-Host Receive-Job
        Register-CimIndicationEvent Register-EngineEvent Register-ObjectEvent Remove-CimInstance
        Remove-Computer Remove-EventLog Remove-Job Remove-LocalUser Remove-Module Remove-NetFirewallRule
        Remove-PSDrive Remove-Partition Remove-PhysicalDisk Remove-Service Remove-StoragePool
        Remove-Variable Remove-VirtualDisk Remove-WmiObject Rename-Computer Reset-PhysicalDisk
        Resize-Partition Restart-Computer Restart-Service Resume-Service Save-Module Send-MailMessage
        Set-CimInstance Set-Clipboard Set-Date Set-Disk Set-ExecutionPolicy Set-LocalUser Set-MpPreference
        Set-NetFirewallProfile Set-NetFirewallRule Set-NetIPAddress Set-PSBreakpoint Set-PSDebug
        Set-Partition Set-Service Set-TimeZone Set-Variable Set-Volume Set-WmiInstance Show-Command
        Start-Service Start-VM Stop-Computer Stop-Job Stop-Process Stop-Service Suspend-Service
        Test-Connection Test-NetConnection Uninstall-Module Uninstall-Package Unregister-ScheduledTask
        Update-Help Update-Module Wait-Job Wait-Process""".split(),
        "WhatIf|wi Confirm|cf",
    )
)
