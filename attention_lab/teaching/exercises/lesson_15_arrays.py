"""Lesson 15: documents of different lengths, with sentences of different lengths, in one array."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def pad_documents(documents, pad):
    most = max(len(document) for document in documents)
    lengths = np.array([[*map(len, document), *[0] * (most - len(document))] for document in documents])
    ids = np.full((*lengths.shape, lengths.max()), pad)  # (documents, sentences, words)
    for i, j in np.argwhere(lengths):
        ids[i, j, : lengths[i, j]] = documents[i][j]
    mask = np.arange(ids.shape[-1]) < lengths[..., None]  # mask: True = a real word
    return ids, mask


@diagnosed("The mask is turned round: it is True on the padding. Everywhere in this course True marks a real word.")
def faulty_pad_documents_inverted(documents, pad):
    ids, mask = pad_documents(documents, pad)
    return ids, ~mask


@diagnosed(
    "You look for the pad's number in `ids`, but a real word may have that number too, and is then lost. "
    "Only the lengths tell: a place is real while it is below the length of its sentence."
)
def faulty_pad_documents_by_id(documents, pad):
    most = max(len(document) for document in documents)
    lengths = np.array([[*map(len, document), *[0] * (most - len(document))] for document in documents])
    ids = np.full((*lengths.shape, lengths.max()), pad)
    for i, j in np.argwhere(lengths):
        ids[i, j, : lengths[i, j]] = documents[i][j]
    mask = ids != pad  # mask: True = a real word
    return ids, mask


@diagnosed("You fill up with 0, whatever `pad` says. Take the number that is handed in: `np.full(shape, pad)`.")
def faulty_pad_documents_zeros(documents, pad):
    return pad_documents(documents, 0)


@diagnosed(
    "You join the sentences of a document into one row: the axis of sentences is lost, and with it the two levels. "
    "The array is (documents, sentences, words)."
)
def faulty_pad_documents_flat(documents, pad):
    ids, mask = pad_documents([[[word for sentence in document for word in sentence]] for document in documents], pad)
    return ids[:, 0], mask[:, 0]


@diagnosed(
    "Words and sentences have changed places: your array is (documents, words, sentences). A row, along the last "
    "axis, is a sentence."
)
def faulty_pad_documents_columns(documents, pad):
    ids, mask = pad_documents(documents, pad)
    return ids.swapaxes(-1, -2), mask.swapaxes(-1, -2)


@diagnosed(
    "You pad in front of a sentence. This task asks for the words first and the pads behind them: write to "
    "`ids[i, j, : len(sentence)]`."
)
def faulty_pad_documents_left(documents, pad):
    ids, mask = pad_documents([[sentence[::-1] for sentence in document] for document in documents], pad)
    return ids[..., ::-1], mask[..., ::-1]


@diagnosed(
    "Padded sentences stand in front of your documents. The real ones come first: sentence j of a document goes to "
    "row j."
)
def faulty_pad_documents_sentences_last(documents, pad):
    ids, mask = pad_documents([document[::-1] for document in documents], pad)
    return ids[:, ::-1], mask[:, ::-1]


@diagnosed(
    "You cut every document to the shortest one, as `zip` does, and sentences are lost. The longest document decides "
    "how many rows there are."
)
def faulty_pad_documents_cuts(documents, pad):
    shortest = min(map(len, documents))
    return pad_documents([document[:shortest] for document in documents], pad)


@diagnosed(
    "Your mask marks whole sentences as real, pads in them too. A pad behind the last word of a sentence is not read "
    "either: mark only as many places as it has words."
)
def faulty_pad_documents_whole_rows(documents, pad):
    ids, mask = pad_documents(documents, pad)
    return ids, np.broadcast_to(mask.any(axis=-1, keepdims=True), mask.shape).copy()


@diagnosed("All of your mask is True, pads too. Begin with False everywhere, and mark the words that you write.")
def faulty_pad_documents_all_real(documents, pad):
    ids, mask = pad_documents(documents, pad)
    return ids, np.ones_like(mask)


@diagnosed(
    "Your mask has one entry a sentence. The words need one each: (documents, sentences, words), and "
    "`mask.any(axis=-1)` tells then which sentences are real."
)
def faulty_pad_documents_sentence_mask(documents, pad):
    ids, mask = pad_documents(documents, pad)
    return ids, mask.any(axis=-1)


@diagnosed(
    "An array has no rows of different lengths. Make a full one first, `np.full((documents, sentences, words), pad)`, "
    "and write each sentence into its row."
)
def faulty_pad_documents_ragged(documents, pad):
    ids = np.array(documents)
    return ids, ids != pad


@diagnosed(
    "`ids` holds floats, and a float is no index into a table of embeddings. Make it of whole numbers: "
    "`np.full(shape, pad)`, or `np.zeros(shape, dtype=int)`.",
    when=lambda got, args: np.asarray(got[0]).dtype.kind == "f",  # the numbers themselves are right
)
def faulty_pad_documents_floats(documents, pad):
    ids, mask = pad_documents(documents, pad)
    return ids.astype(float), mask


@diagnosed("Your two results come in the other order: the mask stands first. End with `return ids, mask`.")
def faulty_pad_documents_swapped(documents, pad):
    return pad_documents(documents, pad)[::-1]


def _whole(ids, mask, documents, pad):
    return faulty_pad_documents_floats.diagnosis if ids.dtype.kind == "f" else None


_CASES = [
    ([[[3, 1, 4], [1, 5]], [[9, 2, 6, 5, 3]], [[5, 8, 9], [7, 9], [3]]], 0),
    ([[[0, 2], [0, 7, 4]], [[1, 0, 0, 6, 0]]], 0),  # 0 is a real word too
    ([[[2, 7]], [[1, 8, 2, 8, 1], [8, 2], [8, 4, 5, 9, 0, 4, 5]], [[4, 5, 9]], [[6], [6, 7]], [[1]]], 11),
    ([[[2, 7, 1], [6, 6, 6]]], -1),  # no padding at all
    ([[], [[1, 3, 2], [5]]], 7),  # a document without a sentence
]

EXERCISES = [
    Exercise(
        task="Write pad_documents(documents, pad) -> (ids, mask): lists of sentences, each a list of ids, become "
        "arrays (documents, sentences, words), as large as the longest ask for; pads stand behind, and mask is True "
        "at real words, some of which may equal `pad`.",
        reference=pad_documents,
        cases=_CASES,
        faults=[
            faulty_pad_documents_inverted,
            faulty_pad_documents_by_id,
            faulty_pad_documents_zeros,
            faulty_pad_documents_flat,
            faulty_pad_documents_columns,
            faulty_pad_documents_left,
            faulty_pad_documents_sentences_last,
            faulty_pad_documents_cuts,
            faulty_pad_documents_whole_rows,
            faulty_pad_documents_all_real,
            faulty_pad_documents_sentence_mask,
            faulty_pad_documents_ragged,
            faulty_pad_documents_floats,
            faulty_pad_documents_swapped,
        ],
        hints=(
            "Three axes: which numbers decide how long each of them is?",
            "The most sentences of a document, and the most words of a sentence in any document. Then write each "
            "sentence into its row, and mark the same places in the mask.",
            "`ids = np.full((len(documents), sentences, words), pad)`, and for each sentence "
            "`ids[i, j, : len(sentence)] = sentence`; a mask of False gets True at the same places.",
        ),
        key="# mask",
        distractor=faulty_pad_documents_by_id,
        learned="every word stands in its sentence and every sentence in its document, and the mask tells both kinds "
        "of padding.",
        returns=("ids", "mask"),
        properties=_whole,
    ),
]
