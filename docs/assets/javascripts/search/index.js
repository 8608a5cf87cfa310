// All pages in an index of lunr, which counts and weighs words; what to ask it is in query.js.

import { asIs, taken, terms } from "./words.js"

// Of each field its weight, and what a page has there. What names the page weighs most.
const FIELDS = {
  title: [6, page => page.title],
  aliases: [6, page => (page.aliases ?? []).join(" . ")],
  tags: [3, page => (page.tags ?? []).join(" . ")],
  headings: [2, page => page.parts.map(([heading]) => heading).join(" . ")],
  lead: [2, page => page.parts[0]?.[1] ?? ""],
  names: [1.5, page => page.names ?? ""],
  text: [1, page => page.parts.slice(1).map(([, text]) => text).join(" ")],
}
const NAMING = new Set(["title", "aliases", "tags", "headings"])

/** What `make` makes of a word, made once: most words of a site are said many times. */
const remembering = (make, known = new Map()) => word => {
  let made = known.get(word)
  if (made === undefined) known.set(word, made = make(word))
  return made
}

/**
 * @param {Object} lunr
 * @param {Object[]} pages entries of search_index.json.
 * @returns {{pages, stem, take, known: Map<string, number>, spelled: Map<string, string>, rarity, said, score}} `known` has
 *   on how many pages each stem stands, `spelled` the stem of each word; `take` takes a word apart; `score(stem)` is how well each
 *   page fits it, by number; `said(number)` is what a page says, word by word.
 */
export const indexOf = (lunr, pages) => {
  const spelled = new Map()
  const stem = remembering(word => String(lunr.stemmer(new lunr.Token(word, {}))), spelled)
  const take = remembering(word => taken(word, stem))
  const token = remembering(term => new lunr.Token(term, {}))
  const builder = new lunr.Builder()
  builder.b(0.6)
  builder.ref("number")
  for (const [name, [boost]] of Object.entries(FIELDS)) builder.field(name, { boost })
  builder.tokenizer = (field, { fields }) => terms(field, take, stem, NAMING.has(fields[0])).map(token)
  for (const [number, page] of pages.entries()) {
    const document = Object.fromEntries(Object.entries(FIELDS).map(([name, [, read]]) => [name, read(page)]))
    builder.add({ number, ...document })
  }
  const index = builder.build()
  const known = new Map()
  for (const [term, { _index: _, ...fields }] of Object.entries(index.invertedIndex)) {
    known.set(term, Math.max(...Object.values(fields).map(found => Object.keys(found).length)))
  }
  const scores = new Map()
  const score = term => {
    if (!scores.has(term)) {
      const found = index.query(query => query.term(term, { usePipeline: false }))
      scores.set(term, new Map(found.map(one => [Number(one.ref), one.score])))
    }
    return scores.get(term)
  }
  const said = remembering(number => ` ${pages[number].parts.flat().map(text => asIs(text).join(" ")).join(" | ")} `)
  const rarity = term => Math.log(1 + pages.length / (known.get(term) ?? 1))
  return { pages, stem, take, known, spelled: new Map(spelled), rarity, said, score }
}
