"""The contract's rules about a lesson's code: imports, faults, demos, names, randomness. Each gives problems."""

import ast
import re

from attention_lab.teaching.lesson import called_name
from tests.lessons.lesson import ASKS, bound_names
from tests.lessons.rules_structure import DEMOS, exercise_rung

MAX_CORE_FAULTS = 3
EXERCISE_CALLS = ("check", "hint", "solution")
LEGACY_RANDOM = re.compile(r"\bnp\.random\.(?!default_rng\b|Generator\b|SeedSequence\b)(\w+)")


def code_is_plain_python(lesson):
    problems = []
    for cell in lesson.code:
        try:
            ast.parse(cell.source)
        except SyntaxError as error:
            problems.append(f"cell {cell.number}: only Python that parses, no % or ! lines ({error.msg})")
        if "get_ipython" in cell.source:
            problems.append(f"cell {cell.number}: leave out get_ipython, lessons also run without IPython")
    return problems


def imports_come_first(lesson):
    tagged = [cell.number for cell in lesson.code if "imports" in cell.tags]
    if not lesson.code or tagged != [lesson.code[0].number]:
        return [f"tag the first code cell, and only it, 'imports' (tagged now: {tagged or 'none'})"]
    return []


def names_stay_put(lesson):
    """A name is bound in one section alone, so that sections can be run in any order."""
    home, problems = {}, []
    for section in lesson.sections:
        for cell in section.code:
            where = "the imports" if cell is lesson.imports else f"'{section.title}'"
            for name in sorted(bound_names(cell.tree)):
                if home.setdefault(name, where) != where:
                    problems.append(f"cell {cell.number} binds {name!r}, which {home[name]} binds too: rename one")
    return problems


def faults_are_marked(lesson):
    problems = []
    in_core = {name for cell in lesson.core if "fault" in cell.tags for name in _faults(cell)}
    if len(in_core) > MAX_CORE_FAULTS:
        problems.append(f"shows {len(in_core)} faults in the core: at most {MAX_CORE_FAULTS}, the others go to More")
    if lesson.number != ASKS and not any("fault" in cell.tags for cell in lesson.section("Faults to find").code):
        problems.append("show at least one fault in '## Faults to find', in a code cell tagged 'fault'")
    for cell in lesson.code:
        for name in _faults(cell) if "fault" in cell.tags else []:
            shows = f"cell {cell.number} shows {name!r}"
            if not name.startswith("faulty_"):
                problems.append(f"{shows} as a fault: its name must begin with 'faulty_'")
            if name.count("_") > 2:
                problems.append(f"{shows}, whose name tells what is wrong: give it a short one, such as faulty_b1")
    return problems


def answers_are_folded(lesson):
    """So that a prediction can be locked before its answer is seen: a demo starts plain, other outputs are folded."""
    problems, after_prediction = [], False
    for cell in lesson.code:
        if after_prediction and not cell.tags & {"answer", "build"} and not cell.calls(*DEMOS):
            problems.append(f"cell {cell.number} follows a prediction: tag it 'answer', so that its output is folded")
        after_prediction = bool(cell.calls("predict"))
    return problems


def gaps_are_the_banks(lesson):
    """A gap cell begins with the text that the exercise's reference gives."""
    from attention_lab.teaching.exercises import EXERCISES

    problems = []
    for cell in lesson.code:
        names = [name for name in cell.tagged("exercise") if name in EXERCISES and exercise_rung(cell) == "gap"]
        problems += [
            f"cell {cell.number}: a gap must begin with EXERCISES[{name!r}].gap()"
            for name in names
            if not cell.source.startswith(EXERCISES[name].gap())
        ]
    return problems


def _faults(cell):
    """The functions that a cell shows by show_source or defines: ``faulty_dot`` of ``lesson_00.faulty_dot``."""
    shown = [argument for call in cell.calls("show_source") for argument in call.args]
    defined = [node.name for node in ast.walk(cell.tree) if isinstance(node, ast.FunctionDef)]
    return [ast.unparse(argument).split(".")[-1].strip("'\"") for argument in shown] + defined


def predictions_come_before_demos(lesson):
    problems = []
    for section in lesson.sections:
        predicted = False
        for cell in section.code:
            for call in cell.calls("predict", *DEMOS):
                predicted = predicted or called_name(call) == "predict"
                if called_name(call) in DEMOS and not predicted:
                    problems.append(f"cell {cell.number} shows a demo: put a predict(...) above it, in its section")
    return problems


def demos_have_names(lesson):
    """So that one test can find every demo and sweep its controls."""
    problems = []
    for cell in lesson.code:
        bound = {id(node.value) for node in cell.tree.body if isinstance(node, ast.Assign)}
        problems += [
            f"cell {cell.number}: bind the demo to a name (demo = {called_name(call)}(...)), then end with the name"
            for call in cell.calls(*DEMOS)
            if id(call) not in bound
        ]
    return problems


def randomness_is_seeded(lesson):
    problems = []
    for cell in lesson.code:
        for name in LEGACY_RANDOM.findall(cell.source):
            problems.append(f"cell {cell.number} uses np.random.{name}: draw from rng = np.random.default_rng(seed)")
        for call in (node for node in cell.calls() if ast.unparse(node.func).endswith("default_rng")):
            if not call.args and not call.keywords:
                problems.append(f"cell {cell.number}: give default_rng a seed")
    return problems


def ids_exist(lesson):
    """Every question and exercise that the lesson names is in its bank, and lesson numbers are the lesson's own."""
    from attention_lab.teaching.parts import LESSONS, PARTS
    from attention_lab.teaching.questions import BANK, CLOSING, RECALL

    exercises = exercise_names()
    known = {
        "predict": BANK,
        "recall": RECALL.keys() & {lesson.number},
        "closing": CLOSING.keys() & {lesson.number},
        "because": [name.removeprefix("because-") for name in BANK if name.startswith("because-")],
        "order": exercises,
        "self_test": [*PARTS, *(number for lessons in LESSONS.values() for number in lessons)],
    }
    problems = []
    for cell in lesson.code:
        for call in cell.calls(*known):
            name, given = called_name(call), _only_string(call)
            if given not in known[name]:
                problems.append(f"cell {cell.number}: {name}({given!r}) is not in the bank: {_some(known[name])}")
        for owner, _, name in (called_name(call).partition(".") for call in cell.calls()):
            if owner in EXERCISE_CALLS and name and name not in exercises:
                problems.append(f"cell {cell.number}: {owner}.{name} is no exercise: {_some(exercises)}")
        for name in cell.tagged("exercise"):
            if name not in exercises:
                problems.append(f"cell {cell.number}: the tag exercise:{name} names no exercise: {_some(exercises)}")
    return problems


def exercise_names():
    """The names of every exercise of the course."""
    from attention_lab.teaching.exercises import EXERCISES

    return sorted(EXERCISES)


def _only_string(call):
    argument = call.args[0] if len(call.args) == 1 else None
    return argument.value if isinstance(argument, ast.Constant) else None


def _some(names):
    return f"known are {', '.join(sorted(names))}"


RULES = (
    code_is_plain_python,
    imports_come_first,
    names_stay_put,
    faults_are_marked,
    predictions_come_before_demos,
    answers_are_folded,
    gaps_are_the_banks,
    demos_have_names,
    randomness_is_seeded,
    ids_exist,
)
