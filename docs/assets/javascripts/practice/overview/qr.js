// QR codes (ISO/IEC 18004) of bytes, with error correction of level L: what is shown on a screen is hardly ever damaged.
//
// The tests compare every module with those of another program.

// By version, from 1: how many bytes of error correction a block has, and how many blocks there are.
const CORRECTION = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30]
const BLOCKS = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25]
const LEVEL = 1  // L, as the format's five bits have it
const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, x => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => x * y % 2 + x * y % 3, (x, y) => (x * y % 2 + x * y % 3) % 2, (x, y) => ((x + y) % 2 + x * y % 3) % 2]

const sizeOf = version => 17 + 4 * version
const alignments = version => (version === 1 ? 0 : Math.floor(version / 7) + 2)  // along one side

/** Bytes of data and correction: the modules that no pattern takes. */
const capacityOf = version => {
  const count = alignments(version)
  const patterns = count ? (25 * count - 10) * count - 55 : 0
  return Math.floor(((16 * version + 128) * version + 64 - patterns - (version >= 7 ? 36 : 0)) / 8)
}

const roomOf = version => capacityOf(version) - CORRECTION[version - 1] * BLOCKS[version - 1]
const bitsOfLength = version => (version < 10 ? 8 : 16)

/** How many bytes a code of this version holds. */
export const holds = version => Math.floor((8 * roomOf(version) - 4 - bitsOfLength(version)) / 8)

// ---------- Reed-Solomon, in the field of 256 elements modulo x^8 + x^4 + x^3 + x^2 + 1 ----------

const times = (a, b) => {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ (product >> 7) * 0x11D
    product ^= (b >> bit & 1) * a
  }
  return product
}

const generator = degree => {
  let [found, root] = [[1], 1]
  for (let i = 0; i < degree; i += 1) {
    found = [...found, 0].map((value, at) => value ^ (at > 0 ? times(found[at - 1], root) : 0))
    root = times(root, 2)
  }
  return found.slice(1)
}

const remainder = (data, divisor) => {
  let rest = divisor.map(() => 0)
  for (const byte of data) {
    const factor = byte ^ rest[0]
    rest = [...rest.slice(1), 0].map((value, at) => value ^ times(divisor[at], factor))
  }
  return rest
}

// ---------- The bytes that the code has ----------

const padded = (bytes, version) => {
  const bits = []
  const push = (value, length) => { for (let at = length - 1; at >= 0; at -= 1) bits.push(value >> at & 1) }
  push(0b0100, 4)  // bytes follow
  push(bytes.length, bitsOfLength(version))
  for (const byte of bytes) push(byte, 8)
  const room = 8 * roomOf(version)
  push(0, Math.min(4, room - bits.length))
  push(0, -bits.length & 7)
  for (let pad = 0xEC; bits.length < room; pad ^= 0xEC ^ 0x11) push(pad, 8)
  return Array.from({ length: room / 8 }, (_, at) => Number.parseInt(bits.slice(8 * at, 8 * at + 8).join(""), 2))
}

/** Data in blocks, each with its correction; the blocks' bytes take turns. The last blocks may be a byte longer. */
const corrected = (data, version) => {
  const [degree, count] = [CORRECTION[version - 1], BLOCKS[version - 1]]
  const divisor = generator(degree)
  const short = Math.floor(data.length / count)
  const firstLong = count - data.length % count
  const blocks = Array.from({ length: count }, (_, at) => {
    const from = at * short + Math.max(0, at - firstLong)
    return data.slice(from, from + short + (at >= firstLong ? 1 : 0))
  })
  const inTurn = lists => Array.from({ length: Math.max(...lists.map(list => list.length)) }, (_, at) =>
    lists.filter(list => at < list.length).map(list => list[at])).flat()
  return [...inTurn(blocks), ...inTurn(blocks.map(block => remainder(block, divisor)))]
}

// ---------- The modules ----------

// A word of bits followed by the rest that makes it divisible by a polynomial.
const withRest = (word, polynomial, length) => {
  let rest = word
  for (let i = 0; i < length; i += 1) rest = (rest << 1) ^ (rest >> length - 1 & 1) * polynomial
  return word << length | rest & (1 << length) - 1
}

const centers = version => {
  const count = alignments(version)
  if (!count) return []
  // The standard has a table; this is it but for one version.
  const step = version === 32 ? 26 : Math.floor((version * 4 + count * 2 + 1) / (2 * count - 2)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, at) => sizeOf(version) - 7 - step * (count - 2 - at))]
}

class Modules {
  constructor(version) {
    this.size = sizeOf(version)
    const empty = () => Array.from({ length: this.size }, () => Array.from({ length: this.size }, () => false))
    this.dark = empty()
    this.taken = empty()
    this.#patterns(version)
  }

  put(x, y, dark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return
    this.dark[y][x] = Boolean(dark)
    this.taken[y][x] = true
  }

  #rings(x, y, radius, isDark) {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) this.put(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))))
    }
  }

  #patterns(version) {
    for (let i = 0; i < this.size; i += 1) {
      this.put(6, i, i % 2 === 0)
      this.put(i, 6, i % 2 === 0)
    }
    const far = this.size - 4
    for (const [x, y] of [[3, 3], [far, 3], [3, far]]) this.#rings(x, y, 4, distance => distance !== 2 && distance !== 4)
    const places = centers(version)
    const last = places.length - 1
    for (const [i, x] of places.entries()) {
      for (const [j, y] of places.entries()) {
        const inCorner = (i === 0 && (j === 0 || j === last)) || (i === last && j === 0)
        if (!inCorner) this.#rings(x, y, 2, distance => distance !== 1)
      }
    }
    this.format(0)
    if (version >= 7) {
      const bits = withRest(version, 0x1F25, 12)
      for (let i = 0; i < 18; i += 1) {
        const [near, away] = [Math.floor(i / 3), this.size - 11 + i % 3]
        this.put(away, near, bits >> i & 1)
        this.put(near, away, bits >> i & 1)
      }
    }
  }

  format(mask) {
    const bits = withRest(LEVEL << 3 | mask, 0x537, 10) ^ 0x5412
    for (let i = 0; i < 15; i += 1) {
      const dark = bits >> i & 1
      const along = i < 6 ? i : i < 8 ? i + 1 : this.size - 15 + i
      this.put(8, along, dark)
      this.put(i < 8 ? this.size - 1 - i : i === 8 ? 7 : 14 - i, 8, dark)
    }
    this.put(8, this.size - 8, true)
  }

  /** In columns of two, from the right, up and down by turns. */
  fill(bytes) {
    let bit = 0
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5
      for (let step = 0; step < this.size; step += 1) {
        for (const x of [right, right - 1]) {
          const y = (right + 1 & 2) === 0 ? this.size - 1 - step : step
          if (this.taken[y][x]) continue
          if (bit < 8 * bytes.length) this.dark[y][x] = Boolean(bytes[bit >> 3] >> 7 - (bit & 7) & 1)
          bit += 1
        }
      }
    }
  }

  /** Invert where the mask is zero. Twice is not at all. */
  mask(index) {
    for (let y = 0; y < this.size; y += 1) {
      for (let x = 0; x < this.size; x += 1) if (!this.taken[y][x] && MASKS[index](x, y) === 0) this.dark[y][x] = !this.dark[y][x]
    }
  }

  /** How hard it is to read: less is better. */
  penalty() {
    const across = Array.from({ length: this.size }, (_, x) => this.dark.map(row => row[x]))
    let points = 0
    for (const line of [...this.dark, ...across]) {
      const text = line.map(Number).join("")
      for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2
      for (let at = 0; at + 11 <= text.length; at += 1) {
        const part = text.slice(at, at + 11)
        if (part === "10111010000" || part === "00001011101") points += 40
      }
    }
    for (let y = 1; y < this.size; y += 1) {
      for (let x = 1; x < this.size; x += 1) {
        const one = this.dark[y][x]
        if (one === this.dark[y][x - 1] && one === this.dark[y - 1][x] && one === this.dark[y - 1][x - 1]) points += 3
      }
    }
    const dark = this.dark.flat().filter(Boolean).length / this.size ** 2
    return points + 10 * Math.floor(Math.abs(dark * 20 - 10))
  }
}

/**
 * The code of some bytes, as rows of modules, true for dark ones.
 *
 * @param {Uint8Array} bytes
 * @param {number} most the largest version, 1 to 40.
 * @param {?number} mask 0 to 7; null for the one that reads best.
 * @returns {?boolean[][]} null where they do not fit.
 */
export const qr = (bytes, most = 40, mask = null) => {
  const version = Array.from({ length: most }, (_, at) => at + 1).find(one => bytes.length <= holds(one))
  if (!version) return null
  const modules = new Modules(version)
  modules.fill(corrected(padded(bytes, version), version))
  const penalties = MASKS.map((_, index) => {
    if (mask !== null) return index === mask ? 0 : 1
    modules.mask(index)
    modules.format(index)
    const found = modules.penalty()
    modules.mask(index)
    return found
  })
  const best = penalties.indexOf(Math.min(...penalties))
  modules.mask(best)
  modules.format(best)
  return modules.dark
}
