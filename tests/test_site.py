"""The built site: valid links, no external resources, and pages that work in a browser.

``make docs`` builds the site and runs these tests.
"""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

SITE = Path(__file__).parent.parent / "docs" / "_build" / "html"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
MAIN_PAGES = [
    "index.html",
    "getting_started.html",
    "guide/index.html",
    "gallery/index.html",
    "theory/index.html",
    "reference/index.html",
    "reference/generated/gramian.GFR.html",
    "reference/command/gramian.html",
    "results/index.html",
    "about.html",
]

pytestmark = pytest.mark.skipif(
    not (SITE / "index.html").exists(), reason="the site is not built: make docs"
)


class Page(HTMLParser):
    """References and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a":
            self.links += [values[name] for name in ("href",) if name in values]
        elif tag != "form":
            sources = [values[name] for name in ("src", "href", "data") if name in values]
            sources += [each.split()[0] for each in values.get("srcset", "").split(",") if each]
            self.resources += [each for each in sources if not each.startswith("data:")]


def is_external(link: str) -> bool:
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


@pytest.fixture(scope="module")
def pages() -> dict[Path, Page]:
    """Return all pages by their paths."""
    apart = {SITE / "_static", SITE / "_downloads"}
    paths = [path for path in SITE.rglob("*.html") if not apart & set(path.parents)]
    return {path: Page(path) for path in paths}


def test_every_link_within_the_site_leads_to_a_file_and_an_anchor(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.resources]:
            if is_external(link):
                continue
            file, anchor = urldefrag(link)
            target = path
            if file:
                target = (path.parent / unquote(urlsplit(file).path)).resolve()
            if target in pages:
                if unquote(anchor) not in pages[target].anchors:
                    broken.append(f"{path.relative_to(SITE)}: {link} has no such anchor")
            elif not target.is_file():
                broken.append(f"{path.relative_to(SITE)}: {link} is not there")
    assert not broken, "\n".join(sorted(set(broken)))


def test_no_page_loads_external_resources(pages: dict[Path, Page]) -> None:
    foreign = {
        f"{path.relative_to(SITE)}: {resource}"
        for path, page in pages.items()
        for resource in page.resources
        if is_external(resource)
    }
    assert not foreign, "\n".join(sorted(foreign))


def test_the_main_pages_exist(pages: dict[Path, Page]) -> None:
    assert {SITE / name for name in MAIN_PAGES} <= pages.keys()


def test_every_command_has_a_page_with_all_its_options(pages: dict[Path, Page]) -> None:
    typer = pytest.importorskip("typer")
    from gramian.cli._app import app

    for name, command in typer.main.get_command(app).commands.items():
        path = SITE / "reference" / "command" / f"gramian-{name}.html"
        assert path in pages
        text = path.read_text(encoding="utf-8")
        options = [each.opts[-1] for each in command.params if not getattr(each, "hidden", False)]
        assert [each for each in options if each not in text] == []


class QuietHandler(SimpleHTTPRequestHandler):
    """Request handler that logs nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve the site on this machine."""
    handler = functools.partial(QuietHandler, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start the system's Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if BROWSER is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Any]:
    """Open a tab; fail on console errors and on requests to other machines."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
    page.on(
        "console",
        lambda message: (
            errors.append(f"{page.url}: {message.text}") if message.type == "error" else None
        ),
    )
    page.on(
        "request",
        lambda request: (
            errors.append(f"{page.url} asks for {request.url}")
            if not request.url.startswith((address, "data:", "blob:"))
            else None
        ),
    )
    yield page
    page.close()
    assert not errors, "\n".join(errors)


@pytest.mark.parametrize("width", [400, 1400])
def test_the_main_pages_load_without_errors_and_fit_the_window(
    tab: Any, address: str, width: int
) -> None:
    tab.set_viewport_size({"width": width, "height": 1000})
    for name in MAIN_PAGES:
        tab.goto(f"{address}/{name}", wait_until="load")
        assert tab.locator("h1").first.is_visible(), name
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, f"{name} is too wide"
        edges = tab.locator("article > section p:visible").evaluate_all(
            "all => all.filter(each => !each.closest('.pst-scrollable-table-container'))"
            ".map(each => each.getBoundingClientRect().right)"
        )
        assert max(edges) <= width, f"a paragraph of {name} is cut off"


def test_the_search_box_finds_gfr(tab: Any, address: str) -> None:
    tab.goto(f"{address}/index.html")
    tab.keyboard.press("Control+k")
    box = tab.locator("dialog input[type=search]")
    box.fill("GFR")
    box.press("Enter")
    result = tab.locator("#search-results a[href*='gramian.GFR.html']").first
    result.wait_for(timeout=20_000)
    result.click()
    assert tab.locator("h1").inner_text().startswith("GFR")


def test_every_gallery_page_shows_its_figure(tab: Any, address: str) -> None:
    examples = sorted((SITE / "gallery").glob("plot_*.html"))
    assert examples
    for path in examples:
        tab.goto(f"{address}/gallery/{path.name}", wait_until="load")
        figures = tab.locator("article img.sphx-glr-single-img, article img.sphx-glr-multi-img")
        widths = figures.evaluate_all("images => images.map(image => image.naturalWidth)")
        assert widths, f"{path.name} has no figure"
        assert min(widths) > 0, f"a figure of {path.name} cannot be shown"


def test_formulas_are_drawn(tab: Any, address: str, pages: dict[Path, Page]) -> None:
    theory = sorted((SITE / "theory").glob("*.html"))
    sizes = []
    for path in theory:
        tab.goto(f"{address}/theory/{path.name}", wait_until="load")
        sizes += tab.locator("article math").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect()).map(each => each.width)"
        )
        text = tab.locator("article").inner_text()
        assert "$$" not in text, path.name
        assert "\\frac" not in text, path.name
    assert len(sizes) > 20
    assert min(sizes) > 0


def test_pictures_of_the_front_page_follow_the_colour_scheme(browser: Any, address: str) -> None:
    for scheme, shown in (("light", "parabola.svg"), ("dark", "parabola_dark.svg")):
        page = browser.new_page(color_scheme=scheme)
        page.goto(f"{address}/index.html", wait_until="load")
        sources = page.locator("img.idea:visible").evaluate_all("all => all.map(each => each.src)")
        page.close()
        assert any(source.endswith(f"/{shown}") for source in sources)
