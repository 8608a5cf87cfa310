// Chance from a text.

/**
 * Numbers from 0 to below 1, the same for the same text on every machine: xmur3 hashes the text into the state of
 * sfc32. Both are in the public domain.
 */
export const random = text => {
  let hash = 1779033703 ^ text.length
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 3432918353)
    hash = (hash << 13) | (hash >>> 19)
  }
  const word = () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507)
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909)
    hash ^= hash >>> 16
    return hash | 0
  }
  let [a, b, c, d] = [word(), word(), word(), word()]
  return () => {
    const result = (a + b + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + result) | 0
    return (result >>> 0) / 2 ** 32
  }
}

/** One of a list, by a chance that gives numbers as `random` does. */
export const pick = (list, chance) => list[Math.floor(chance() * list.length)]
