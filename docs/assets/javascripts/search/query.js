// From what a reader types to pages, the best first.

import { asIs, distance, words } from "./words.js"

const RESULTS = 20
// So many are shown however far they are behind: a page that is called just so must not hide what one also meant.
const FEW = 5
const MOST_ALTERNATIVES = 12
// Words of everyday language, of which people type one where a page says another.
const SYNONYMS = ("rise rises increase increases grow grows up|fall falls decrease decreases drop reduce lower down|need needs required|learn train"
  + "|constant same|gpu cuda graphics|several multiple multi|iteration step|inspect print log|choose pick|save store|big large|small tiny little|image picture photo"
  + "|fast faster speed quick|slow slower|error exception|network model|crash crashed interrupted").split("|").map(group => group.split(" "))
const SYNONYM = 0.6
// An error message is pasted whole, and its page quotes it: what each word beyond those that any two sentences share adds
// to the score of the pages that are best without it; a query that is quoted whole counts more words.
const QUOTED = 0.5
const COMMON = 4
const WHOLE = 3
const LONGEST = 100 // words, for a whole file may be in the clipboard
const COMPARED = 40

/** Other forms of a word that the site knows: longer ones, and if it is none of the site's, ones written almost so. */
const alternatives = (term, typed, last, { known, spelled, stem }) => {
  const found = new Map()
  const offer = (other, weight) => found.set(other, Math.max(weight, found.get(other) ?? 0))
  const exact = known.has(term)
  if (exact) offer(term, 1)
  for (const group of SYNONYMS.filter(some => some.includes(typed))) {
    for (const other of group) if (known.has(stem(other))) offer(stem(other), SYNONYM)
  }
  if (term.length > 2 && (last || !exact)) {
    const longer = [...known.keys()].filter(other => other !== term && other.startsWith(term))
    longer.sort((one, other) => known.get(other) - known.get(one))
    for (const other of longer.slice(0, MOST_ALTERNATIVES)) offer(other, (exact ? 0.3 : 0.8) * term.length / other.length)
  }
  if (!exact && !/\d/.test(typed)) {
    const most = typed.length > 7 ? 2 : typed.length > 3 ? 1 : 0
    const near = most ? [...spelled].map(([word, form]) => [distance(typed, word, most), form]) : []
    const least = Math.min(...near.map(([far]) => far))
    const best = near.filter(([far, form]) => far === least && far <= most && known.has(form) && (far < 2 || form[0] === term[0]))
    best.sort(([, one], [, other]) => known.get(other) - known.get(one))
    for (const [far, form] of best.slice(0, MOST_ALTERNATIVES)) offer(form, 0.9 / far * (form[0] === term[0] ? 1 : 0.6))
  }
  return found
}

const plain = text => text.toLowerCase().replaceAll(/[-_'’]/g, "")

/**
 * The words of a query, each with its alternatives.
 *
 * @returns {{text: string, forms: Map<string, number>, rarity: number, extra: boolean}[] & {said: string[]}} `extra` ones
 *   make a page better, but none misses them. `said` are the words just as they were typed.
 */
export const read = (query, index) => {
  // Of zero_grad(set_to_none=True) the names say what is meant.
  const named = words(query).filter(({ text, at }) => query[at - 1] !== "=" || !/^(True|False|None)$/.test(text))
  const typed = named.map(({ text }) => ({ text, ...index.take(text) }))
  const asked = []
  const ask = (text, forms, extra = false) => {
    if (!forms.size && extra) return
    const most = Math.max(0, ...forms.values())
    const nearest = [...forms.keys()].filter(form => forms.get(form) === most)
    asked.push({ text, forms, extra, rarity: Math.max(0.5, ...nearest.map(index.rarity)) })
  }
  for (const [number, { text, whole, parts }] of typed.entries()) {
    if (!whole) continue
    const forms = alternatives(whole, plain(text), number === typed.length - 1, index)
    // A name that the site does not know is at least the words that it is made of.
    if (parts.length && !index.known.has(whole) && !(whole.length > 7 && forms.size)) {
      for (const part of parts) ask(part, alternatives(part, part, false, index))
      continue
    }
    ask(text, forms, text.length === 1) // the F of F.relu, a dimension
    for (const part of parts) if (index.known.has(part)) ask(part, new Map([[part, 0.4]]), true)
  }
  for (const [number, { text }] of typed.slice(1).entries()) {
    const pair = index.stem(plain(typed[number].text + text))
    if (index.known.has(pair)) ask(pair, new Map([[pair, 0.8]]), true)
  }
  return Object.assign(asked, { said: asIs(query).slice(0, LONGEST) })
}

/** How many words of a query, one after the other, a page says just so. */
const quoted = (said, text) => {
  let most = 0
  for (let from = 0; from + most < said.length; from++) {
    while (from + most < said.length && text.includes(` ${said.slice(from, from + most + 1).join(" ")} `)) most++
  }
  return most
}

/** A page that only lists others comes after them, and one to write code on or to tell a story after the one that explains. */
const prior = ({ list, location }) => list ? 0.4 : location.startsWith("practice/") ? 0.85 : location.includes("/behavioral/") ? 0.8 : 1

/** Whether a page is called so: each word of a name (title, alias, tag) is one that is asked for. */
const called = (page, asked, needed, { take, rarity }) => {
  let best = 0
  for (const [name, worth] of [[page.title, 1.5], ...(page.aliases ?? []).map(one => [one, 1]), ...(page.tags ?? []).map(one => [one, 0.5])]) {
    const own = words(name).map(({ text }) => take(text).whole).filter(Boolean)
    const met = own.map(term => Math.max(0, ...asked.map(({ forms }) => forms.get(term) ?? 0)))
    if (!own.length || Math.min(...met) === 0) continue
    const sum = own.reduce((so, term, at) => so + met[at] * rarity(term), 0)
    best = Math.max(best, worth * sum * (0.5 + Math.min(1, sum / needed)))
  }
  return best
}

/**
 * @param {ReturnType<typeof read>} asked
 * @param {Object} index of index.js.
 * @returns {{number: number, score: number, met: boolean[]}[]} pages by number, the best first; `met` says which words it has.
 */
export const rank = (asked, index) => {
  const needed = asked.filter(({ extra }) => !extra).reduce((sum, { rarity }) => sum + rarity, 0)
  const pages = new Map()
  for (const [at, { forms, rarity, extra }] of asked.entries()) {
    const best = new Map()
    for (const [term, weight] of forms) {
      for (const [number, score] of index.score(term)) {
        const [reached] = best.get(number) ?? [0]
        if (weight * score > reached) best.set(number, [weight * score, weight])
      }
    }
    for (const [number, [score, weight]] of best) {
      if (!pages.has(number)) pages.set(number, { number, score: 0, covered: 0, met: asked.map(() => false) })
      const page = pages.get(number)
      page.score += score
      page.met[at] = true
      if (!extra) page.covered += rarity * Math.min(1, 0.5 + weight / 2)
    }
  }
  const found = [...pages.values()].filter(page => page.covered > 0)
  for (const page of found) {
    const entry = index.pages[page.number]
    const share = page.covered / needed
    page.score = (page.score + 6 * called(entry, asked, needed, index)) * (0.3 + 0.7 * share * share) * prior(entry)
  }
  const byScore = (one, other) => other.score - one.score || one.number - other.number
  found.sort(byScore)
  const least = 0.1 * (found[0]?.score ?? 0)
  const compared = asked.said.length > COMMON ? found.slice(0, COMPARED) : []
  for (const page of compared) {
    const same = quoted(asked.said, index.said(page.number))
    if (same > COMMON) page.score *= 1 + QUOTED * (same - COMMON + (same === asked.said.length ? WHOLE : 0))
  }
  found.sort(byScore)
  return found.filter((page, place) => place < FEW || page.score >= least).slice(0, RESULTS)
}
