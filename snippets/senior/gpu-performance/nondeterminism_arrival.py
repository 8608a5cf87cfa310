from collections import Counter
from itertools import permutations

import torch

big, ones = torch.tensor(2.0**24), [torch.tensor(1.0)] * 3
results = Counter()
for order in permutations([big, *ones]):
    total = torch.zeros(())
    for value in order:
        total = total + value
    results[int(total)] += 1
for total, orders in sorted(results.items()):
    print(f"{orders:2} of 24 orders of arrival: {total}")
