from torch import nn

trained, fresh = nn.Linear(1, 1), nn.Linear(1, 1)
nn.init.constant_(trained.weight, 5.0)
nn.init.constant_(fresh.weight, 0.0)
checkpoint = nn.DataParallel(trained).module.state_dict()
fresh.load_state_dict(checkpoint, strict=False)
print(fresh.weight.item())
