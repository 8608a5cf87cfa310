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

# The roles of a question's sections, in their order; of some kinds they are others. A page without `terms` has the old
# form, in which the myth is a section and nothing is cut off as deeper.
DEEPER = "Deeper"
MYTH = "Myth"
_ENDS = ("They ask next", "Listening for", DEEPER, "Sources")
_ROLES = ("Say it", "Run it", "Why", "Break it", *_ENDS)
_ROLES_OF = {
    "design": ("Say it", "Run it", "Ask back", "Draw it", "Trade-offs", "When it fails", *_ENDS),
    "behavioral": ("Say it", "Tell it", "Run it", *_ENDS),
}
OLD_SECTIONS = ("Say it", "Run it", "Why", "Break it", MYTH, "They ask next", "Listening for", "Sources")
SECTIONS = frozenset((*OLD_SECTIONS, *_ROLES, *(role for roles in _ROLES_OF.values() for role in roles)))
REQUIRED_SECTIONS = ("Say it", "Run it", "They ask next", "Listening for")
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
