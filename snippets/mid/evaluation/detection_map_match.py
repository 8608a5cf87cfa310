import torch


def hits(boxes: torch.Tensor, objects: torch.Tensor, least: float) -> torch.Tensor:
    """Whether each box (n, 4), in this order, finds a free object of (m, 4)."""
    free = torch.ones(len(objects))
    found = torch.zeros(len(boxes), dtype=torch.bool)
    for i, box in enumerate(boxes):
        low = box[:2].maximum(objects[:, :2])
        high = box[2:].minimum(objects[:, 2:])
        inter = (high - low).clamp(min=0).prod(dim=1)
        areas = [
            (one[..., 2:] - one[..., :2]).prod(dim=-1) for one in (box, objects)
        ]
        overlap, best = (free * inter / (sum(areas) - inter)).max(dim=0)
        if overlap >= least:
            found[i], free[best] = True, 0
    return found


if __name__ == "__main__":
    objects = torch.tensor([[0, 0, 10, 10], [40, 0, 50, 10]])
    boxes = torch.tensor([[0, 0, 10, 6], [0, 0, 10, 10], [40, 0, 50, 9]])
    scores = torch.tensor([0.3, 0.9, 0.8])
    for name, order in {
        "in the order of the file": torch.arange(3),
        "in the order of the scores": scores.argsort(descending=True),
    }.items():
        found = hits(boxes[order], objects, least=0.5)
        hit = [f"{score:.1f}" for score in scores[order[found]].tolist()]
        print(f"matched {name}: the boxes of score {' and '.join(hit)} are hits")
