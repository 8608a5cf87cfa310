from itertools import product

passed = [False, False, True, False]
pairs = list(product(passed, passed))
print(sum(map(any, pairs)), "of", len(pairs))
