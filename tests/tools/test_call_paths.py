"""The path of a call is counted in functions, files and changes of folder."""

import json
import subprocess
import sys

from tools import call_paths, house


def test_a_change_of_folder_is_counted_between_neighbours_in_different_folders() -> None:
    files = ["gate/turn.py", "gate/ids.py", "engine/decide.py", "compose.py", "engine/case.py"]

    assert call_paths.count_folder_changes(files) == 3


def test_a_return_to_a_known_file_is_counted_only_between_functions() -> None:
    folder = call_paths.SOURCE_FOLDER
    sources = {"first": "gate/turn.py", "second": "engine/decide.py", "third": "gate/turn.py"}
    functions = [
        compile(f"def {name}(): pass", folder + file, "exec").co_consts[0] for name, file in sources.items()
    ]

    assert call_paths.CallPath(dict.fromkeys(functions)).count_functions_and_files() == {
        "functions": 3,
        "files": 2,
        "changes of folder": 1,
        "between functions": 2,
    }


def test_every_path_is_measured() -> None:
    command = [sys.executable, str(house.ROOT / "tools" / "house.py"), "paths", "--json"]
    found = json.loads(subprocess.run(command, cwd=house.ROOT, capture_output=True, check=True).stdout)

    assert set(found) == {"check", "ask", "answer", "wait", "ask and wait", "chat message"}
    # A message to the chat also asks and waits.
    assert found["chat message"]["files"] > found["ask and wait"]["files"] > found["ask"]["files"]
