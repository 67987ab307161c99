"""The last touches: docstrings before Sphinx reads them, pages after it has written them.

A Sphinx extension, and one function that the build calls.
"""

import re

BAR = re.compile(r"(``.*?``)|\|")
PICTURE = re.compile(r'<img alt="[^"]*" src="\.\./_images/[^>]*>')
# What scrolls in a box of its own is reached by the keyboard, and what looks alike has a name of its own.
PATCHES = {
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="The course">',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
    '<div id="search-results">': '<h1>Search</h1><div id="search-results">',
    '<div role="status"': "<div",  # nothing changes here
    ">Show the output<": ">Show the answer<",
    ">Show the outputs<": ">Show the answer<",
    ">Hide the output<": ">Hide the answer<",
    ">Hide the outputs<": ">Hide the answer<",
}


def finish(html):
    """A page as it is to be: see `PATCHES`; and a picture wider than the page scrolls in a box of its own."""
    for before, after in PATCHES.items():
        html = html.replace(before, after)
    return PICTURE.sub(lambda picture: f'<div class="al-picture" tabindex="0">{picture[0]}</div>', html)


def setup(app):
    """Have docstrings mended."""
    app.connect("autodoc-process-docstring", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _mend(app, what, name, value, options, lines):
    """In |i - j| the bars are meant as bars; reStructuredText would look for a substitution."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[i] = BAR.sub(lambda found: found[1] or r"\|", line)
