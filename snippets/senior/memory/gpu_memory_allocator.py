MIB = 2**20


def allocate(requested: int) -> tuple[int, int]:
    """Bytes of the block and of the new segment for a first tensor."""
    block = -(-requested // 512) * 512
    if block <= MIB:
        return block, 2 * MIB
    if block < 10 * MIB:
        return block, 20 * MIB
    segment = -(-block // (2 * MIB)) * 2 * MIB
    # a rest of 1 MiB or less is not cut off
    return (block if segment - block > MIB else segment), segment


print("   requested   allocated    reserved")
for requested in (4, MIB, MIB + 1, 9 * MIB, 10 * MIB, 33 * MIB):
    block, segment = allocate(requested)
    print(f"{requested:12,}{block:12,}{segment:12,}")
