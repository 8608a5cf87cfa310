import torch


def forward() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A weight and a bias, float32 of shape (1,), and 3 * weight + bias."""
    weight = torch.ones(1, requires_grad=True)
    bias = torch.ones(1, requires_grad=True)
    return weight, bias, 3 * weight + bias


if __name__ == "__main__":
    weight, bias, result = forward()
    with torch.no_grad():
        result.backward()
    print(f"backward() in no_grad():   grads {weight.grad}, {bias.grad}")

    weight, bias, result = forward()
    weight.requires_grad_(False)
    result.backward()
    print(f"weight frozen in between:  grads {weight.grad}, {bias.grad}")

    with torch.no_grad():
        weight, bias, result = forward()
    try:
        result.backward()
    except RuntimeError as error:
        print(f"forward in no_grad():\nRuntimeError: {error}")

    weight, bias, result = forward()
    try:
        result.requires_grad_(False)
    except RuntimeError as error:
        message = str(error).split(". ")[0]
        print(f"flag of a result cleared:\nRuntimeError: {message}.")
