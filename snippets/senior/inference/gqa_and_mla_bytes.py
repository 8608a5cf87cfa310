HEADS, SIZE, LATENT, ROTARY = 128, 128, 512, 64  # as in DeepSeek-V3

# Numbers per token and layer, and products per query with one cached token.
ROWS = {
    "MHA": (2 * HEADS * SIZE, HEADS * 2 * SIZE),
    "GQA, 8 KV heads": (2 * 8 * SIZE, HEADS * 2 * SIZE),
    "MQA, 1 KV head": (2 * SIZE, HEADS * 2 * SIZE),
    "MLA, absorbed": (LATENT + ROTARY, HEADS * (LATENT + ROTARY + LATENT)),
}

if __name__ == "__main__":
    print("                   bytes    FLOPs  FLOPs per byte")
    for name, (numbers, products) in ROWS.items():
        row = f"{2 * numbers:8,} {2 * products:8,}{products / numbers:10.0f}"
        print(f"{name:16}{row}")
