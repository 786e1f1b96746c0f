"""Draws the icons of the installed web app from web/public/icon.svg: `python -m tools.icons`.

Home screens cut a maskable icon to their own shape, so its background fills all and its mark is smaller.
"""

import re
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tools.chromium import HEADLESS_FLAGS, find_chromium

PUBLIC_FOLDER = Path(__file__).resolve().parent.parent / "web" / "public"
MARK_SCALE = 0.72
"""Scale of the mark in a maskable icon; a home screen keeps at least four fifths of the width."""


def main() -> None:
    """Draw all icons with a browser."""
    drawing = (PUBLIC_FOLDER / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(HEADLESS_FLAGS))
        for size in (192, 512):
            _draw_icon(browser, drawing, size, f"icon-{size}.png")
        _draw_icon(browser, to_maskable(drawing), 512, "icon-maskable-512.png")
        browser.close()


def to_maskable(drawing: str) -> str:
    """Convert the drawing to a maskable icon: square corners, and a smaller mark in the middle."""
    square = re.sub(r' rx="[^"]*"', "", drawing)
    off = 10 * (1 - MARK_SCALE)
    return square.replace("<path ", f'<path transform="translate({off:g} {off:g}) scale({MARK_SCALE})" ')


def _draw_icon(browser: Browser, drawing: str, size: int, name: str) -> None:
    page = browser.new_page(viewport={"width": size, "height": size})
    page.set_content(f"<style>body{{margin:0}}svg{{display:block;width:{size}px}}</style>{drawing}")
    page.screenshot(path=PUBLIC_FOLDER / name, omit_background=True)
    page.close()


if __name__ == "__main__":
    main()
