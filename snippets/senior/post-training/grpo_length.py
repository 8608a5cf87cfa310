# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

CAP, PROMPTS, GROUP, RIGHT = 256, 100, 16, 0.4


def train(divisor: str, knows: bool = True, steps: int = 60) -> list[list[float]]:
    """Mean length of wrong and right answers before each step.

    After each token the policy goes on or stops, by one logit for answers that
    are going to be wrong and one for right ones (``knows``), or one for both.
    """
    draw = torch.Generator().manual_seed(0)
    logits = torch.full((2,), 9.0).double().log().requires_grad_()  # 10 tokens
    curve = []
    for _ in range(steps):
        curve.append((1 + logits.detach().exp()).tolist())
        rewards = torch.rand(PROMPTS, GROUP, generator=draw).lt(RIGHT).double()
        right, other = rewards > 0, int(knows)
        going, stopping = F.logsigmoid(logits), F.logsigmoid(-logits)
        going = torch.where(right, going[other], going[0])
        stopping = torch.where(right, stopping[other], stopping[0])
        uniform = torch.rand(right.shape, generator=draw, dtype=torch.double)
        length = (uniform.log() / going.detach()).floor() + 1
        length = length.clamp(max=CAP)
        stops = (length < CAP).double()  # a cut answer has no stop token
        # At ratio 1 the gradient of the clipped ratio is that of log_p.
        summed = (length - stops) * going + stops * stopping
        advantage = rewards - rewards.mean(1, keepdim=True)
        advantage = advantage / (rewards.std(1, keepdim=True) + 1e-4)
        divide_by = {"answer": length, "batch": length.mean(), "constant": 10}[
            divisor
        ]
        loss = -(advantage * summed / divide_by).mean()
        (gradient,) = torch.autograd.grad(loss, logits)
        logits = (logits - 2 * gradient).detach().requires_grad_()
    return curve


if __name__ == "__main__":
    torch.set_num_threads(1)  # the tensors are small
    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    for divisor, style in ("answer", "-"), ("batch", ":"), ("constant", "--"):
        curve = train(divisor)
        wrong, right = curve[-1]
        print(
            f"divided by {divisor:9} wrong {wrong:3.0f}, right {right:2.0f} tokens"
        )
        for k, color in enumerate(("C1", "C0")):
            label = f"{('wrong', 'right')[k]}, {divisor}"
            axes.plot([row[k] for row in curve], style, color=color, label=label)
    both = train("answer", knows=False)[-1][0]
    print(f"divided by answer    {both:.0f} tokens, if one logit serves both kinds")
    axes.set(xlabel="step", ylabel="mean length", yscale="log")
    axes.legend(ncols=2, fontsize="small")
    plt.show()
