import math

DOCS, TOKENS, CHUNK, OVERLAP = 5_000_000, 1_500, 512, 64  # a day; tokens of each
QUESTIONS, READ = 1_000_000, 5 * 512 + 440  # a day; tokens read for one answer
ENCODER, LARGE, HARD = 110e6, 8e9, 0.1  # parameters; share for the large model
GPU = 0.2 * 989e12 * 86_400  # FLOPs a day that we plan with, 20% of an H100's peak

chunks = math.ceil((TOKENS - OVERLAP) / (CHUNK - OVERLAP))
encoded = TOKENS + (chunks - 1) * OVERLAP  # tokens, the overlaps twice
gpus = {
    "encode every chunk": DOCS * encoded * 2 * ENCODER / GPU,
    "re-rank 100 chunks": QUESTIONS * 100 * CHUNK * 2 * ENCODER / GPU,
    "extract, hardest 10%": HARD * DOCS * TOKENS * 2 * LARGE / GPU,
    "read for the answers": QUESTIONS * READ * 2 * LARGE / GPU,
}
for part, count in gpus.items():
    print(f"{part:22}{count:7.2f} GPUs")
total = sum(gpus.values())
print(f"{'sum':22}{total:7.2f} GPUs, {3 * total:.2f} at peak")
print(f"{'extract, all':22}{gpus['extract, hardest 10%'] / HARD:7.2f} GPUs")
day = DOCS * chunks * 768 * 2  # bytes of bfloat16 vectors
print(f"{chunks} chunks per document: {DOCS * chunks / 1e6:.0f} million vectors,")
print(f"{day / 1e9:.1f} GB a day, {365 * day / 1e12:.1f} TB a year")
