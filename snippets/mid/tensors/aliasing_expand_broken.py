import torch

row = torch.zeros(1, 3)
bias = row.expand(4, 3)
try:
    bias += 1
except RuntimeError as error:
    print(f"bias += 1:   RuntimeError: {str(error)[:50]}...")
bias[0] = 5
print("bias[0] = 5:", bias[:, 0].tolist())

square = torch.arange(16.0).view(4, 4)
for name, block in (("whole square", square), ("its 3 x 3 corner", square[:3, :3])):
    right = block.T.clone()
    try:
        block.copy_(block.T)
        print(f"{name} = its transpose: runs, right: {torch.equal(block, right)}")
    except RuntimeError as error:
        print(f"{name} = its transpose: RuntimeError: {str(error)[:27]}...")
