"""A question of lesson 03, asked again when lesson 13 opens."""

import numpy as np

from attention_lab.attention import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "bright-first-of-four",
    lesson="03",
    source="M10 Q37 again",
    text="A heatmap of four words under a causal mask: the first column is bright, and its mean weight is 0.52. What "
    "would it be if all scores were equal?",
    options={
        "0.25": "A quarter would be an even share of four columns. But the first row sees one key, the second two: "
        "early rows cannot spread.",
        "0.52": "1, 1/2, 1/3 and 1/4 have this mean: here the mask alone makes the column bright. Whether the first "
        "word matters, the last row tells.",
        "1.00": "Only the first row must give it everything, since it sees nothing else. The others share evenly among "
        "what they see.",
    },
)
def bright_first_of_four():
    nothing = np.zeros((4, 8))
    _, weights = attention(nothing, nothing, nothing, is_causal=True)
    return f"{weights[:, 0].mean():.2f}"
