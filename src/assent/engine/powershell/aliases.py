"""The names that PowerShell's own commands go by: its default aliases and small functions."""

_PAIRS = """
    %=ForEach-Object ?=Where-Object ac=Add-Content asnp=Add-PSSnapin cat=Get-Content cd=Set-Location
    cfs=ConvertFrom-String chdir=Set-Location clc=Clear-Content clear=Clear-Host clhy=Clear-History
    cli=Clear-Item clp=Clear-ItemProperty cls=Clear-Host clv=Clear-Variable cnsn=Connect-PSSession
    compare=Compare-Object copy=Copy-Item cp=Copy-Item cpi=Copy-Item cpp=Copy-ItemProperty
    curl=Invoke-WebRequest cvpa=Convert-Path dbp=Disable-PSBreakpoint del=Remove-Item diff=Compare-Object
    dir=Get-ChildItem dnsn=Disconnect-PSSession ebp=Enable-PSBreakpoint echo=Write-Output
    epal=Export-Alias epcsv=Export-Csv epsn=Export-PSSession erase=Remove-Item etsn=Enter-PSSession
    exsn=Exit-PSSession fc=Format-Custom fhx=Format-Hex fl=Format-List foreach=ForEach-Object
    ft=Format-Table fw=Format-Wide gal=Get-Alias gbp=Get-PSBreakpoint gc=Get-Content gcb=Get-Clipboard
    gci=Get-ChildItem gcim=Get-CimInstance gcai=Get-CimAssociatedInstance gcls=Get-CimClass
    gcm=Get-Command gcms=Get-CimSession gcs=Get-PSCallStack gdr=Get-PSDrive gerr=Get-Error
    ghy=Get-History gi=Get-Item gin=Get-ComputerInfo gjb=Get-Job gl=Get-Location gm=Get-Member
    gmo=Get-Module gp=Get-ItemProperty gps=Get-Process gpv=Get-ItemPropertyValue group=Group-Object
    gsn=Get-PSSession gsnp=Get-PSSnapin gsv=Get-Service gtz=Get-TimeZone gu=Get-Unique gv=Get-Variable
    gwmi=Get-WmiObject h=Get-History help=Get-Help history=Get-History icim=Invoke-CimMethod
    icm=Invoke-Command iex=Invoke-Expression ihy=Invoke-History ii=Invoke-Item ipal=Import-Alias
    ipcsv=Import-Csv ipmo=Import-Module ipsn=Import-PSSession irm=Invoke-RestMethod iwmi=Invoke-WmiMethod
    iwr=Invoke-WebRequest kill=Stop-Process lp=Out-Printer ls=Get-ChildItem man=Get-Help md=New-Item
    measure=Measure-Object mi=Move-Item mkdir=New-Item mount=New-PSDrive move=Move-Item
    mp=Move-ItemProperty mv=Move-Item nal=New-Alias ncim=New-CimInstance ncms=New-CimSession
    ndr=New-PSDrive ni=New-Item nmo=New-Module npssc=New-PSSessionConfigurationFile nsn=New-PSSession
    nv=New-Variable ogv=Out-GridView oh=Out-Host popd=Pop-Location ps=Get-Process pushd=Push-Location
    pwd=Get-Location r=Invoke-History rbp=Remove-PSBreakpoint rcim=Remove-CimInstance rcjb=Receive-Job
    rcms=Remove-CimSession rcsn=Receive-PSSession rd=Remove-Item rdr=Remove-PSDrive ren=Rename-Item
    ri=Remove-Item rjb=Remove-Job rm=Remove-Item rmdir=Remove-Item rmo=Remove-Module rni=Rename-Item
    rnp=Rename-ItemProperty rp=Remove-ItemProperty rsn=Remove-PSSession rsnp=Remove-PSSnapin
    rujb=Resume-Job rv=Remove-Variable rvpa=Resolve-Path rwmi=Remove-WmiObject sajb=Start-Job
    sal=Set-Alias saps=Start-Process sasv=Start-Service sbp=Set-PSBreakpoint sc=Set-Content
    scb=Set-Clipboard scim=Set-CimInstance select=Select-Object set=Set-Variable shcm=Show-Command
    si=Set-Item sl=Set-Location sleep=Start-Sleep sls=Select-String sort=Sort-Object
    sp=Set-ItemProperty spjb=Stop-Job spps=Stop-Process spsv=Stop-Service start=Start-Process
    stz=Set-TimeZone sujb=Suspend-Job sv=Set-Variable swmi=Set-WmiInstance tee=Tee-Object
    trcm=Trace-Command type=Get-Content wget=Invoke-WebRequest where=Where-Object wjb=Wait-Job
    write=Write-Output
"""

ALIASES: dict[str, str] = {pair.partition("=")[0]: pair.partition("=")[2] for pair in _PAIRS.split()}
"""Aliases in lower case, with the command that each stands for."""

NATIVE_ELSEWHERE = frozenset(
    """ac cat clear compare cp cpp curl diff ls man mkdir mount mv ps rm rmdir sleep sort start tee
    wget""".split()
)
"""Aliases on Windows that are programs of their own where PowerShell runs on Linux or macOS."""

MOVES = {"cd..": "..", "cd\\": "\\", "cd/": "/", "cd~": "~"}
"""Functions that only change the directory, and where they lead."""
