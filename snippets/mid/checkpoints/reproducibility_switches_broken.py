import torch

index, values = torch.tensor([0, 0]), torch.tensor([1.0, 2.0])


def put(accumulate: bool) -> str:
    """Write two values to one place: which of them stays is not defined."""
    try:
        result = torch.zeros(2).put_(index, values, accumulate=accumulate)
        return str(result.tolist())
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(', but')[0]}"


def report(name: str) -> None:
    print(name)
    print("    put_:            ", put(accumulate=False))
    print("    put_, accumulate:", put(accumulate=True))


if __name__ == "__main__":
    torch.backends.cudnn.deterministic = True
    report("torch.backends.cudnn.deterministic = True")
    torch.use_deterministic_algorithms(True)
    report("torch.use_deterministic_algorithms(True)")
