"""The icons of the installed app, drawn from web/public/icon.svg by a browser: `python -m tools.icons`.

Home screens cut a maskable icon to a shape of their own: its ground fills all, its mark keeps off the rim.
"""

import re
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tools.chromium import FLAGS, chromium

PUBLIC = Path(__file__).resolve().parent.parent / "web" / "public"
SAFE = 0.72
"""How much of a maskable icon its mark takes: whatever is cut off, four fifths of the width are left."""


def main() -> None:
    """Draw all icons."""
    drawing = (PUBLIC / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        for size in (192, 512):
            _draw(browser, drawing, size, f"icon-{size}.png")
        _draw(browser, maskable(drawing), 512, "icon-maskable-512.png")
        browser.close()


def maskable(drawing: str) -> str:
    """The same drawing with square corners, its mark drawn smaller around the middle."""
    square = re.sub(r' rx="[^"]*"', "", drawing)
    off = 10 * (1 - SAFE)
    return square.replace("<path ", f'<path transform="translate({off:g} {off:g}) scale({SAFE})" ')


def _draw(browser: Browser, drawing: str, size: int, name: str) -> None:
    page = browser.new_page(viewport={"width": size, "height": size})
    page.set_content(f"<style>body{{margin:0}}svg{{display:block;width:{size}px}}</style>{drawing}")
    page.screenshot(path=PUBLIC / name, omit_background=True)
    page.close()


if __name__ == "__main__":
    main()
