from torch import nn


def parameter_count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


if __name__ == "__main__":
    block = nn.Linear(8, 8, bias=False)
    repeated = nn.Sequential(*[block] * 3)
    separate = nn.Sequential(*(nn.Linear(8, 8, bias=False) for _ in range(3)))
    for name, model in (("[block] * 3", repeated), ("three blocks", separate)):
        layers, keys = len(model), len(model.state_dict())
        parameters = parameter_count(model)
        print(f"{name:13} layers {layers}   keys {keys}   parameters {parameters}")
    print(repeated)
