from math import log

END, LIMIT, TOP = 0.08, 12, 0.56  # each state has one next word of probability 0.56

print("words of the best text, for the score log p / tokens^alpha:")
for alpha in (0.0, 0.4, 0.6, 0.8, 1.0):
    score = {
        n: (n * log(TOP) + log(END)) / (n + 1) ** alpha for n in range(LIMIT + 1)
    }
    print(f"alpha {alpha}: {max(score, key=score.get)} of at most {LIMIT}")
