import math
from collections import Counter

text = "the cat sat on the mat and the dog sat on the log, " * 40
pairs, firsts = Counter(zip(text, text[1:])), Counter(text[:-1])
# One model: the probability of a character after the one before.
losses = [-math.log(pairs[a, b] / firsts[a]) for a, b in zip(text, text[1:])][:2036]


if __name__ == "__main__":
    for characters in (1, 2, 4):
        # A longer token has the probability of its characters: their losses add up.
        tokens = [
            sum(losses[i : i + characters])
            for i in range(0, len(losses), characters)
        ]
        perplexity = math.exp(sum(tokens) / len(tokens))
        bits = sum(tokens) / math.log(2) / len(losses)
        print(f"{characters} per token: {len(tokens):5,} tokens, perplexity "
              f"{perplexity:5.2f}, bits per byte {bits:.3f}")  # fmt: skip
    for perplexity, size in ((12, 4.0), (15, 4.0), (15, 5.0)):
        print(f"perplexity {perplexity}, {size} bytes per token: "
              f"{math.log2(perplexity) / size:.3f}")  # fmt: skip
