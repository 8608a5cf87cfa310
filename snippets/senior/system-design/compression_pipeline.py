def size(width: int, weight: float, scale: int = 0) -> float:
    """Bytes of 64 inputs, two hidden layers, 10 classes; biases in float32."""
    weights = 64 * width + width * width + width * 10
    return weights * weight + (2 * width + 10) * (4 + scale)


base = size(256, 4)
rows = {"float32, width 256": base, "40% zeros, saved as they are": base}
rows["40% zeros, 32-bit indices"] = size(256, 0.6 * (4 + 4))
rows["int8, a scale per row"] = size(256, 1, scale=4)
rows["40% zeros, int8, one bit each"] = size(256, 0.6 + 1 / 8, scale=4)
rows["80% zeros, int8, one bit each"] = size(256, 0.2 + 1 / 8, scale=4)
rows["4 bits, 16-bit scale per 32"] = size(256, (4 + 16 / 32) / 8)
rows["width 192, 4 bits"] = size(192, (4 + 16 / 32) / 8)
rows["width 128, int8"] = size(128, 1, scale=4)
rows["width 64"] = size(64, 4)
rows["width 64, int8"] = size(64, 1, scale=4)
for name, count in rows.items():
    print(f"{name:30}{count / 1000:6.1f} kB{base / count:6.1f} times smaller")
