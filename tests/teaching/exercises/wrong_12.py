"""Mistakes that learners make in the exercises of lesson 12, beside those of the bank."""

from collections import Counter

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("teacher_forcing", "changes its input `ids`")
def writes_into_the_batch(ids, mask, start, end):
    found = REFERENCE["teacher_forcing"](ids, mask, start, end)
    ids[~mask] = -1
    return found


@wrong("teacher_forcing", "never uses `end`", never="A known cause")
def knows_the_end(ids, mask, start, end):
    return REFERENCE["teacher_forcing"](ids, mask, start, 3)


@wrong("teacher_forcing", "Your function returns 1 result", never="A known cause")
def gives_the_targets_alone(ids, mask, start, end):
    return [REFERENCE["teacher_forcing"](ids, mask, start, end)[1]]


@wrong("teacher_forcing", "`targets`[0, 5] is nan", never="A known cause")
def joins_with_floats(ids, mask, start, end):
    inputs, targets = REFERENCE["teacher_forcing"](ids, mask, start, end)
    return inputs, np.where(targets < 0, np.nan, targets)


@wrong("teacher_forcing", "Your results hold floats", "no index into a table", never="A known cause")
def makes_floats(ids, mask, start, end):
    inputs, targets = REFERENCE["teacher_forcing"](ids, mask, start, end)
    return inputs.astype(float), targets.astype(float)


@wrong("teacher_forcing", "The end stands in the last column", never="hold floats")
def makes_floats_and_ends_last(ids, mask, start, end):
    inputs, targets = REFERENCE["teacher_forcing"](ids, mask, start, -1)
    targets[:, -1] = end
    return inputs.astype(float), targets.astype(float)


@wrong("teacher_forcing", "`inputs` is right. `targets`", never="Pads are among")
def leaves_the_new_column_at_zero(ids, mask, start, end):
    inputs, targets = REFERENCE["teacher_forcing"](ids, mask, start, end)
    targets[:, -1] = np.maximum(targets[:, -1], 0)
    return inputs, targets


@wrong("decoder_masks", "One row serves them all", never="causal as well")
def repeats_the_memory_for_every_row(source_mask, target_mask):
    own, memory = REFERENCE["decoder_masks"](source_mask, target_mask)
    return own, np.repeat(memory, target_mask.shape[1], axis=2)


@wrong("decoder_masks", "You hide the rows of pads. Whoever asks", "and no more", never="instead of their columns")
def hides_rows_and_columns(source_mask, target_mask):
    own, memory = REFERENCE["decoder_masks"](source_mask, target_mask)
    return own & target_mask[:, None, :, None], memory


@wrong("decoder_masks", "`own` holds floats (float64)", "a float mask is added to the scores")
def makes_a_float_triangle(source_mask, target_mask):
    own, memory = REFERENCE["decoder_masks"](source_mask, target_mask)
    return own * np.tri(own.shape[-1]), memory


@wrong("decoder_masks", "Your mask of the memory comes from the target's padding")
def reads_its_own_text_alone(source_mask, target_mask):
    own, _ = REFERENCE["decoder_masks"](target_mask, target_mask)
    return own, own[:, :, -1:]


@wrong("clipped_precision", "`precision` is", "should be", never="A known cause")
def counts_letters(hypotheses, references, n):
    return REFERENCE["clipped_precision"]([list(" ".join(h)) for h in hypotheses], references, n)


@wrong("clipped_precision", "Nothing is clipped", never="places")
def asks_whether_it_is_in(hypotheses, references, n):
    found = total = 0
    for hypothesis, reference in zip(hypotheses, references):
        runs = [hypothesis[i : i + n] for i in range(len(hypothesis) - n + 1)]
        theirs = [reference[i : i + n] for i in range(len(reference) - n + 1)]
        found += sum(run in theirs for run in runs)
        total += len(runs)
    return found / total if total else 0.0


@wrong("clipped_precision", "You compare place by place", never="Nothing is clipped")
def asks_whether_the_same_stands_there(hypotheses, references, n):
    found = total = 0
    for hypothesis, reference in zip(hypotheses, references):
        for i in range(len(hypothesis) - n + 1):
            found += hypothesis[i : i + n] == reference[i : i + n] and i + n <= len(reference)
            total += 1
    return found / total if total else 0.0


@wrong("clipped_precision", "ZeroDivisionError", "you divide by 0")
def divides_by_nothing(hypotheses, references, n):
    found = total = 0
    for h, r in zip(hypotheses, references):
        ours, theirs = (Counter(tuple(t[i : i + n]) for i in range(len(t) - n + 1)) for t in (h, r))
        found, total = found + sum((ours & theirs).values()), total + sum(ours.values())
    return found / total


@wrong("clipped_precision", "changes its input `hypotheses`")
def empties_the_texts(hypotheses, references, n):
    found = REFERENCE["clipped_precision"](hypotheses, references, n)
    hypotheses.clear()
    return found
