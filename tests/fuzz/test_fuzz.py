"""Every public function under random arguments: a right result or an error in words, nothing else.

Two hundred cases each here, 2,000 each with `make fuzz`. What a message should do is left to the tests beside this one.
"""

import os

import pytest

from tests.fuzz.explore import explore
from tests.fuzz.public import subjects

CASES = int(os.environ.get("FUZZ_CASES", "200"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))
SUBJECTS = subjects()
# A tenth of a second a call, for a figure, a live demo, a training or thousands of texts: in `make test` some of them.
SLOW = (
    *("heatmap", "head_grid", "pipeline", "curves", "diagram", "explore_attention", "fit", "closing", "self_test"),
    *("data.agreement.agreement", "data.documents.documents", "data.number_words.number_pairs", "data.stories.stories"),
)
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SUBJECTS)
def test_random_arguments_give_a_result_or_an_error_in_words(name, nowhere):
    number = CASES if CASES > 200 or name not in SLOW else 20
    found = explore(SUBJECTS[name], number, SEED, seconds=20 if CASES > 200 else None)
    assert not found.faults, found.report()
    assert found.returned, f"none of {number} calls of {name} was valid: say in its docstring what its arguments are"
