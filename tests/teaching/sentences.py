"""What a figure's sentence says, part by part, held against what is drawn."""

import re

import numpy as np

from tests.teaching.read_figure import NUMBER, Chart, is_near, maps, rounding_of, value_of

MOST = re.compile(
    rf"(?:(.+?) )?(attends most to|scores highest with|(?:is )?largest in size at) (.+) \((±?)({NUMBER})( each)?\)"
)
MEASURED = re.compile(rf"(?:(.+?): )?(largest (.+?) at) (.+) \(()({NUMBER})( each)?\)")
EVEN = re.compile(rf"(.+) (?:attends evenly to|scores the same with) the keys it sees(?: \(({NUMBER})\))?")
SAME = re.compile(rf"(?:(.+) is )?the same (?:everywhere|all along (.+)) \(({NUMBER})\)")
LEVEL = re.compile(rf"(?:(.+): )?the same (.+) everywhere \(({NUMBER})\)")
SIZE = re.compile(r"(?:(\d+) (?:heads?|maps?) of )?(\d+) × (\d+) ((?:[a-z-]+,? )*)(weights|scores|values)")
STEPS = re.compile(r"(\d+) × (\d+) scores → scaled by (\S+) → (?:(.+) → )?weights → output (\d+) × (\d+)")
PAIR = re.compile(r"('.*'|[^',]+), ('.*'|[^',]+)")


def unconfirmed(picture):
    """The parts of a picture's sentence that what is drawn does not bear out, or that nothing here can read."""
    figure = picture.figure
    found = maps(figure)
    if found:
        path, *parts = picture.alt.split("; ")
        first = [] if is_size(path, found) or is_steps(path, found) else [path]
        weights = [one for one in found if one.title == "weights: softmax"] or found  # of steps, the one spoken of
        return first + [part for part in parts if not any(check(part, weights) for check in OF_MAPS)]
    if any(line.get_linewidth() == 1.6 for line in figure.axes[0].lines):
        heading, *parts = picture.alt.split("; ")
        chart = Chart(figure.axes[0])
        return [heading] * (not is_range(heading, chart)) + [part for part in parts if not is_course(part, chart)]
    return [] if is_network(picture) or is_diagram(picture) else [picture.alt]


# ---- maps -----------------------------------------------------------------------------------------------------


def is_size(part, found):
    """How many maps of which size there are, and what is hidden of them."""
    match = SIZE.fullmatch(part)
    if not match:
        return False
    count, n_q, n_k, mask, _ = match.groups()
    size, are_hidden = (int(n_q), int(n_k)), all(_is_hidden(mask, one) for one in found)
    sizes = [one.values.shape for one in found]
    return len(found) == int(count or 1) and set(sizes) == {size} and are_hidden


def _is_hidden(mask, one):
    """Whether the mask that is named is the one that is drawn."""
    (n_q, n_k), hidden = one.values.shape, np.isnan(one.values)
    ahead = np.arange(n_k) - np.arange(n_q)[:, None] - (n_k - n_q)
    reach = (~hidden).sum(axis=1).max()
    drawn = {
        "causal": ahead > 0,
        "window": abs(ahead) >= (reach + 1) // 2,
        "sliding-window": (ahead > 0) | (ahead <= -reach),
    }
    for name in mask.replace(",", "").split():
        if name == "padded":
            hidden = hidden[:, ~(hidden.all(axis=0) & (one.hatched("....") > 0))]
        elif name in drawn and not (drawn[name] == np.isnan(one.values)).all() and "padded" not in mask:
            return False
    return not {"masked", "causal", "window"} & set(mask.split()) or bool(np.isnan(one.values).any())


def is_strongest(part, found):
    """The cells that are named are where they should be, hold what is said, and are all that are the largest."""
    named, part = _of_title(part, found)
    if match := MOST.fullmatch(part):
        who, verb, *said = match.groups()
    elif (match := MEASURED.fullmatch(part)) and _is_measure(match[3], found):
        who, verb, _, *said = match.groups()
    else:
        return False
    others = [] if len(named) == len(found) else found
    return any(
        _holds(one, others or [one], *reading, *said) for one in named for reading in _readings(one, named, who, verb)
    )


def _is_measure(words, found):
    """Whether a colour bar has this name."""
    axes = found[0].ax.figure.axes
    return any(name.startswith(f"{words}, ") for ax in axes for name in (ax.get_title("left"), ax.get_xlabel()))


def _readings(one, named, who, verb):
    """What a sentence may speak of: a row that is called so, or the whole map, where cells have two names."""
    size, by_print = abs if "size" in verb else np.asarray, "size" not in verb and "scores" not in verb
    rows = one.find(who, one.rows) if who else []
    if not one.outlined or set(rows) >= one.outlined:
        for row in rows:
            is_chosen = one.outlined or len(named) > 1 and _has_the_largest(row, named, size)
            yield size, by_print, [row] if is_chosen else one.with_a_choice, row
    if not who or by_print:
        yield size, by_print, np.arange(len(one.values)) if who else one.with_a_choice, None


def _has_the_largest(row, found, size):
    """Of several maps in which one row is spoken of, though none is outlined."""
    tops = [[np.nanmax(size(one.values[rows]), initial=-np.inf) for one in found] for rows in ([row], slice(None))]
    return max(tops[0]) >= max(tops[1]) * (1 - 1e-5)


def _holds(one, others, size, by_print, compared, row, what, sign, text, each):
    top = max(np.nanmax(size(each_one.values[compared]), initial=-np.inf) for each_one in others)
    values = np.full(one.values.shape, np.nan)
    own = compared if row is None else [row]
    values[own] = one.values[own]
    if not np.nanmax(size(values), initial=-np.inf) >= top * (1 - 1e-5) - 1e-12:
        return False
    ties = [_alike(size(values), by_print, unseen) for unseen in (5e-7, 1e-6, 2e-6)]
    return any(_is_told(one, tied, row is None, what) and _is_size(values[tied], sign, text, each) for tied in ties)


def _alike(sizes, by_print, unseen):
    """The largest cells: weights that read the same, unless they are small; others that differ by next to nothing."""
    top = np.nanmax(sizes)
    alike, near = sizes >= top - unseen * abs(top), sizes >= 0.9 * top
    if by_print:
        alike[near] |= [f"{size:.2f}" == f"{top:.2f}" for size in sizes[near]]
    return alike


def _is_told(one, tied, in_pairs, what):
    """Whether these are the cells that are named, or as many as is said."""
    count = int(tied.sum())
    if match := re.fullmatch(r"(\d+) (?:cells|keys) alike", what):
        return count == int(match[1]) > 2
    cuts = [match.span() for match in re.finditer(" and ", what)]
    for names in [[what], *([what[:start], what[stop:]] for start, stop in cuts)]:
        if len(names) == count and all(tied[_cells_called(one, name, in_pairs)].any() for name in names):
            return True
    return False


def _cells_called(one, name, in_pairs):
    if not in_pairs:
        return np.ix_(range(len(one.values)), one.find(name, one.columns))
    row, column = pair.groups() if (pair := PAIR.fullmatch(name)) else ("", "")
    return np.ix_(one.find(row, one.rows), one.find(column, one.columns))


def _is_size(values, sign, text, each):
    mixed = values.min() < 0 < values.max()
    near = all(is_near(text, abs(value) if mixed else value) for value in values)
    return near and (bool(sign), bool(each)) == (mixed, len(values) > 1)


def _of_title(part, found):
    """The map that a part begins with, and the rest of the part; all maps where it names none."""
    named = [one for one in found if one.title and part.startswith(f"{one.title}: ")]
    return (named, part.removeprefix(f"{named[0].title}: ")) if named else (found, part)


def is_even(part, found):
    """Every row that is meant sees cells that are all the same, and as large as is said."""
    found, part = _of_title(part, found)
    if (match := LEVEL.fullmatch(part)) and _is_measure(match[2], found):
        who, text = [match[1]] * bool(match[1]), match[3]
    elif match := EVEN.fullmatch(part) or SAME.fullmatch(part):
        who, text = [group for group in match.groups() if group][:1], match.groups()[-1]
    else:
        return False
    everyone = not who or who == ["every query"] or who[0] == text
    for one in found:
        rows = one.with_a_choice if everyone else one.find(who[0], one.rows)[:1] or slice(None)
        seen = [row[~np.isnan(row)] for row in one.values[rows]]
        by_print = "attends" in part or match.re is LEVEL
        unseen = [max(2e-6, by_print * min(0.00501 / abs(row).max(initial=1e-9), 0.1)) for row in seen]
        level = all(_alike(row[None], by_print, off).all() for row, off in zip(seen, unseen, strict=True) if row.size)
        if level and (not text or all(is_near(text, row.max()) for row in seen)):
            return True
    return False


def is_odd(part, found):
    """What is out of order: rows that see nothing, cells that are no number, weight that is hidden or below 0."""
    found, part = _of_title(part, found)
    if match := re.fullmatch(r"(no query(?= sees a)|.+?) (?:sees? (?:no|a) (?:key|number)|has no number)", part):
        blind = [set(np.flatnonzero(np.isnan(one.values).all(axis=1))) for one in found]
        return any(rows and rows >= _rows_of(match[1], one) for rows, one in zip(blind, found, strict=True))
    if match := re.fullmatch(r"(\d+) cells? (?:is|are) (?:NaN|NaN or infinite)", part):
        return sum(one.hatched("xxxx") for one in found) == int(match[1])
    if match := re.fullmatch(rf"hidden cells hold weight \(up to ({NUMBER})\)", part):  # what is seen lacks as much
        missing = max((1 - np.nansum(one.values, axis=1)).max() for one in found)
        return missing >= value_of(match[1]) - rounding_of(match[1])
    match = re.fullmatch(r"(\d+) cells? (?:is|are) below 0", part)  # drawn as 0
    return bool(match) and sum((one.values == 0).sum() for one in found) >= int(match[1])


def _rows_of(who, one):
    if who == "no query":
        return set(range(len(one.values)))
    if match := re.fullmatch(r"(\d+) queries", who):
        blind = np.flatnonzero(np.isnan(one.values).all(axis=1))
        return set(blind) if len(blind) == int(match[1]) else {-1}
    return {row for name in who.split(", ") for row in one.find(name, one.rows)}


def is_steps(part, found):
    """The way from scores to output: sizes, the factor, and that the weights are the softmax of what stands before."""
    match = STEPS.fullmatch(part)
    if not match:
        return False
    n_q, n_k, factor, mask, rows, d_v = match.groups()
    scores, scaled, *masked, weights, output = (one.values for one in found)
    before = np.where(np.isnan((masked or [scaled])[0]), -np.inf, (masked or [scaled])[0])
    exps = np.exp(before - before.max(axis=1, keepdims=True))
    return (
        scores.shape == (int(n_q), int(n_k)) and output.shape == (int(rows), int(d_v)) and bool(mask) == bool(masked)
        and np.allclose(scaled, scores * float(factor), rtol=2e-3)
        and np.allclose(np.nan_to_num(weights), exps / exps.sum(axis=1, keepdims=True), atol=1e-6)
    )  # fmt: skip


OF_MAPS = (is_strongest, is_even, is_odd)


# ---- lines ----------------------------------------------------------------------------------------------------


def is_range(heading, chart):
    """What the axes measure, and from where to where the lines run."""
    match = re.fullmatch(rf"(.+?) over (.+) ({NUMBER}) to ({NUMBER})", heading)
    match = match or re.fullmatch(rf"(.+?) at (.+) ({NUMBER})", heading)  # second: "MB at most" may be what is measured
    measured, across_what, *ends = match.groups()
    across = np.concatenate([line[:, 0] for line in chart.lines.values()])
    places = (across.min(), across.max())[: len(ends)]
    label = chart.ax.get_xlabel()
    titles = [text.get_text().rstrip("…") for text in chart.ax.figure.texts] + ["value"]
    is_named = label.rstrip("…") in across_what and any(map(measured.startswith, filter(None, titles)))
    return is_named and any(all(map(is_near, ends, map(read, places))) for read in chart.scales(chart.ax.xaxis))


def is_course(part, chart):
    """Where a line begins and ends, its smallest and its largest point, and what of it is not seen."""
    name = next((name for name in chart.lines if part.startswith(f"'{name}' ")), None) or _shortened(part, chart)
    if name is None:
        return False
    points = chart.lines[name][np.isfinite(chart.lines[name][:, 1])]
    last = points[-1, 1] + np.array([0, 1e-9])  # as near to each other as cannot be drawn
    return any(
        _is_course_of(part, read_x(points[:, 0]), read_y(points[:, 1]), np.ptp(read_y(last)))
        for read_x in chart.scales(chart.ax.xaxis) for read_y in chart.scales(chart.ax.yaxis)
    )  # fmt: skip


def _shortened(part, chart):
    return next((name for name in chart.lines if name.endswith("…") and part.startswith(f"'{name[:-1]}")), None)


def _is_course_of(part, x, y, unseen):
    words = re.sub(r"^'.*?' (?=(?:rises|falls|goes|stays|is) )", "", part)
    said = True
    if match := re.match(rf"(rises|falls|goes) from ({NUMBER}) to ({NUMBER})", words):
        steps = np.diff(y) * {"rises": 1, "falls": -1, "goes": 0}[match[1]]
        said = is_near(match[2], y[0]) and is_near(match[3], y[-1], unseen) and (steps >= -1e-5 * abs(y).max()).all()
    elif match := re.match(rf"(?:stays at|is) ({NUMBER})", words):
        said = is_near(match[1], y[0]) and np.ptp(y) <= 1e-5 * abs(y).max()
    for what, value, at in re.findall(rf"(smallest|largest) ({NUMBER}) at ({NUMBER})", words):
        place = y.argmin() if what == "smallest" else y.argmax()
        said = said and is_near(value, y[place]) and is_near(at, x[place])
    return bool(match) and bool(said)


# ---- graphs and diagrams --------------------------------------------------------------------------------------


def is_network(picture):
    """How many nodes and lines there are; the widest line leads from the node that reads to the one it reads most."""
    said = r"a graph of (\d+) nodes?, joined by (\d+) lines?; '(.+)' reads most from (.+)"
    match = re.fullmatch(rf"{said} \(({NUMBER})\)", picture.alt)
    if not match:
        return False
    nodes, lines, who, whom, text = match.groups()
    ax = picture.figure.axes[0]
    places = {words.get_text(): words.get_position() for words in ax.texts}
    edges = [line for line in ax.lines if len(line.get_xdata()) == 2]
    read = [line for line in edges if line.get_zorder() == 2]
    if (len(ax.texts), len(edges) - len(read)) != (int(nodes), int(lines)):
        return False
    if whom == "itself":
        return all(line.get_linewidth() / 7 <= value_of(text) + 0.06 for line in read)
    widest = max(read, key=lambda line: line.get_linewidth())
    full = float(re.search(r"so wide: (\S+) or more", picture.figure.legends[0].get_texts()[0].get_text())[1])
    weight = widest.get_linewidth() / 7 * full
    leads = np.allclose(widest.get_xydata(), [places[who], places[whom.strip("'")]])
    return leads and (is_near(text, weight) or weight == full < value_of(text))


def is_diagram(picture):
    """Every word of the sentence's formulas stands in the diagram."""
    written = " ".join(text.get_text() for ax in picture.figure.axes for text in ax.texts)
    sentence = picture.alt.split("; highlighted")[0].partition(": ")[2]
    words = re.findall(r"[A-Za-z_-]{2,}", sentence)
    return bool(words) and all(word in written for word in words if word not in ("then", "with", "in", "each", "into"))
