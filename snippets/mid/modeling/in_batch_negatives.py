import torch

p = torch.tensor([[0.6, 0.3, 0.1], [0.6, 0.1, 0.3]])  # item given user
q = p.mean(dim=0)  # 0.6, 0.2, 0.2: how often an item is in a batch
# Each batch of four that a user can meet: the positive first, then three negatives.
batch = torch.cartesian_prod(*[torch.arange(3)] * 4)
chance = p[:, batch[:, 0]] * q[batch[:, 1:]].prod(dim=1)

print("user 0      hit    jazz   rock")
print("p        ", *(f"  {x:.2f}" for x in p[0]))
for name, correction in (("plain", 0 * q), ("- log q", q.log())):
    scores = torch.zeros(2, 3, requires_grad=True)
    for _ in range(400):
        logits = (scores - correction)[:, batch]
        loss = -(chance * logits.log_softmax(dim=-1)[..., 0]).sum()
        (grad,) = torch.autograd.grad(loss, scores)
        with torch.no_grad():
            scores -= 5 * grad
    print(f"{name:9}", *(f"  {x:.2f}" for x in scores[0].softmax(dim=0)))
