"""Lesson 09: for its gallery, what goes wrong around a classifier: faults that no exercise asks for."""


def faulty_b10(model, ids, mask):
    x = model.positions(model.embed(ids))  # (batch, n, d_model)
    x, _ = model.encoder(x, mask[:, None, None, :])  # mask: nobody reads a pad
    pooled = x.mean(axis=-2)  # (batch, d_model)
    return model.head(pooled)  # (batch, classes)


def faulty_b11(predicted, labels, weights):
    accuracy = (predicted == labels).mean()
    largest = weights.max(axis=-1)  # the weight of the key that a query reads most
    return f"accuracy {accuracy:.2f}, mean weight {weights.mean():.3f}, largest {largest:.3f}"


def faulty_score(model, ids, mask, rng):
    labels = rng.integers(0, 2, size=len(ids))
    logits, _, _ = model(ids, mask)  # (batch, 2)
    return (logits.argmax(axis=-1) == labels).mean()


def faulty_predict(model, ids, mask, rng):
    logits, _, _ = model(ids, mask, rng=rng)  # (batch, classes)
    return logits.argmax(axis=-1)
