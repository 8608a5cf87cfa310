import random

import torch


def chain(terms):
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def linear(x, weight, splits, store):
    """A product whose sums are cut into ``splits`` parts, stored as ``store``.

    Each part is one chain of float32 additions, as a block of a GPU might do it.
    """
    terms = (weight.float() * x.float()).T.unflatten(0, (splits, -1))
    parts = chain(terms.transpose(0, 1)).to(store)  # (splits, rows of the weight)
    return chain(parts).to(x.dtype)


def model(seed, words=128, width=64):
    """Embedding, recurrent weight and output weight in bfloat16."""
    draw = torch.Generator().manual_seed(seed)
    shapes = (words, width), (width, width), (words, width)
    whole = [
        torch.randint(-999, 1000, (3, *s), generator=draw).sum(0) for s in shapes
    ]
    return [(w / 1777).bfloat16() for w in whole]


def answer(weights, token, splits, store):
    """Greedy tokens. ``splits`` has the parts of a sum at each step."""
    embedding, mix, head = weights
    state, text = embedding[token], []
    for parts in splits:
        state = linear(state, mix, parts, store) / 4 + embedding[token]
        state = state.clamp(-1, 1)
        token = int(linear(state, head, parts, store).argmax())
        text.append(token)
    return tuple(text)


def loads(count, steps, seed=0):
    """Fewer open requests: more splits per sum, so that all cores have work."""
    draw = random.Random(seed)
    return [
        [draw.choice((2, 4, 8, 16)) for _ in range(steps)] for _ in range(count)
    ]


if __name__ == "__main__":
    weights, half, full = model(1), torch.bfloat16, torch.float32
    print("12 times one prompt, 20 tokens, temperature 0      different texts")
    for name, runs, store in (
        ("alone", [[16] * 20] * 12, half),
        ("with other requests", loads(12, 20), half),
        ("the same, one split for all batches", [[4] * 20] * 12, half),
        ("the same, parts stored in float32", loads(12, 20), full),
    ):
        texts = {answer(weights, 1, splits, store) for splits in runs}
        print(f"{name:50}{len(texts):4}")
