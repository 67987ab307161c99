"""What someone gets who does not use the mouse, or does not see the page: names, focus, and contrast of the text."""

import re

from tests.teaching.pictures import contrast

OURS = ".al-explorer, .al-q, .al-o, .al-live"  # what the lessons show, each with all that stands in it
CONTROLS = {"button", "checkbox", "combobox", "listbox", "radio", "searchbox", "spinbutton", "tab", "textbox"}
ENOUGH = 4.5  # of contrast, by WCAG 2 level AA

# The controls that Tab should reach, in the order in which they should come, each by its kind and its label. They are
# found anew for each look: a slider whose range changes is built anew, and one that is off keeps its place.
STOPS = """[...root.querySelectorAll('input, select, button, summary, [contenteditable=true], .noUi-handle')]
    .filter(e => e.offsetParent && !e.disabled)"""
KIND = """(e => e.tagName === 'INPUT' ? e.type : e.tagName !== 'DIV' ? e.tagName.toLowerCase()
    : e.isContentEditable ? 'readout' : e.closest('[disabled]') ? 'idle' : 'slider')"""
LABEL = (
    "(e => (e.closest('.widget-inline-hbox, .jupyter-widgets')?.querySelector('.widget-label, span') ?? e).textContent)"
)
NAME = f"(e => {KIND}(e) + ' ' + {LABEL}(e))"
NAMES = f"root => {STOPS}.map({NAME})"
AT = f"root => {STOPS}.filter(e => e === document.activeElement).map({NAME})[0] ?? null"
BEGIN = f"root => {STOPS}[0].focus()"
VALUE = f"""(root, name) => {{ const e = {STOPS}.find(e => {NAME}(e) === name);
    return e.matches('.noUi-handle') ? e.closest('.widget-inline-hbox').querySelector('.widget-readout').textContent
        : e.type === 'checkbox' ? e.checked : e.value; }}"""
# Whether the control that has the focus looks otherwise without it.
IS_SEEN = """() => { const e = document.activeElement, style = getComputedStyle(e), look = () =>
        [style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) ? style.outline : '', style.boxShadow,
         style.borderColor, style.backgroundColor].join();
    const seen = look();
    e.blur();
    const isOther = look() !== seen;
    e.focus({focusVisible: true, preventScroll: true});
    return isOther; }"""

# The ways in which text is seen: its colour, the colours behind it up to the page's, and one text that looks like that.
TEXTS = """roots => {
    const found = new Map(), grounds = new Map();
    const ground = e => {
        if (!e) return [1, []];
        if (!grounds.has(e)) {
            const [opacity, behind] = ground(e.parentElement), style = getComputedStyle(e), own = style.backgroundColor;
            grounds.set(e, [opacity * style.opacity, own === 'rgba(0, 0, 0, 0)' ? behind : [own, ...behind]]);
        }
        return grounds.get(e);
    };
    const add = (text, e) => {
        const style = getComputedStyle(e), look = [e.closest('svg') ? style.fill : style.color, ...ground(e)];
        const seen = e.checkVisibility({visibilityProperty: true}) && parseFloat(style.fontSize) > 0;
        const idle = e.closest('button:disabled') && !e.closest('.al-q-choices') || e.closest('.al-heard, style');
        if (seen && !idle) found.set(JSON.stringify(look), [text, ...look]);
    };
    for (const root of roots) {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) if (walker.currentNode.data.trim())
            add(walker.currentNode.data.trim(), walker.currentNode.parentElement);
        for (const e of root.querySelectorAll('input, select')) if (e.value && e.type !== 'checkbox') add(e.value, e);
    }
    return [...found.values()];
}"""


def names(notebook):
    """Role and name of all that Chromium's accessibility tree holds of ours: a list a widget, in the page's order."""
    session = notebook.page.context.new_cdp_session(notebook.page)
    root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    ours = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": OURS})["nodeIds"]
    trees = [session.send("Accessibility.queryAXTree", {"nodeId": one})["nodes"] for one in ours]
    session.detach()
    return [[_role_and_name(node) for node in tree if not node["ignored"]] for tree in trees]


def _role_and_name(node):
    off = any(each["name"] == "disabled" and each["value"]["value"] for each in node.get("properties", ()))
    return "disabled" if off else node["role"]["value"], node.get("name", {}).get("value", "").strip("\u200b ")


def too_faint(ours):
    """The texts below some elements that have too little contrast, each with its own: one of those that look alike."""
    found = {}
    for text, colour, opacity, behind in ours.evaluate_all(TEXTS):
        ground = _over([_rgba(each) for each in behind])
        *rgb, alpha = _rgba(colour)
        if alpha:  # text for a screen reader alone has no colour
            ratio = contrast(_mix(rgb, alpha * opacity, ground), ground)
            if ratio < ENOUGH:
                found[text] = round(ratio, 2)
    return found


def _rgba(colour):
    """``rgb(1, 2, 3)``, ``rgba(1, 2, 3, 0.5)`` or ``color(srgb 0.1 0.2 0.3 / 0.5)`` as red, green, blue and alpha."""
    numbers = [float(number) for number in re.findall(r"[\d.]+(?:e-?\d+)?", colour)]
    if colour.startswith("color("):
        numbers = [*(255 * number for number in numbers[:3]), *numbers[3:]]
    return (*numbers, 1.0)[:4]


def _over(colours):
    """What is seen of colours above one another, the uppermost first, on white."""
    ground = (255.0, 255.0, 255.0)
    for *rgb, alpha in reversed(colours):
        ground = _mix(rgb, alpha, ground)
    return ground


def _mix(rgb, alpha, ground):
    return tuple(alpha * one + (1 - alpha) * other for one, other in zip(rgb, ground, strict=True))


class Keys:
    """The keyboard's way through one element, from control to control: each is called by its kind and its label."""

    def __init__(self, root):
        self.root = root
        root.evaluate(BEGIN)
        self.press("Tab", "Shift+Tab")  # as the keyboard comes there

    def stops(self):
        """All controls, as Tab should reach them."""
        return self.root.evaluate(NAMES)

    def at(self):
        """The control that has the focus; None where it is elsewhere."""
        return self.root.evaluate(AT)

    def next(self):
        """The control that Tab should reach from here; None behind the last one."""
        stops = [*self.stops(), None]
        return stops[stops.index(self.at()) + 1]

    def is_seen(self):
        return self.root.page.evaluate(IS_SEEN)

    def value(self, stop):
        """What a control is set to."""
        return self.root.evaluate(VALUE, stop)

    def press(self, *keys):
        for key in keys:
            self.root.page.keyboard.press(key)
