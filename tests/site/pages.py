"""A page of the site as its file holds it, and as Chromium shows it."""

from html.parser import HTMLParser
from importlib.resources import files
from urllib.parse import unquote, urlsplit

NARROW, WIDE = {"width": 360, "height": 740}, {"width": 1300, "height": 900}
# All that is folded is looked at. Of code, each kind of token once a page: thousands of like ones would cost minutes.
OPEN = """() => {
    document.querySelectorAll('details').forEach(details => { details.open = true; });
    const seen = new Set();
    for (const token of document.querySelectorAll('.highlight span[class]')) {
        const kind = `${token.className} ${Boolean(token.closest('.cell_output'))}`;
        seen.has(kind) ? token.replaceWith(token.textContent) : seen.add(kind);
    } }"""
THEME = "theme => { document.body.dataset.theme = theme; }"
CONTRAST = {"runOnly": ["color-contrast", "link-in-text-block"]}  # all that a theme changes
AXE = """async options => {
    const found = await axe.run(document, {resultTypes: ['violations'], preload: false, ...options});
    return found.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 200)}`)); }"""
# Of a formula's MathML nothing is seen.
SMALL = """() => {
    const small = new Set(), page = document.querySelector('[role=main]');
    const texts = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode.data.trim(), around = texts.currentNode.parentElement;
        const size = parseFloat(getComputedStyle(around).fontSize);
        if (text && size < 12 && !around.closest('math')) small.add(`${size} px: ${text}`);
    }
    return [...small].slice(0, 5); }"""
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Page(HTMLParser):
    """Ids, links, pictures and folds of a page."""

    def __init__(self, site, path):
        super().__init__()
        self.site, self.path, self.name = site, path, path.relative_to(site).as_posix()
        self.ids, self.links, self.loads, self.alts, self.text = set(), [], [], [], path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        self.ids.add(has.get("id"))
        if tag == "img":
            self.alts.append(has.get("alt"))
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        self.loads += [has[name] for name in ("src", "href") if name in has and tag != "a"]

    def targets(self, links):
        """Each link within the site: the file that it names, and the id in it."""
        for link in links:
            to = urlsplit(link)
            if not to.scheme and not to.netloc:
                path = (self.path.parent / unquote(to.path)).resolve() if to.path else self.path
                yield link, path, unquote(to.fragment)


def look(page, path):
    """What is wrong with a page once Chromium has opened its file, by kind; nothing where all is well."""
    found = {kind: [] for kind in ("requests", "console", "light", "dark", "small", "narrow")}
    page.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or found["requests"].append(asked.url))
    page.on("requestfailed", lambda asked: found["requests"].append(f"failed: {asked.url}"))
    page.on("pageerror", lambda error: found["console"].append(str(error)))
    page.on("console", lambda line: line.type in ("error", "warning") and found["console"].append(line.text))
    page.emulate_media(reduced_motion="reduce")  # what fades in has little contrast meanwhile
    page.goto(path.as_uri())
    page.evaluate(OPEN)
    page.evaluate(THEME, "light")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found["light"] = page.evaluate(AXE, {})
    page.evaluate(THEME, "dark")
    found["dark"] = page.evaluate(AXE, CONTRAST)
    found["small"] = page.evaluate(SMALL)
    page.set_viewport_size(NARROW)
    if (over := page.evaluate(TOO_WIDE)) > 0:
        found["narrow"] = [f"{over} px too wide"]
    return {kind: complaints for kind, complaints in found.items() if complaints}
