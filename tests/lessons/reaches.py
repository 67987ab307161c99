"""What reaches the goal of each demo of a lesson, in the order of its demos. A new demo needs an entry here."""

REACHES = {
    "00_start_here": [{"number": 42}, {"temperature": 2.0}],
    "01_scaled_dot_product_attention": [{"divisor": "1", "d_k": 1024}],
    "02_masks": [{"mask": "window", "size": 3}],
    "03_reading_attention": [{"divisor": "1"}],
    "04_multi_head_attention": [{"heads": 8}],
    "05_positions": [{"base": 4, "d_model": 16}, {"positions": "rotary"}],
    "06_transformer_block": [{"norm": "none", "depth": 32, "factor": 0.1}],
    "07_gradients": [{"n": 8, "scale": 100.0}],
    "08_first_training": [{"step": 200, "rate": 0.1}],
    "09_text_classification": [{"sentence": "the", "pads": 6, "forget": True}],
    "10_language_model": [{"start": "kowalsk"}],
    "11_kv_cache": [{"cache": "on", "d_model": 128, "context": 1024}, {"layers": 32, "kv_heads": 1, "size": 2}],
    "12_translation": [{"rest": 342}],
    "13_question_answering": [{"later": "Anna moves"}],
    "14_time_series": [{"hide": "days of its type"}],
    "15_long_documents": [{"number": 2, "sentence": 9}],
    "16_the_quadratic_cost": [{"d_model": 1024, "tokens": 6144}, {"tile": 2, "read": 2, "query": 3}],
    "17_sparse_and_linear": [
        {"pattern": "Longformer", "extra": 1, "layers": 2, "causal": False},
        {"features": "exp", "factor": 4.0},
        {"norm": 0.1, "num_features": 16},
    ],
    "18_hybrids": [{"noise": 6.0}],
    "19_a_real_encoder": [{"layer": 0, "head": 2}],
    "20_a_real_language_model": [{"layer": 13, "head": 8}, {"temperature": 3.0}],
}
