def bytes_per_rank(parameters: int, ranks: int, stage: int) -> dict[str, float]:
    """What one rank keeps for Adam in mixed precision, in bytes.

    Weights and gradients have 2 bytes each; the optimizer state has 12: weights,
    mean and variance in float32. Activations and buffers are not counted.

    Args:
        parameters: how many the model has.
        ranks: over how many ranks ZeRO shards.
        stage: 0 (DDP) to 3.
    """
    if stage not in range(4):
        raise ValueError(f"stage is {stage}, not 0 to 3")
    return {
        "weights": 2 * parameters / (ranks if stage >= 3 else 1),
        "gradients": 2 * parameters / (ranks if stage >= 2 else 1),
        "states": 12 * parameters / (ranks if stage >= 1 else 1),
    }


if __name__ == "__main__":
    print("stage  weights  gradients  states  total GB")
    for stage in range(4):
        rows = bytes_per_rank(7_500_000_000, 64, stage)
        weights, gradients, states = (b / 1e9 for b in rows.values())
        print(f"{stage:5}{weights:9.1f}{gradients:11.1f}{states:8.1f}", end="")
        print(f"{weights + gradients + states:10.1f}")
