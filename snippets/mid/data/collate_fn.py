import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def pad(samples: list[torch.Tensor]) -> torch.Tensor:
    return pad_sequence(samples, batch_first=True)


sentences = [torch.arange(1, length + 1) for length in (2, 6, 3, 1, 4)]
loader = DataLoader(sentences, batch_size=2, collate_fn=pad)
for indices, batch in zip(loader.batch_sampler, loader):
    by_hand = pad([sentences[index] for index in indices])
    print(indices, batch.tolist(), "same:", torch.equal(batch, by_hand))
