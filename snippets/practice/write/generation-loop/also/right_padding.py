import torch
from torch import nn


def generate(
    model: nn.Module,
    prompts: list[list[int]],
    max_new: int,
    end: int,
    pad: int,
) -> list[list[int]]:
    texts = [list(prompt) for prompt in prompts]
    going = [max_new > 0] * len(texts)
    modes = {module: module.training for module in model.modules()}
    model.eval()
    with torch.inference_mode():
        for _ in range(max_new):
            if not any(going):
                break
            T = max(map(len, texts))
            tokens = torch.tensor(
                [text + [pad] * (T - len(text)) for text in texts]
            )
            length = torch.tensor([len(text) for text in texts])
            positions = torch.arange(T).expand(len(texts), T)
            logits = model(tokens, positions, positions < length[:, None])
            last = logits[torch.arange(len(texts)), length - 1]
            for row, token in enumerate(last.argmax(-1).tolist()):
                if going[row]:
                    texts[row].append(token)
                    going[row] = token != end
    for module, mode in modes.items():
        module.training = mode
    return [text[len(prompt) :] for text, prompt in zip(texts, prompts)]
