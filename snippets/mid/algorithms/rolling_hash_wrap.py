import random


def wrapped(tokens, base):  # what int64 does without an error
    h = 0
    for token in tokens:
        h = (h * base + token) % 2**64
    return h


def modular(tokens, base):
    h = 0
    for token in tokens:
        h = (h * base + token) % (2**61 - 1)
    return h


a = [i.bit_count() % 2 for i in range(1024)]  # Thue-Morse: 0 1 1 0 1 0 0 1 ...
b = [1 - token for token in a]
random.seed(0)
bases = [random.randrange(3, 2**61 - 1, 2) for _ in range(1000)]
for hash_ in (wrapped, modular):
    equal = sum(hash_(a, base) == hash_(b, base) for base in bases)
    print(f"{hash_.__name__}: {equal} of {len(bases)} odd bases give one hash")
