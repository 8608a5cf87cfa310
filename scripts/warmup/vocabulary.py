"""The words the site uses: levels, kinds, sections, grades, needs. Each list stands here alone.

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

# The roles of a question's sections, in their order; of some kinds they are others.
DEEPER = "Deeper"
MYTH = "Myth"
_ENDS = ("They ask next", "Listening for", DEEPER, "Sources")
_ROLES = ("Say it", "Run it", "Why", "Break it", *_ENDS)
_ROLES_OF = {
    "design": ("Say it", "Run it", "Ask back", "Draw it", "Trade-offs", "When it fails", *_ENDS),
    "behavioral": ("Say it", "Tell it", *_ROLES[1:]),
}
SECTIONS = frozenset((MYTH, *_ROLES, *(role for roles in _ROLES_OF.values() for role in roles)))
# The part of Deeper that says where the story does not hold.
EXCEPTIONS = "Where it stops being true"

GRADES = ("Weak", "Good", "Strong")
# What is listened for in a design interview: by minute 5, 15 and 30.
_GRADES_OF = {"design": ("Mid", "Senior", "Staff")}


def roles(kind: str) -> tuple[str, ...]:
    """The roles that a page of this kind has, in their order."""
    return _ROLES_OF.get(kind, _ROLES)


def grades(kind: str) -> tuple[str, ...]:
    """What the three answers in *Listening for* are called on a page of this kind."""
    return _GRADES_OF.get(kind, GRADES)


NEEDS = {
    "cuda": "CUDA GPU",
    "multiprocess": "Several processes",
    "compiler": "C++ compiler",
    "triton": "Triton",
    "torchao": "torchao",
    "onnx": "ONNX",
}

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
    "Post training": "Post-training",
    "post training": "post-training",
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
