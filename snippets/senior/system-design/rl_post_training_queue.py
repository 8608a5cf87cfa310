# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections import deque

import matplotlib.pyplot as plt
import torch

PROMPTS, TOKENS, GROUP = 64, 16, 8


def train(
    rate: float, limit: int, updates: int = 120, seed: int = 0
) -> tuple[list[float], list[int], list[float]]:
    """Train a policy of one token per prompt from a first-in, first-out queue.

    Workers write ``rate`` batches per update with the newest weights, and wait
    while ``limit`` batches are queued. The right token of a prompt has reward 1.

    Args:
        rate: at least 1, or the queue is empty (IndexError).

    Returns:
        After each update: mean reward, age of its batch in updates, and the share
        of the answers with an advantage that the clip gives no gradient.
    """
    generator = torch.Generator().manual_seed(seed)
    right = torch.randint(TOKENS, (PROMPTS, 1), generator=generator)
    logits = torch.zeros(PROMPTS, TOKENS, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.05)
    queue = deque[tuple[int, torch.Tensor, torch.Tensor]]()
    rewards, ages, muted, written = [], [], [], 0.0
    for update in range(updates):
        written += rate
        while written >= 1:
            written -= 1
            if len(queue) < limit:
                with torch.no_grad():
                    log_p = logits.log_softmax(1)
                    tokens = torch.multinomial(
                        log_p.exp(), GROUP, replacement=True, generator=generator
                    )
                    queue.append((update, tokens, log_p.gather(1, tokens)))
        version, tokens, old = queue.popleft()
        reward = (tokens == right).double()
        advantage = reward - reward.mean(1, keepdim=True)
        ratio = (logits.log_softmax(1).gather(1, tokens) - old).exp()
        clipped = ratio.clamp(0.8, 1.2) * advantage
        loss = -torch.minimum(ratio * advantage, clipped).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        lost = (clipped < ratio * advantage).sum().item()
        muted.append(lost / max(1, advantage.count_nonzero().item()))
        ages.append(update - version)
        rewards.append(logits.detach().softmax(1).gather(1, right).mean().item())
    return rewards, ages, muted


if __name__ == "__main__":
    torch.set_num_threads(1)
    print("queue, rate of the workers    age of the last batch   muted   reward")
    plans = {"at most 1, rate 1.5": (1.5, 1), "at most 4, rate 1.5": (1.5, 4)}
    plans |= {
        "no limit, rate 1.25": (1.25, 1000),
        "no limit, rate 1.5": (1.5, 1000),
    }
    for name, (rate, limit) in plans.items():
        rewards, ages, muted = train(rate, limit)
        share = sum(muted) / len(muted)
        print(f"{name:29}{ages[-1]:14} updates{share:8.0%}{rewards[-1]:9.2f}")
        if limit != 1:
            style = "-" if limit == 4 else "--" if rate < 1.5 else ":"
            plt.plot(range(1, 121), rewards, style, label=name)
    plt.xlabel("updates")
    plt.ylabel("mean reward")
    plt.legend()
    plt.show()
