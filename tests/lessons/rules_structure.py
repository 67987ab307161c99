"""The contract's rules about a lesson's shape: headings, lengths, minutes, rhythm. Each gives a list of problems."""

import ast
import re

from attention_lab.teaching.lesson import called_name
from tests.lessons.lesson import ASKS, NOTEBOOKS

MAX_CORE_CELLS, MAX_MINUTES, MAX_CODE_LINES, MAX_PROSE_WORDS = 40, 45, 15, 120
STATED_WITHIN = 3
WORDS_A_MINUTE = 150
DEMO, ORDER, GAP, WRITE = 2, 2, 4, 7
DEMOS = ("Explorer", "explore_attention")
RHYTHM = ("predict", "run", "investigate", "modify")
HEADER = {
    "what is learned (the word 'Learn')": r"\blearn",
    "what is needed (the word 'Need')": r"\bneed",
    "the time ('About 40 minutes')": r"\babout \d+ minutes",
    "the place in the Part ('lesson 2 of 7')": r"\blesson \d+ of \d+",
    "the gate, a link to (#Closing-questions)": r"\]\(#Closing-questions\)",
}


def one_title(lesson):
    titles = [title for cell in lesson.cells for level, title in cell.headings if level == 1]
    if len(titles) != 1 or not lesson.cells or (1, titles[0]) not in lesson.cells[0].headings:
        return [f"has {len(titles)} H1 headings: write one '# Title', in the first cell"]
    return []


def headings_open_their_cells(lesson):
    """So that a section is a run of whole cells."""
    problems = []
    for cell in lesson.cells[1:]:
        levels = [level for level, _ in cell.headings if level <= 2]
        if len(levels) > 1 or (levels and not cell.source.startswith("#")):
            problems.append(f"cell {cell.number}: begin a new prose cell with each '## ' heading")
    return problems


def required_sections(lesson):
    opening = ["What you will do"] + ["Recall"] * (lesson.number not in ("00", ASKS))
    ending = ["Faults to find", "Exercises", "Remember", "Closing questions"]
    ending = ["Test yourself", "Remember"] if lesson.number == ASKS else ending
    titles = lesson.titles
    problems = [f"write '## {title}' exactly once" for title in opening + ending if titles.count(title) != 1]
    if problems:
        return problems
    if [title for title in titles if title in opening + ending] != opening + ending:
        problems.append(f"put the sections in this order: {', '.join(opening + ending)}")
    if titles[: len(opening)] != opening:
        problems.append(f"begin with {' and '.join(opening)}")
    if lesson.number != ASKS and titles.index(ending[0]) <= len(opening):
        problems.append(f"write at least one section of your own between '## {opening[-1]}' and '## {ending[0]}'")
    after = titles[titles.index(ending[-1]) + 1 :]
    if after not in ([], ["More"]):
        problems.append(f"after '## {ending[-1]}' only one '## More' may stand, got {after}: use '### ' inside it")
    return problems


def every_part_is_asked(lesson):
    """The lesson that only asks tests the reader on each Part."""
    from attention_lab.teaching.parts import PARTS

    tested = {
        ast.unparse(argument) for cell in lesson.core for call in cell.calls("self_test") for argument in call.args
    }
    missing = [part for part in PARTS if repr(part) not in tested] if lesson.number == ASKS else []
    return [f"test the reader on Part {part}: al.self_test({part!r}), in a cell of its own" for part in missing]


def header_says_all(lesson):
    text = "\n".join(cell.source for cell in lesson.section("What you will do").cells if not cell.is_code)
    wanted = {what: pattern for what, pattern in HEADER.items() if lesson.number != ASKS or "Closing" not in pattern}
    return [
        f"say in '## What you will do' {what}" for what, pattern in wanted.items() if not re.search(pattern, text, re.I)
    ]


def core_is_short(lesson):
    count = len(lesson.core)
    return [f"has {count} core cells: move {count - MAX_CORE_CELLS} below '## More'"] if count > MAX_CORE_CELLS else []


def core_cells_are_short(lesson):
    problems = []
    for cell in lesson.core:
        if cell.is_code and cell.lines > MAX_CODE_LINES:
            problems.append(f"cell {cell.number} has {cell.lines} lines of code: split it, at most {MAX_CODE_LINES}")
        if cell.words > MAX_PROSE_WORDS:
            problems.append(f"cell {cell.number} has {cell.words} words: shorten or split, at most {MAX_PROSE_WORDS}")
    return problems


def minutes_are_honest(lesson):
    minutes = core_minutes(lesson)
    problems = []
    if minutes > MAX_MINUTES:
        problems.append(
            f"the core takes {minutes:.0f} minutes by the formula: at most {MAX_MINUTES}, move some to More"
        )
    stated = re.search(r"\babout (\d+) minutes", "\n".join(cell.source for cell in lesson.core), re.I)
    if stated and abs(int(stated[1]) - minutes) > STATED_WITHIN:
        problems.append(
            f"the header says {stated[0]!r}, the formula {minutes:.0f}: state 'About {minutes:.0f} minutes'"
        )
    return problems


def core_minutes(lesson):
    """Minutes of the core: words / 150, 1 a question, 2 a demo, 2 an order, 4 a gap, 7 a function to write."""
    minutes = sum(cell.words for cell in lesson.core) / WORDS_A_MINUTE
    for cell in lesson.core:
        if cell.is_code:
            calls = [called_name(call) for call in cell.calls()]
            minutes += sum(questions_asked(name, lesson.number) for name in calls)
            minutes += DEMO * sum(name in DEMOS for name in calls) + ORDER * calls.count("order")
            minutes += {"gap": GAP, "write": WRITE}.get(exercise_rung(cell), 0)
    return minutes


def questions_asked(name, number):
    """How many questions a call of that name asks."""
    from attention_lab.teaching.questions import CLOSING, RECALL
    from attention_lab.teaching.self_test import QUESTIONS

    many = {"recall": len(RECALL.get(number, ())), "closing": len(CLOSING.get(number, ())), "self_test": QUESTIONS}
    return many.get(name, int(name in ("predict", "because")))


def exercise_rung(cell):
    """ "write" where a function's whole body is left out, "gap" where a part of it is, else None."""
    if not cell.tagged("exercise"):
        return None
    rung = None
    for function in (node for node in ast.walk(cell.tree) if isinstance(node, ast.FunctionDef)):
        body = function.body[1:] if ast.get_docstring(function) else function.body
        if len(body) == 1 and isinstance(body[0], ast.Expr) and _is_blank(body[0]):
            return "write"
        if any(_is_blank(node) for node in ast.walk(function)):
            rung = "gap"
    return rung


def _is_blank(node):
    """Whether a statement is, assigns or returns a bare ``...``; the one in ``x[..., 0]`` is none."""
    value = getattr(node, "value", None) if isinstance(node, ast.Expr | ast.Assign | ast.Return) else None
    values = value.elts if isinstance(value, ast.Tuple) else [value]
    return any(isinstance(value, ast.Constant) and value.value is ... for value in values)


def rhythm_is_kept(lesson):
    first = {}
    for cell in lesson.core:
        for tag in cell.tags & set(RHYTHM):
            first.setdefault(tag, cell.number)
    missing = [f"tag a core cell {tag!r}" for tag in RHYTHM if tag not in first]
    order = sorted(first, key=lambda tag: (first[tag], RHYTHM.index(tag)))
    if not missing and tuple(order) != RHYTHM:
        return [f"the tags first appear in the order {', '.join(order)}: it must be {', '.join(RHYTHM)}"]
    return missing


def links_lead_somewhere(lesson):
    anchors = {title.replace(" ", "-") for cell in lesson.cells for _, title in cell.headings}
    problems = []
    for cell in lesson.cells:
        for target in re.findall(r"\]\(([^)\s]+)\)", cell.source) if not cell.is_code else []:
            path, _, anchor = target.partition("#")
            if "://" in target or target.startswith(("mailto:", "attachment:")):
                continue
            if (path and not (NOTEBOOKS / path).exists()) or (not path and anchor not in anchors):
                problems.append(f"cell {cell.number}: the link {target} leads nowhere")
    return problems


RULES = (
    one_title,
    headings_open_their_cells,
    required_sections,
    every_part_is_asked,
    header_says_all,
    core_is_short,
    core_cells_are_short,
    minutes_are_honest,
    rhythm_is_kept,
    links_lead_somewhere,
)
