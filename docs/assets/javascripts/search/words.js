// Words, as the search compares them: of a page and of what a reader types.

// `optimizer.zero_grad()` is two words, `top-k` and "don't" are one each.
const WORD = /[\p{L}\p{N}_]+(?:[-'’][\p{L}\p{N}_]+)*/gu
const PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu
const ENDING = /(\p{L}{3})is(e[drs]?|ers|ing|ations?)$/u // optimise, normalisation
const STOP = new Set(("a about after all also am an and any are as at be because been but by can cannot could did do does doesnt dont "
  + "for from get had has have he her his how i if in into is isnt it its just like may me might most must my no not of off often on "
  + "only or other our please rather should since so some than that the their them then there these they this to too "
  + "tell us use used uses using versus vs was we were what when where which while who why will with would write you your").split(" "))

/** The words of a text as {text, at}, in order. */
export const words = text => [...text.matchAll(WORD)].map(found => ({ text: found[0], at: found.index }))

/** The words of a text in small letters, a number as any other, since the sizes in an error message differ. */
export const asIs = text => words(text).map(({ text: word }) => /^\p{N}+$/u.test(word) ? "0" : word.toLowerCase())

/**
 * A word taken apart.
 *
 * @param {string} word
 * @param {(word: string) => string} stem
 * @returns {{whole: string, parts: string[]}} `whole` has no capitals, hyphens and underscores: zero_grad, ZeroGrad and
 *   zero-grad are the same; "" if it says nothing. `parts` are of a word of several: zero and grad.
 */
export const taken = (word, stem) => {
  const plain = word.replace(/['’]/g, "")
  const pieces = /^\p{Lu}+s?$/u.test(plain) ? [plain] : plain.match(PIECE) ?? [plain]
  const form = piece => {
    const small = piece.toLowerCase().replace(ENDING, "$1iz$2")
    return STOP.has(small) ? "" : stem(small)
  }
  if (pieces.length < 2) return { whole: form(pieces[0]), parts: [] }
  const parts = pieces.filter(piece => piece.length > 2 && !/^\p{N}/u.test(piece)).map(form).filter(Boolean)
  const base = plain.replace(/\p{N}+d$/iu, "") // BatchNorm1d and BatchNorm2d are BatchNorm
  if (base !== plain && base) parts.push(form(base.replaceAll(/[-_]/g, "")))
  return { whole: form(pieces.join("")), parts: [...new Set(parts)] }
}

/** All that a text is found by; with `pairs` also each two words written as one, as dataloader is for data loader. */
export const terms = (text, take, stem, pairs = false) => {
  const found = words(text)
  const made = []
  let before = ""
  for (const { text: word } of found) {
    const { whole, parts } = take(word)
    if (whole) made.push(whole, ...parts)
    const small = word.toLowerCase()
    if (pairs && before) made.push(stem(before + small))
    before = small
  }
  return made
}

/** How many letters one must change, swap with the next, add or drop to get from `a` to `b`; above `most`, any number above it. */
export const distance = (a, b, most) => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let two = []
  let one = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(one[j] + 1, row[j - 1] + 1, one[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, two[j - 2] + 1)
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    two = one
    one = row
  }
  return one[b.length]
}
