// A page as a result: its title, where it belongs, and the line that has what was asked for.

import { words } from "./words.js"

const LENGTH = 150
const MOST_FORMS = 8

const escaped = text => text.replace(/[&<>"]/g, sign => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign])

/** The words of a text that are asked for: where they stand, and which of the query's words they are. */
const hits = (text, asked, take) => words(text).flatMap(({ text: word, at }) => {
  const { whole, parts } = take(word)
  const is = form => asked.findIndex(({ forms }) => forms.has(form))
  const number = [whole, ...parts].map(is).find(found => found >= 0)
  return whole && number !== undefined ? [{ word, at, number }] : []
})

const marked = (text, found) => {
  let html = ""
  let done = 0
  for (const { at, word } of found) {
    html += `${escaped(text.slice(done, at))}<mark>${escaped(word)}</mark>`
    done = at + word.length
  }
  return html + escaped(text.slice(done))
}

/** Which words a text has, as one number that is larger the more it has and the rarer they are. */
const worth = (found, asked) => [...new Set(found.map(({ number }) => number))].reduce((sum, number) => sum + asked[number].rarity, 0)

/** The best sentence, cut to a line around its first hit; where no sentence has any, the first. */
const line = (page, asked, take) => {
  // What an exercise hides behind hints stays there.
  const parts = page.location.startsWith("practice/") ? page.parts.slice(0, 1) : page.parts
  const sentences = parts.flatMap(([heading, text]) => {
    const [first, ...rest] = text.split(/(?<=[.?!:]) (?=\S)/)
    if (!hits(heading, asked, take).length) return [first, ...rest]
    return first ? [`${heading}${/\w$/.test(heading) ? ":" : ""} ${first}`, ...rest] : [heading]
  }).filter(Boolean)
  let best = { text: sentences[0] ?? "", found: [], worth: 0 }
  for (const text of sentences) {
    const found = hits(text, asked, take)
    const value = worth(found, asked)
    if (value > best.worth + 1e-9) best = { text, found, worth: value }
  }
  let { text, found } = best
  const first = found[0]?.at ?? 0
  if (text.length > LENGTH && first > LENGTH / 2) {
    const start = text.indexOf(" ", first - LENGTH / 3) + 1
    text = `… ${text.slice(start)}`
  }
  if (text.length > LENGTH) text = `${text.slice(0, text.lastIndexOf(" ", LENGTH))} …`
  found = hits(text, asked, take)
  return marked(text, found)
}

/** A result as Material's script shows it; its address names the words to mark on the page. `isWhole`: nothing is left to load. */
export const result = ({ number, score, met }, asked, { pages, take }, isWhole) => {
  const page = pages[number]
  const all = page.parts.map(([heading, text]) => `${heading} ${text}`).join(" ")
  const forms = asked.map(() => new Set())
  for (const { word, number: which } of hits(`${page.title} ${all}`, asked, take)) forms[which].add(word.toLowerCase())
  const marks = forms.filter(({ size }) => size).map(some => [...some].slice(0, MOST_FORMS).join(".")).join(" ")
  const terms = Object.fromEntries(asked.map(({ text, extra }, at) => [text, met[at] || extra]))
  return {
    location: page.location + (marks ? `?h=${encodeURIComponent(marks).replaceAll("%20", "+")}` : ""),
    title: marked(page.title, hits(page.title, asked, take)),
    text: `<p class="tw-found__place"${isWhole ? " data-whole" : ""}>${escaped(page.place)}</p><p class="tw-found__line">${line(page, asked, take)}</p>`,
    score,
    terms,
  }
}
