import torch


def average_precision(
    scores: torch.Tensor, hit: torch.Tensor, objects: int
) -> float:
    hit = hit[scores.argsort(descending=True)]
    precision = hit.cumsum(0) / torch.arange(1, len(hit) + 1)
    best = precision.flip(0).cummax(0).values.flip(0)
    return (best[hit].sum() / objects).item()


# (score, whether it finds an object, objects) of one box in each of 100 images.
images = [(0.6, True, 1)] * 10 + [(0.9, False, 0)] * 90

one_by_one = [
    average_precision(torch.tensor([score]), torch.tensor([hit]), objects)
    for score, hit, objects in images
    if objects  # 0 / 0 otherwise
]
print(f"mean of {len(one_by_one)} images: {sum(one_by_one) / len(one_by_one):.2f}")

scores, hit, objects = map(torch.tensor, zip(*images))
print(f"all boxes together: {average_precision(scores, hit, objects.sum()):.2f}")
