"""Report in a real browser: charts, sorting, filters, the graph, and hostile names."""

from __future__ import annotations

import numpy as np
import pytest
from report_cases import HOSTILE, browser_path, power_table

from gramian import GFA, GFR, report
from gramian.models import Preprocessing

BROWSER = browser_path()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on this machine")
WIDTHS = [1440, 768, 360]


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Report of a selection among columns whose names look like HTML."""
    rng = np.random.default_rng(0)
    X = power_table(200)
    X = X.assign(**{f"copy {i}": (i + 2) * X.voltage + i for i in range(6)})
    X = X.assign(**{f"other {i}": rng.standard_normal(200) for i in range(3)})
    X = X.rename(columns=dict(zip(X.columns, HOSTILE, strict=False)))
    steps = Preprocessing.learn(X, X.columns)
    gfa = GFA(threshold=1e-3, validation_fraction=0.2, scale=True, backward=False).fit(
        steps.apply(X)
    )
    path = tmp_path_factory.mktemp("selection") / "report.html"
    return report(gfa, X, path, preprocessing=steps, title=HOSTILE[0]).as_uri()


@pytest.fixture(scope="module")
def address_of_gfr(tmp_path_factory):
    X = power_table(200)
    path = tmp_path_factory.mktemp("extraction") / "report.html"
    return report(GFR(3).fit(X), X, path).as_uri()


@pytest.fixture
def open_page(browser):
    """Open a page, and check at the end of the test that the browser logged no error."""
    contexts, troubles = [], []

    def open_at(address, width=1200, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: _note(request.url, address, troubles))
        page.goto(address)
        page.wait_for_selector("#curves svg")
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert troubles == []


def _note(url, address, troubles):
    if url != address and not url.startswith(("data:", "blob:")):
        troubles.append(f"request of {url}")


def column(page, table, i):
    cells = page.locator(f"#{table} tbody tr:not([hidden]) > :nth-child({i})")
    return [text.strip() for text in cells.all_inner_texts()]


def colour(page, selector, name="color"):
    return page.eval_on_selector(selector, f"each => getComputedStyle(each)['{name}']")


def test_charts_are_drawn(open_page, address, address_of_gfr):
    for each in (address, address_of_gfr):
        page = open_page(each)
        for chart in ("#curves .drawn:not([hidden]) .curve", "#heat"):
            box = page.locator(chart).first.bounding_box()
            assert box["width"] > 100
            assert box["height"] > 10


def test_curves_can_be_shown_on_a_logarithmic_scale(open_page, address):
    page = open_page(address)
    ticks = "#curves .drawn:not([hidden]) .tick"
    before = page.locator(ticks).all_text_contents()
    page.get_by_role("button", name="Logarithmic").click()
    assert page.get_by_role("button", name="Logarithmic").get_attribute("aria-pressed") == "true"
    assert page.locator(ticks).all_text_contents() != before
    page.get_by_role("button", name="Largest variance").click()
    assert "threshold 0.001" in page.locator("#curves .drawn:not([hidden]) .marked").text_content()


def test_hovering_over_curves_shows_numbers(open_page, address):
    page = open_page(address)
    page.locator("#curves .drawn:not([hidden]) svg").hover(position={"x": 200, "y": 100})
    page.wait_for_selector("#curves .readout:not([hidden])")
    assert "%" in page.locator("#curves .readout").text_content()


def test_tables_are_sorted_by_mouse_and_keyboard(open_page, address):
    page = open_page(address)
    head = page.locator("#columns thead th").nth(1)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    means = [float(text.replace("\N{MINUS SIGN}", "-")) for text in column(page, "columns", 2)]
    assert means == sorted(means, reverse=True)
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    names = page.locator("#columns thead th").nth(0)
    names.get_by_role("button").press("Space")
    assert names.get_attribute("aria-sort") == "ascending"
    assert head.get_attribute("aria-sort") is None
    found = column(page, "columns", 1)
    assert found.index("copy 1") < found.index("copy 5") < found.index("other 0")


def test_tables_are_filtered_while_typing(open_page, address):
    page = open_page(address)
    field = page.get_by_label("Filter by column or remark")
    field.press_sequentially("OTHER")
    assert column(page, "columns", 1) == ["other 0", "other 1", "other 2"]
    assert page.locator("[data-counts=columns]").inner_text() == "3 of 15 rows"
    field.fill("")
    assert len(column(page, "columns", 1)) == 15


def test_the_graph_highlights_the_sources_of_a_column(open_page, address):
    page = open_page(address)
    nodes = page.locator(".graph .targets .node")
    name = nodes.first.get_attribute("title")
    nodes.first.click()
    assert nodes.first.get_attribute("aria-pressed") == "true"
    assert page.locator(".says").inner_text().startswith(f"{name} = ")
    lit = page.locator(".graph path.on").count()
    assert 0 < lit < page.locator(".graph path").count()
    assert page.locator(".graph .sources .node.on").count() == lit
    page.keyboard.press("Escape")
    assert page.locator(".graph.lit").count() == 0


def test_graph_works_by_keyboard(open_page, address):
    page = open_page(address)
    source = page.locator(".graph .sources .node").first
    source.focus()
    page.keyboard.press("Enter")
    assert "helps to compute" in page.locator(".says").inner_text()
    assert page.locator(".graph .targets .node.on").count() > 0


def test_hostile_names_are_inert_and_can_be_read(open_page, address):
    page = open_page(address)
    for name in HOSTILE[:3]:
        assert page.get_by_text(name, exact=True).first.is_visible()
    drawn = page.locator(".strip .below").text_content()
    assert "<script>alert(1)" in drawn
    assert "<b>x</b>" in drawn
    assert page.locator(".strip b, .strip script, .strip a").count() == 0


def test_names_in_hover_labels_are_inert(open_page, address):
    page = open_page(address)
    box = page.locator("#heat")
    box.scroll_into_view_if_needed()
    size = box.bounding_box()
    box.hover(position={"x": 2.5 * size["width"] / 15, "y": 20})
    page.wait_for_function(
        "name => document.querySelector('#weight').textContent.includes(name)",
        arg=HOSTILE[2],
    )


def test_page_is_never_wider_than_the_screen(open_page, address, address_of_gfr):
    for each in (address, address_of_gfr):
        page = open_page(each)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(300)  # until charts have been resized
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_screens_get_dark_pages_and_charts(open_page, address):
    page = open_page(address, color_scheme="light")
    tick = "#curves .drawn:not([hidden]) .tick"
    light = colour(page, "body", "backgroundColor"), colour(page, tick, "fill")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        f"before => getComputedStyle(document.querySelector('{tick}')).fill !== before",
        arg=light[1],
    )
    dark = colour(page, "body", "backgroundColor"), colour(page, tick, "fill")
    assert brightness(light[0]) > 200 > 60 > brightness(dark[0])
    assert brightness(light[1]) < 128 < brightness(dark[1])


def brightness(text):
    red, green, blue = (float(each) for each in text[4:-1].split(","))
    return (red + green + blue) / 3


def test_a_printed_page_has_no_controls_and_static_charts(open_page, address):
    page = open_page(address)
    page.emulate_media(media="print", color_scheme="dark")
    for hidden in ("nav", ".controls", ".tools", ".copy", ".readout"):
        assert not page.locator(hidden).first.is_visible()
    assert page.locator("svg.chart").first.is_visible()
    assert page.locator(".strip img").is_visible()
    assert brightness(colour(page, "body", "backgroundColor")) == 255
    assert page.locator("#columns").evaluate("each => each.parentElement.scrollHeight") == (
        page.locator("#columns").evaluate("each => each.parentElement.clientHeight")
    )


def test_page_can_be_read_without_scripts(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("svg.chart").first.is_visible()
    assert page.locator("#dropped").is_visible()
    assert not page.locator(".tools").first.is_visible()
    context.close()


def test_the_first_tab_key_skips_the_list_of_sections(open_page, address):
    page = open_page(address)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
