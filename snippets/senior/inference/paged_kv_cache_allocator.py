import torch

BLOCK = 4


class Pool:
    """Blocks of keys and values (2, blocks, BLOCK, D), full of garbage at first."""

    def __init__(self, blocks, size):
        self.kv = torch.full((2, blocks, BLOCK, size), 1e3, dtype=torch.double)
        self.free, self.users = list(range(blocks)), [0] * blocks

    def take(self):
        if not self.free:
            raise RuntimeError("no free block: preempt a sequence")
        block = self.free.pop()
        self.users[block] = 1
        return block

    def drop(self, block):
        self.users[block] -= 1
        if not self.users[block]:
            self.free.append(block)


class Sequence:
    def __init__(self, pool, table=(), length=0):
        self.pool, self.table, self.length = pool, list(table), length

    def append(self, k, v):
        pool, slot = self.pool, self.length % BLOCK
        if slot == 0:
            self.table.append(pool.take())
        elif pool.users[self.table[-1]] > 1:  # shared: copy it before writing
            new, old = pool.take(), self.table[-1]
            pool.kv[:, new] = pool.kv[:, old]
            pool.drop(old)
            self.table[-1] = new
        pool.kv[:, self.table[-1], slot] = torch.stack([k, v])
        self.length += 1

    def fork(self):
        for block in self.table:
            self.pool.users[block] += 1
        return Sequence(self.pool, self.table, self.length)

    def close(self):
        for block in self.table:
            self.pool.drop(block)
        self.table, self.length = [], 0

    def attend(self, q):
        k, v = self.pool.kv[:, self.table].flatten(1, 2)[:, : self.length]
        return (q @ k.T / len(q) ** 0.5).softmax(-1) @ v


if __name__ == "__main__":
    torch.manual_seed(0)
    pool, (k, v, q) = Pool(16, 8), torch.randn(3, 18, 8, dtype=torch.double)
    one, other = Sequence(pool), Sequence(pool)
    for i in range(18):
        one.append(k[i], v[i])
        other.append(*torch.randn(2, 8, dtype=torch.double))
    wanted = (q[0] @ k.T / 8**0.5).softmax(-1) @ v
    print("table", one.table, "same:", torch.allclose(one.attend(q[0]), wanted))
    free = len(pool.free)
    child = one.fork()
    print("blocks for a fork:", free - len(pool.free))
    child.append(*torch.randn(2, 8, dtype=torch.double))
    print("and for its first token:", free - len(pool.free))
    print("parent unchanged:", torch.allclose(one.attend(q[0]), wanted))
