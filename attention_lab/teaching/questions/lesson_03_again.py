"""Questions of lesson 03, asked again when lessons 13 and 19 open."""

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


@question(
    "sixty-percent-of-little",
    lesson="03",
    source="M11 Q40 again",
    text="A query gives weight 0.6 to a value of length 1, 0.3 to one of length 3 and 0.1 to one of length 4. Which of "
    "the three adds the longest vector to the output?",
    options={
        "the one with weight 0.6": "Its cell is the brightest, and what arrives from it has length 0.6. The map does "
        "not show how long the values are.",
        "the one with weight 0.3": "0.3 times 3 is 0.9, more than 0.6 times 1 and 0.1 times 4. Weight times length is "
        "what arrives.",
        "the one with weight 0.1": "The longest value, but only a tenth of it arrives: a vector of length 0.4.",
    },
)
def sixty_percent_of_little():
    weights, value = np.array([0.6, 0.3, 0.1]), np.diag([1.0, 3.0, 4.0])
    arrives = np.linalg.norm(weights[:, None] * value, axis=-1)
    return f"the one with weight {weights[arrives.argmax()]}"
