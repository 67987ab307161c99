"""Formulas drawn when the pages are built: no script, no font to load, and MathML beside each for a screen reader.

A Sphinx extension; ``html_math_renderer = "drawn"`` switches it on.
"""

import re
from functools import cache

SIZE = 16  # pixels: what one em of the text is to ziamath
VIEW = re.compile(r'<svg [^>]*?width="[^"]*" height="[^"]*" viewBox="(\S+) (\S+) (\S+) (\S+)">')


@cache
def drawn(tex, is_inline):
    """A formula as HTML: a picture that stands on the line and has the text's colour, and its hidden MathML.

    Raises
    ------
    ValueError
        If the formula cannot be drawn; the message quotes it.
    """
    import ziamath
    from latex2mathml.converter import convert

    ziamath.config.svg2 = False  # no shared ids: a page holds many formulas
    try:
        picture = ziamath.Latex(tex, size=SIZE, inline=is_inline).svg()
        spoken = convert(tex, display="inline" if is_inline else "block")
    except Exception as error:
        raise ValueError(f"the formula {tex!r} cannot be drawn: {error}") from error
    _, top, width, height = (float(number) / SIZE for number in VIEW.search(picture).groups())
    style = f"width:{width:.3f}em;height:{height:.3f}em;vertical-align:{-(height + top):.3f}em"
    picture = VIEW.sub(
        lambda view: f'<svg aria-hidden="true" style="{style}" viewBox="{" ".join(view.groups())}">', picture
    )
    return f"{picture}{spoken}"


def setup(app):
    """Make the two ways to write a formula known to Sphinx."""
    app.add_html_math_renderer("drawn", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator, node):
    _write(translator, node, "span", True)


def _block(translator, node):
    _write(translator, node, "div", False)


def _write(translator, node, element, is_inline):
    from docutils.nodes import SkipNode

    attributes = {} if is_inline else {"tabindex": "0"}  # a long one scrolls, by the keyboard too
    translator.body.append(translator.starttag(node, element, "", CLASS="al-formula", **attributes))
    translator.body.append(f"{drawn(node.astext().strip(), is_inline)}</{element}>")
    raise SkipNode
