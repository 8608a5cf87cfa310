import torch
import torch.nn.functional as F

torch.manual_seed(0)
# What three models return, for four samples.
value = torch.randn(4, 1)
logit = torch.randn(4)
logits = torch.randn(4, 3)
number = torch.randn(4, 1)
yes_no = torch.tensor([1.0, 0.0, 1.0, 1.0])
label = torch.tensor([2, 0, 1, 1])
tags = torch.tensor([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]).float()
one_hot = F.one_hot(label)

bce = F.binary_cross_entropy_with_logits
calls = [
    ("regression: MSE", F.mse_loss, value, number),
    ("yes or no: BCE with logits", bce, logit, yes_no),
    ("  target int64", bce, logit, yes_no.long()),
    ("  target 1 and 2 for no and yes", bce, logit, yes_no + 1),
    ("  probabilities, not logits", bce, logit.sigmoid(), yes_no),
    ("several tags: BCE with logits", bce, logits, tags),
    ("  cross-entropy instead", F.cross_entropy, logits, tags),
    ("one of three: cross-entropy", F.cross_entropy, logits, label),
    ("  target float32", F.cross_entropy, logits, label.float()),
    ("  target int32", F.cross_entropy, logits, label.int()),
    ("  target of shape (4, 1)", F.cross_entropy, logits, label.unsqueeze(1)),
    ("  target one-hot, int64", F.cross_entropy, logits, one_hot),
    ("  target one-hot, float32", F.cross_entropy, logits, one_hot.float()),
    ("  labels 1 to 3", F.cross_entropy, logits, label + 1),
]

for name, loss_function, prediction, target in calls:
    try:
        print(f"{name:33} {loss_function(prediction, target):.4f}")
    except (RuntimeError, IndexError) as error:
        print(f"{name:33} {type(error).__name__}\n      {error}")
