import torch
import torch.nn.functional as F

torch.manual_seed(0)
value, logit, logits = (
    torch.randn(4, 1),
    torch.randn(4),
    torch.randn(4, 3),
)  # what three models return
number = torch.randn(4, 1)
yes_no = torch.tensor([1.0, 0.0, 1.0, 1.0])
label = torch.tensor([2, 0, 1, 1])
tags = torch.tensor(
    [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
)

calls = [
    ("regression: MSE", F.mse_loss, value, number),
    (
        "yes or no: BCE with logits",
        F.binary_cross_entropy_with_logits,
        logit,
        yes_no,
    ),
    ("  target int64", F.binary_cross_entropy_with_logits, logit, yes_no.long()),
    (
        "  target 1 and 2 for no and yes",
        F.binary_cross_entropy_with_logits,
        logit,
        yes_no + 1,
    ),
    (
        "  probabilities, not logits",
        F.binary_cross_entropy_with_logits,
        logit.sigmoid(),
        yes_no,
    ),
    (
        "several tags: BCE with logits",
        F.binary_cross_entropy_with_logits,
        logits,
        tags,
    ),
    ("  cross-entropy instead", F.cross_entropy, logits, tags),
    ("one of three: cross-entropy", F.cross_entropy, logits, label),
    ("  target float32", F.cross_entropy, logits, label.float()),
    ("  target int32", F.cross_entropy, logits, label.int()),
    ("  target of shape (4, 1)", F.cross_entropy, logits, label.unsqueeze(1)),
    ("  target one-hot, int64", F.cross_entropy, logits, F.one_hot(label)),
    (
        "  target one-hot, float32",
        F.cross_entropy,
        logits,
        F.one_hot(label).float(),
    ),
    ("  labels 1 to 3", F.cross_entropy, logits, label + 1),
]

for name, loss_function, prediction, target in calls:
    try:
        print(f"{name:33} {loss_function(prediction, target):.4f}")
    except (RuntimeError, IndexError) as error:
        print(f"{name:33} {type(error).__name__}\n      {error}")
