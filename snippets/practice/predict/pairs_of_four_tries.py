from itertools import combinations

passed = [False, False, True, False]
pairs = list(combinations(passed, 2))
print(sum(map(any, pairs)), "of", len(pairs))
