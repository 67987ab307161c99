"""Terms: every bold term of the course stands in the glossary of lesson 00, with its meaning."""

import re

from attention_lab.teaching.lesson import FENCE

BOLD = re.compile(r"\*\*([^*\n]+?)\*\*")


def glossary_terms(lesson):
    """The terms in the first column of the tables below a heading of lesson 00 that says "Glossary"."""
    terms = set()
    for section in lesson.sections:
        if section.in_more and "glossary" in section.title.lower():
            rows = [line for cell in section.cells if not cell.is_code for line in cell.source.splitlines()]
            first = [row.split("|")[1] for row in rows if row.lstrip().startswith("|")]
            terms |= {_plain(term) for entry in first for term in entry.split(",")}
    return {term for term in terms if term.strip("-: ")}


def unknown_terms(lesson, glossary):
    """Problems: the bold terms of a lesson that the glossary does not explain."""
    problems = []
    for cell in lesson.cells:
        for term in BOLD.findall(FENCE.sub("", cell.source)) if not cell.is_code else []:
            plain = _plain(term)
            if plain not in glossary and plain.removesuffix("s") not in glossary:
                problems.append(
                    f"cell {cell.number}: the bold term {term!r} is not in the glossary of lesson 00: "
                    "add a row, or use *emphasis* where no term is meant"
                )
    return problems


def _plain(term):
    return re.sub(r"[*`]", "", term).strip(" .:").lower()
