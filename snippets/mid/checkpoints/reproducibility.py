import torch


def feature_means(seed=0, extra=0, threads=1):
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    torch.rand(extra)  # a line that draws numbers, such as one for debugging
    features = torch.randn(100, 100_000)
    return torch.stack([feature.mean() for feature in features])


for change in ({}, {"seed": 1}, {"extra": 1}, {"threads": 4}):
    print(change, torch.equal(feature_means(**change), feature_means()))
