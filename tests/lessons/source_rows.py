"""The rows of the texts that the course mirrors: which lessons teach each, if any, and what its code must contain.

For every row of a finished lesson there is working code with the row's own test shapes, a figure and an exercise.
"""

import re

from tests.lessons.rules_code import exercise_names

ROWS_OF_LESSON = {
    "00": ("B1", "B6"),
    "01": ("A1", "B1", "B6", "C2", "D1"),
    "02": ("B9", "D2"),
    "03": ("B3", "D3", "D4"),
    "04": ("A2", "B2"),
    "05": ("A3", "B5", "C1"),
    "06": ("A4", "B4", "B7", "B8", "B14"),
    "09": ("B10", "B11"),
    "11": ("B13",),
    "12": ("B12",),
}
BATCHED = r"\((\d+, ){2,}\d+\)"
# Patterns that the code of the row's cells must hold, each with what it stands for.
PATTERNS = {
    "A1": {
        "a query of shape (4, 8)": r"\(4, 8\)",
        "a key of shape (6, 8)": r"\(6, 8\)",
        "a value of shape (6, 10)": r"\(6, 10\)",
    },
    "A2": {"an input of shape (2, 10, 64)": r"\(2, 10, 64\)", "4 heads": r"MultiHeadAttention\(64, 4\b"},
    "A3": {"an encoding of shape (10, 64)": r"\(10, 64\)", "its range": r"\.max\(\)"},
    "A4": {"an input of shape (2, 10, 64)": r"\(2, 10, 64\)", "4 heads and d_ff 256": r"\(64, 4, d_ff=256"},
    "B1": {"an input of shape (2, 5, 8)": r"\(2, 5, 8\)"},
    "B2": {"a batch, such as (2, 5, 8)": BATCHED, "heads": r"MultiHeadAttention\("},
    "B3": {"a heatmap": r"\bheatmap\("},
    "B4": {"a batch, such as (2, 10, 64)": BATCHED, "two linear maps": r"W_1|up\.weight", "a ReLU": r"\brelu\("},
    "B5": {"an encoding of shape (10, 512)": r"\(10, 512\)"},
    "B6": {"a batch, such as (2, 5, 8)": BATCHED},
    "B7": {"a gain and a bias": r"gain, bias", "the population's variance": r"\.var\(axis=-1", "eps 1e-5": r"1e-5"},
    "B8": {"a post-norm block": r"faulty_b8|place", "two sublayers": r"attend, forward|W_1"},
    "B9": {
        "a causal mask": r"\bcausal_mask\(",
        "a padding mask": r"\bpadding_mask\(",
        "both combined": r"\bcombine_masks\(|_mask\b.*&|&.*_mask\b",
    },
    "B10": {
        "vocabulary 1000, width 128": r"\(1000, \d+, 128\b",
        "a batch of (32, 50)": r"\(32, 50\)",
        "a model that is trained": r"\bfit\(",
    },
    "B11": {"accuracy": r"\baccuracy\(", "statistics of the weights": r"\.mean\(\).*\.std\(\)|\.std\(\).*\.max\(\)"},
    "B12": {
        "a batch, such as (2, 5, 8)": BATCHED,
        "keys and values from an encoder": r"\bmemory\b",
        "a decoder that asks": r"Seq2Seq\(|DecoderBlock\(|cross_attention",
    },
    "B13": {
        "a batch": r"size=\(2, \d+\)",
        "steps, one token each": r"num_tokens|\bgenerate\(",
        "a reset": r"\.reset\(\)",
    },
    "B14": {"a drawn transformer": r"\bdiagram\("},
    "C1": {"an odd d_model": r"\(5, 7\)", "sizes of 0": r"\(0, 8\), \(5, 0\)", "a slice of a ready one": r"\[:5\]"},
    "C2": {"a batch, such as (2, 5, 8)": BATCHED},
    "D1": {"an input of shape (10, 64)": r"\(10, 64\)", "seed 42": r"\b42\b"},
    "D2": {"a causal mask of 10 by 10": r"\(10, 10\)|causal_mask\(10\b"},
    "D3": {"weights of shape (10, 20)": r"\(10, 20\)", "their entropy": r"entropy\("},
    "D4": {"an input of shape (10, 64)": r"\(10, 64\)", "seed 42": r"\b42\b"},
}
FIGURES = ("image/png", "image/svg+xml")


def cells_of_row(row, lessons):
    """The code cells tagged ``source:ROW`` in these lessons."""
    return [cell for lesson in lessons for cell in lesson.code if row in cell.tagged("source")]


def row_problems(row, lessons):
    """What a row still lacks in the finished lessons that teach it."""
    problems = []
    for lesson in lessons:
        if not cells_of_row(row, [lesson]):
            problems.append(f"{lesson.name} teaches {row}: tag the code cells that do 'source:{row}'")
    cells = cells_of_row(row, lessons)
    source = "\n".join(cell.source for cell in cells)
    problems += [
        f"{row} lacks {what}, in code" for what, pattern in PATTERNS[row].items() if not re.search(pattern, source)
    ]
    data = [output.get("data", {}) for cell in cells for output in cell.outputs]
    if not any(kind in entry for entry in data for kind in FIGURES):
        problems.append(f"{row} lacks a figure: an image in the output of a cell tagged 'source:{row}'")
    if not any(name in exercise_names() for cell in cells for name in cell.tagged("exercise")):
        problems.append(f"{row} lacks an exercise: a cell tagged both 'source:{row}' and 'exercise:NAME'")
    return problems
