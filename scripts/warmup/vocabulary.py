"""The words the site uses: levels, kinds, sections, grades, needs, licenses. Each list stands here alone.

A question's level and topic come from its path. Only what a path cannot say stands here: the order of the
levels and how a slug is written for people.
"""

from __future__ import annotations

LEVELS = ("junior", "mid", "senior")

KINDS = {
    "concept": "Concept",
    "coding": "Coding",
    "debugging": "Debugging",
    "design": "Design",
    "behavioral": "Behavioral",
}

SECTIONS = (
    "Say it",
    "Run it",
    "Why",
    "Break it",
    "Myth",
    "They ask next",
    "Listening for",
    "Sources",
)
REQUIRED_SECTIONS = ("Say it", "Run it", "They ask next", "Listening for")
GRADES = ("Weak", "Good", "Strong")

NEEDS = {
    "cuda": "CUDA GPU",
    "multiprocess": "Several processes",
    "compiler": "C++ compiler",
}

# Under what readers may copy: said on pages and prints, in copies, downloads, data and the deck.
CODE_LICENSE = "MIT"
PROSE_LICENSE = "CC BY 4.0"
PROSE_LICENSE_URL = "https://creativecommons.org/licenses/by/4.0/"
LICENSES = f"Code: {CODE_LICENSE}. Prose: {PROSE_LICENSE}."

# Where an output would stand that no run has printed, and why it does not.
NOT_RECORDED = "not recorded yet"
WHY_NOT_RECORDED = "needs hardware that no run of ours has had so far"

# Words that a capital first letter alone would spell wrong.
_SPELLING = {
    word.lower(): word
    for word in (
        "AMP",
        "API",
        "BF16",
        "BPE",
        "CNN",
        "CPU",
        "CUDA",
        "DDP",
        "DL",
        "DP",
        "DPO",
        "EMA",
        "FP16",
        "FSDP",
        "GPU",
        "GRPO",
        "KV",
        "LR",
        "LRU",
        "ML",
        "MLP",
        "NLP",
        "NMS",
        "ONNX",
        "PTQ",
        "QAT",
        "RMS",
        "SGD",
        "AdamW",
        "DataLoader",
        "GradScaler",
        "LoRA",
        "MoE",
        "NaN",
        "PyTorch",
        "ResNet",
        "RoPE",
        "TensorFlow",
        "TorchScript",
        "ViT",
    )
}
_PHRASES = {
    "In place": "In-place",
    "Cross entropy": "Cross-entropy",
    "cross entropy": "cross-entropy",
    "Info nce": "InfoNCE",
    "K means": "k-means",
    "at ln v": "at ln V",
}


def label(slug: str) -> str:
    """A slug as people write it: ``ddp`` is DDP, ``zero-grad`` is Zero grad."""
    words = [_SPELLING.get(word, word) for word in slug.split("-")]
    if words[0].islower():
        words[0] = words[0].capitalize()
    text = " ".join(words)
    for plain, written in _PHRASES.items():
        text = text.replace(plain, written)
    return text
