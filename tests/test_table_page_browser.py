"""The page about a table in a real browser: the map, focus, contrast, widths, print, and size."""

from __future__ import annotations

import re

import pytest
from report_cases import HOSTILE, browser_path
from table_page_cases import hostile, invoices, many_columns, without_laws

from gramian import report

pytest.importorskip("jinja2")
pytest.importorskip("pyarrow")
BROWSER = browser_path()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on this machine")
WIDTHS = [1400, 768, 390]
LEAST_CONTRAST = 4.5
"""Contrast of text that WCAG asks for."""
CONTRASTS = """() => {
  const channels = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const linear = [r, g, b].map((each) => {
      const share = each / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const behind = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const colour = channels(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const each of document.querySelectorAll("body *")) {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || each.closest("script, style, svg, .skip") || !each.checkVisibility()) continue;
    const [one, other] = [light(channels(getComputedStyle(each).color)), light(behind(each))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([contrast, each.tagName + " " + each.textContent.slice(0, 40)]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The page about invoices, compared with invoices of before."""
    folder = tmp_path_factory.mktemp("invoices")
    return report(invoices(), path=folder / "page.html", against=invoices(200)).as_uri()


@pytest.fixture(scope="module")
def hostile_address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    return report(hostile(), path=folder / "page.html", title=HOSTILE[0]).as_uri()


@pytest.fixture(scope="module")
def empty_address(tmp_path_factory):
    return report(without_laws(), path=tmp_path_factory.mktemp("noise") / "page.html").as_uri()


@pytest.fixture
def open_page(browser):
    """Open a page, and check at the end of the test that the browser logged no error."""
    contexts, troubles = [], []

    def open_at(address, width=1400, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: _note(request.url, address, troubles))
        page.goto(address)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert troubles == []


def _note(url, address, troubles):
    if url != address and not url.startswith(("data:", "blob:")):
        troubles.append(f"request of {url}")


def open_all(page):
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


def test_no_page_is_wider_than_the_screen(open_page, address, hostile_address, empty_address):
    for each in (address, hostile_address, empty_address):
        page = open_page(each)
        open_all(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast(open_page, address, scheme):
    page = open_page(address, color_scheme=scheme)
    open_all(page)
    found = page.evaluate(CONTRASTS)
    assert len(found) > 50
    assert [each for each in found if each[0] < LEAST_CONTRAST] == []


def test_pointing_at_a_column_shows_its_law_and_its_lines(open_page, address):
    page = open_page(address)
    node = page.locator('svg.map .node[data-key="net"]')
    node.hover()
    assert page.locator(".says").inner_text() == "net = quantity · price"
    lit = page.locator("svg.map path.on")
    assert lit.count() >= 2
    assert {lit.nth(i).get_attribute("data-source") for i in range(lit.count())} >= {"quantity"}
    page.mouse.move(1, 1)
    assert page.locator(".says").inner_text() == ""


def test_the_map_works_by_keyboard_and_the_focus_is_seen(open_page, address):
    page = open_page(address)
    width = "each => getComputedStyle(each.querySelector('rect')).strokeWidth"
    node = page.locator("svg.map .node").first
    before = node.evaluate(width)
    node.focus()
    assert page.locator(".says").inner_text() == node.get_attribute("data-says")
    assert node.evaluate(width) != before
    page.keyboard.press("Tab")
    second = page.locator("svg.map .node").nth(1)
    assert second.evaluate("each => each === document.activeElement")
    assert page.locator(".says").inner_text() == second.get_attribute("data-says")


def test_rows_of_a_law_and_other_choices_open_by_keyboard(open_page, address):
    page = open_page(address)
    for place in (".laws details", ".exchange"):
        details = page.locator(place).first
        details.locator("summary").focus()
        page.keyboard.press("Enter")
        assert details.get_attribute("open") is not None
        outline = details.locator("summary").evaluate("each => getComputedStyle(each).outlineStyle")
        assert outline == "solid"


def test_hostile_names_can_be_read_and_do_nothing(open_page, hostile_address):
    page = open_page(hostile_address)
    assert page.get_by_role("heading", name=HOSTILE[0], exact=True).is_visible()
    key = page.locator("svg.map .node").first.get_attribute("data-key")
    assert key in [*HOSTILE, "line\\nend"]
    assert page.locator("svg.map script, svg.map b, main img, main i").count() == 0


def test_the_page_can_be_read_without_scripts(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("svg.map").is_visible()
    page.locator(".exchange summary").first.click()
    assert page.locator(".exchange ul").first.is_visible()
    context.close()


def test_a_printed_page_has_the_rows_of_laws_and_about_four_pages(open_page, tmp_path):
    path = report(many_columns(20), path=tmp_path / "page.html")
    page = open_page(path.as_uri())
    pdf = page.pdf(prefer_css_page_size=True)
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)) <= 5
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".laws details table").first.is_visible()
    for hidden in ("nav", ".copy", ".says"):
        assert not page.locator(hidden).first.is_visible()
    colour = page.eval_on_selector("body", "each => getComputedStyle(each).backgroundColor")
    assert colour == "rgb(255, 255, 255)"


def test_the_first_tab_key_skips_the_list_of_sections(open_page, address):
    page = open_page(address)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_nothing_that_is_folded_is_lost_on_paper(open_page, address):
    page = open_page(address)
    n_rows = page.locator(".laws details tbody tr").count()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details").count() > 4
    assert page.locator("details:not([open])").count() == 0
    visible = "rows => rows.filter((each) => each.checkVisibility()).length"
    assert page.eval_on_selector_all(".laws details tbody tr", visible) == n_rows
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def test_a_phone_shows_every_cell_of_a_broken_row_without_scrolling(open_page, address):
    page = open_page(address, width=400)
    open_all(page)
    wider = "tables => tables.filter((each) => each.scrollWidth > each.clientWidth).length"
    assert page.eval_on_selector_all(".laws .scroll", wider) == 0
    last = page.locator(".laws tbody tr").first.locator("td").last
    content = last.evaluate("each => getComputedStyle(each, '::before').content")
    assert "by the law" in content
