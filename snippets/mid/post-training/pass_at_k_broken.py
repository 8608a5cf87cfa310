from math import comb

RIGHT, n, k = [0, 0, 20, 20], 20, 10  # right answers of 20 samples, four problems
per_problem = [1 - comb(n - c, k) / comb(n, k) for c in RIGHT]
print("pass@1", sum(RIGHT) / n / len(RIGHT))
print("pass@10 per problem, then the mean", sum(per_problem) / len(RIGHT))
pooled = sum(RIGHT) / n / len(RIGHT)
print(f"pass@10 from the mean rate {1 - (1 - pooled) ** k:.3f}")
