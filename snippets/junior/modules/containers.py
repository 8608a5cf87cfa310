from torch import nn

layers = [nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)]
containers = {
    "list": layers,
    "nn.ModuleList": nn.ModuleList(layers),
    "nn.ModuleDict": nn.ModuleDict({"first": layers[0], "second": layers[1]}),
    "nn.Sequential": nn.Sequential(*layers),
}
for name, container in containers.items():
    model = nn.Module()
    model.hidden = container
    model.head = nn.Linear(4, 2, bias=False)
    print(f"{name:13}", *model.state_dict())
