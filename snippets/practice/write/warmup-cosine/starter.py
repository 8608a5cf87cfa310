import math


def lr_at(
    step: int, peak: float, warmup: int, total: int, floor: float = 0.0
) -> float:
    """Learning rate of a step: linear warm-up, then a cosine from peak to floor.

    Args:
        step: 0, 1, 2, ..., the step about to be taken. It may be beyond total.
        peak: the largest rate.
        warmup: how many steps the warm-up takes; may be 0, and is at most total.
        total: the step at which the floor is reached; at least 1.
        floor: the last rate, at most peak. The warm-up may begin below it.

    Returns:
        A Python float.
        In the warm-up, peak * (step + 1) / warmup: the first step already moves,
        and the last one has the peak.
        Then, up to step total - 1, half a period of a cosine, which falls from the
        peak at progress 0 to the floor at progress 1. The progress is
        (step - warmup) / (total - warmup).
        From step total on, the floor.
    """
    raise NotImplementedError
