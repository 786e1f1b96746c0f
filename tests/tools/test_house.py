"""The figures of the source tree are counted from its imports."""

from pathlib import Path

from tools import house

SAMPLE_FILES = {
    "__init__.py": "",
    "errors.py": "",
    "gate/__init__.py": "",
    "gate/turn.py": "from shop import errors\nfrom shop.stores.memory import Store\n",
    "gate/ports.py": "",
    "stores/__init__.py": "",
    "stores/memory.py": "import shop.errors\nfrom shop.gate import ports\n",
}


def test_folders_cycles_and_files_with_one_importer_are_found(tmp_path: Path) -> None:
    for name, text in SAMPLE_FILES.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = house.read_tree(tmp_path, "shop")

    assert found.folders["shop.gate"] == ("shop.gate", "shop.gate.ports", "shop.gate.turn")
    assert found.importers["shop.errors"] == {"shop.gate.turn", "shop.stores.memory"}
    assert found.cycles == (("shop.gate", "shop.stores"),)
    assert found.single_importers == (
        ("shop.gate.ports", "shop.stores.memory"),
        ("shop.stores.memory", "shop.gate.turn"),
    )
    assert house.tree_figures(found)["files"] == len(SAMPLE_FILES)
