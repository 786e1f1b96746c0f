"""Members of values and types only count as harmless if they run nothing."""

import pytest

from assent.engine.powershell.members import is_harmless_cast, is_harmless_object
from assent.engine.powershell.syntax import TypeName
from tests.engine.powershell.line_decisions import command_texts


@pytest.mark.parametrize(
    "expression",
    [
        "$x.Name",
        "$x.a.b.c",
        "$x['a']",
        "'a'.Length",
        "$x.'Name'",
        "(ls).Count",
        "$x.ToString()",
        "$x.Trim().ToUpper()",
        "'a'.Replace('b', 'c')",
        '"$x".Replace("b", "c")',
        "$x.ToString().Replace('b', 'c')",
        "'a'.Trim().Replace('b', 'c').Replace('d', 'e')",
        "$_.Name.Replace('a', 'b')",
        "(Get-Date).AddDays(1)",
        "$x.Where({ $_ })",
        "$x.ForEach{ $_ }",
        "[math]::PI",
        "[Math]::Round(1.5)",
        "[string]::Join(',', 1)",
        "[System.DateTime]::Now",
        "[guid]::NewGuid()",
        "[IO.Path]::GetFileName('a')",
        "[regex]::Escape('a')",
        "[int]'5'",
        "[int[]](1, 2)",
        "[xml]'<a/>'",
        "[pscustomobject]@{ a = 1 }",
        "[ordered]@{ }",
        "'5' -as [int]",
        "$x -is [IO.File]",
        "[Collections.Generic.List[int]]::new()",
        "$x++",
        "--$x",
        "[System.IO.File]",
        "$l = [Collections.Generic.List[string]]::new(); $l.Add('a'); $l.ToArray()",
        "$h = @{ }; $h.Add('a', 1); $h.Remove('a')",
        "$h = [ordered]@{ }; $h.Add('a', 1)",
        "[Text.Encoding]::UTF8.GetBytes('a')",
        "$x?.Name",
    ],
)
def test_some_members_only_compute(expression: str) -> None:
    assert "□" not in command_texts(expression)


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "expression",
    [
        "$x.Delete()",
        "$x.Invoke()",
        "$x.Replace('a', 'b')",
        "(gi a).Replace('b', 'c')",
        "$x.Name.Delete()",
        "@{ Name = (gi a) }.Name.Replace('b', 'c')",
        "$x.Foo.Replace('a', 'b')",
        "$x.ForEach('Delete')",
        "$x.Where($y)",
        "$x.$y",
        "$x.$y()",
        "$x.('a' + 'b')()",
        "$x::Foo",
        "$x::Foo()",
        "[IO.File]::Delete('a')",
        "[IO.Directory]::GetFiles('a', $x)",
        "[IO.File]::Exists()",
        "[IO.File]::$x('a')",
        "[Environment]::Exit(0)",
        "[Environment]::$x",
        "[IO.Path]::GetTempFileName()",
        "[IO.StreamWriter]::new('a')",
        "[IO.StreamWriter]'a'",
        "'a' -as [IO.StreamWriter]",
        "[wmi]'a'",
        "[ref]$x",
        "[scriptblock]::Create('a')",
        "[type]'a'",
        "$x.y++",
        "$env:x++",
        "--$x[0]",
        "$x.Replace('a', 'b').Trim()",
        "$l.Add('a')",
        "$l = Get-Item a; $l.Add('b')",
        "$l = @{ }; $l = Get-Item a; $l.Add('b')",
        "$l += @{ }; $l.Add('b')",
        "$l = [IO.File]::new(); $l.Add('b')",
        "$l = [ordered]5; $l.Add('b')",
        "$l = [math]::Max(1, 2); $l.Add('b')",
        "$l = @{ }; $l.Invoke()",
        "$l = @{ }; $l::Add('b')",
        "[IO.StreamWriter]$x = 'a'",
        "$x.y = 1",
        "$x[0] = 1",
        "$function:f = { }",
        "$ExecutionContext = 1",
        "$x, $y.z = 1, 2",
        "New-Object IO.StreamWriter a",
        "New-Object -ComObject a",
        "New-Object $x",
        "Add-Type a",
        "New-Object -Zzz a",
        "foreach ($env:x in 1) { }",
        'function "a$x" { }',
    ],
)
def test_other_members_may_run_code(expression: str) -> None:
    assert "□" in command_texts(expression)


def test_types_are_known_with_and_without_their_namespace() -> None:
    assert is_harmless_cast(TypeName("system.int32"))
    assert is_harmless_object("System.Collections.ArrayList")
    assert not is_harmless_object("System.Net.WebClient")
