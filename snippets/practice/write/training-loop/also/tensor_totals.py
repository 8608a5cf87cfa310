import torch


def train_epoch(model, loader, loss_fn, optimizer, max_norm=None):
    model.train(True)
    total = seen = 0
    for batch in loader:
        x, y = batch
        loss = loss_fn(model(x), y)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        if max_norm is not None:
            grads = [p.grad for p in model.parameters() if p.grad is not None]
            norm = torch.linalg.vector_norm(
                torch.stack([torch.linalg.vector_norm(grad) for grad in grads])
            )
            for grad in grads:
                grad.mul_(torch.clamp(max_norm / (norm + 1e-6), max=1.0))
        optimizer.step()
        total = total + loss.detach() * y.shape[0]
        seen += y.shape[0]
    return (total / seen).item()


def evaluate(model, loader, loss_fn):
    mode = model.training
    model.train(False)
    total = right = seen = 0
    for x, y in loader:
        with torch.no_grad():
            logits = model(x)
            total = total + loss_fn(logits, y) * y.numel()
            right = right + logits.argmax(1).eq(y).sum()
        seen += y.numel()
    if mode:
        model.train()
    return float(total / seen), float(right / seen)
