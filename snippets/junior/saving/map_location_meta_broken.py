import warnings

from torch import nn


def load(model_device: str, weights_device: str, assign: bool) -> str:
    """Load weights into a model: the complaint, and where its weights are then."""
    model = nn.Linear(3, 2, device=model_device)
    weights = {
        name: tensor.to(weights_device)
        for name, tensor in nn.Linear(3, 2).state_dict().items()
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.load_state_dict(weights, assign=assign)
            report = "nothing"
            for warning in caught:
                text = str(warning.message)
                report = "UserWarning: ... " + text.split(", ")[1].split(".")[0]
        except RuntimeError as error:
            report = "RuntimeError: ... " + str(error).split("'")[1]
    return f"{report}\n    weights on {model.weight.device}"


if __name__ == "__main__":
    for model_device, weights_device in (("meta", "cpu"), ("cpu", "meta")):
        print(f"{weights_device} weights into a model on {model_device}:")
        for assign in (False, True):
            result = load(model_device, weights_device, assign)
            print(f"  assign={assign}: {result}")
