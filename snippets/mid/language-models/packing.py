import torch


def pack(documents):
    """One row of tokens, its mask (T, T), its positions (T) and its labels (T)."""
    tokens = torch.cat(documents)
    count = torch.tensor([len(document) for document in documents])
    owner = torch.arange(len(documents)).repeat_interleave(count)
    seen = (owner[:, None] == owner).tril()  # same document and not later
    places = torch.cat([torch.arange(n) for n in count.tolist()])
    labels = tokens.roll(-1)
    labels[count.cumsum(0) - 1] = -100  # the last token of each document
    return tokens, seen, places, labels


if __name__ == "__main__":
    documents = [torch.tensor(d) for d in ([11, 12, 13], [21, 22], [31, 32, 33])]
    for token, row, place, label in zip(*pack(documents), strict=True):
        cells = "".join("x" if cell else "." for cell in row)
        print(f"token {token}  sees {cells}  position {place}  label {label}")
