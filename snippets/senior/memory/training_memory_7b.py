def count(layers: int, width: int, ffn: int, kv_width: int, vocab: int) -> int:
    """Parameters of a Llama model: attention, gated MLP, norms, two embeddings."""
    layer = 2 * width * (width + kv_width) + 3 * width * ffn + 2 * width
    return layers * layer + 2 * vocab * width + width


seven = count(32, width=4096, ffn=11008, kv_width=4096, vocab=32000)
seventy = count(80, width=8192, ffn=28672, kv_width=1024, vocab=128256)
train = {"bfloat16 weights": 2 * seven, "bfloat16 gradients": 2 * seven}
train |= {"float32 weights": 4 * seven, "Adam's two moments": 8 * seven}
train["inputs of 32 checkpointed blocks"] = 32 * 4096 * 4096 * 2
train["one block, computed again"] = 50 * 4096 * 4096  # 50 bytes: see below
train["float32 logits, their gradient"] = 2 * 4096 * 32000 * 4
serve = {"bfloat16 weights": 2 * seventy}
serve["cache: 32 requests of 8192 tokens"] = 32 * 8192 * (2 * 80 * 1024 * 2)
for title, budget in (("train 7B, 4096 tokens", train), ("serve 70B", serve)):
    print(f"{title:36}{sum(budget.values()) / 1e9:7.1f} GB")
    for name, size in budget.items():
        print(f"  {name:34}{size / 1e9:7.1f}")
