words = [f"w{i}" for i in range(130)]
copy = ["new" if i % 13 == 12 else word for i, word in enumerate(words)]


def windows(text, n=13):
    return {tuple(text[i : i + n]) for i in range(len(text) - n + 1)}


print(len(windows(words) & windows(copy)), "of", len(windows(words)))
