"""Finds accessibility and layout problems of an open page."""

from pathlib import Path

from playwright.sync_api import Page

from tests.web.server import ROOT

AXE_SCRIPT = Path(ROOT, "web/node_modules/axe-core/axe.min.js")
_RUN_AXE = """async (rules) => (await axe.run(document,
  { resultTypes: ["violations"], ...(rules && { runOnly: rules }) })).violations
  .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)} `
    + node.any.map((any) => any.message).join("; ").slice(0, 200)))"""
_FIND_CUT_TEXTS = """() => {
  const wrong = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim() || !node.parentElement.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (text.width === 0) continue;
    let shortened = false;
    for (let one = node.parentElement; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      if (box.width <= 2 || style.position === "fixed") break; // for screen readers alone, or on top of it all
      if (style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none") shortened = true;
      if (/auto|scroll/.test(style.overflowX) && one.scrollWidth > one.clientWidth + 1) break;
      const clips = style.overflowX !== "visible" || one === document.documentElement;
      if (clips && !shortened && (text.right > box.right + 1.5 || text.left < box.left - 1.5)) {
        wrong.push(`cut: ${node.data.trim().slice(0, 60)}`);
        break;
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page scrolls sideways");
  return wrong;
}"""


def find_page_problems(page: Page) -> list[str]:
    """Find problems that axe reports in light and dark mode, and texts that are cut off."""
    # Injected through the debugger, because the page's security policy allows no other scripts.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT.read_text(encoding="utf-8"))
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    found: list[str] = page.evaluate(_RUN_AXE)
    cut: list[str] = page.evaluate(_FIND_CUT_TEXTS)
    # Dark mode changes only colours.
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    dark: list[str] = page.evaluate(_RUN_AXE, ["color-contrast"])
    return [*found, *cut, *(f"dark: {one}" for one in dark)]
