import random

WORDS = ["", "the", "dog", "runs", "far"]
P = [
    [0.08, 0.56, 0.20, 0.10, 0.06],
    [0.08, 0.06, 0.56, 0.20, 0.10],
    [0.08, 0.10, 0.06, 0.56, 0.20],
    [0.08, 0.20, 0.10, 0.06, 0.56],
    [0.08, 0.56, 0.20, 0.10, 0.06],
]


def sample(draw: random.Random) -> list[int]:
    """Word indices until the end is drawn, which is left out."""
    text, last = [], 0
    while last := draw.choices(range(5), P[last])[0]:
        text.append(last)
    return text


if __name__ == "__main__":
    draw = random.Random(1)
    texts = [sample(draw) for _ in range(20_000)]
    print("empty:", f"{sum(not t for t in texts) / len(texts):.2f}", end=", ")
    print(f"mean length: {sum(map(len, texts)) / len(texts):.1f} words")
    for text in texts[:3]:
        print("-", *(WORDS[w] for w in text))
