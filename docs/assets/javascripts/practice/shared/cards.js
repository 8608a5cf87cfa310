// The cards that flashcards and mock interview show: loading them, and what both show of one.

import { address } from "../../shared/address.js"
import { button, element, fragment } from "../../shared/dom.js"

const load = async path => {
  const response = await fetch(address(path))
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

/** Loads files of the site by their path, each once; what failed is tried again the next time. */
export const loader = () => {
  const found = new Map()  // by path, each a promise
  return path => {
    if (!found.has(path)) {
      found.set(path, load(path).catch(error => {
        found.delete(path)
        throw error
      }))
    }
    return found.get(path)
  }
}

/** Whether a card is an exercise, of which one writes the heart or, in an interview, all of it. */
export const isExercise = card => card.kind === "write"

/** The topics as {id, label, group, url}. Those of exercises belong to no level, and are named by words alone. */
const topicsOf = ({ exercises, kinds, levels, topics }) => [
  ...topics.map(topic => ({ ...topic, group: levels[topic.level] })),
  ...[...new Set(exercises.map(({ topic }) => topic))].map(id => ({ id, label: id, group: kinds.write, url: "../write/" })),
]

/**
 * The cards, those of exercises last, with `byId`; `proof(id)` resolves to {run, next: [{question, answer, here, first}]}. Proofs are
 * most of the bytes: those of a topic, and those of all exercises, are loaded when the first of them is asked for.
 *
 * @throws {Error} they could not be loaded; `proof` rejects with one too, and the next call tries again.
 */
export const loadCards = async () => {
  const bank = await load("practice/cards.json")
  const cards = [...bank.cards, ...bank.exercises]
  const byId = new Map(cards.map(card => [card.id, card]))
  const read = loader()
  const fileOf = card => `practice/proofs/${isExercise(card) ? "practice/write" : card.topic}.json`
  return { ...bank, cards, byId, topics: topicsOf(bank), proof: async id => (await read(fileOf(byId.get(id))))[id] }
}

/** Where a card stands, as people read it: "Junior · Autograd · Concept". */
export const place = (bank, card) => {
  const topic = bank.topics.find(one => one.id === card.topic)
  return [...new Set([bank.levels[card.level], topic?.label, bank.kinds[card.kind]])].filter(Boolean).join(" · ")
}

const unfold = fold => {
  fold.querySelector("summary").remove()
  fold.replaceWith(...fold.childNodes)
}

/** Show a card's proof in `box` once it is there, with folds open and what scrolls reachable by keyboard. */
export const showProof = async (box, bank, card) => {
  box.replaceChildren(element("p", { class: "tw-quiet" }, "Loading the proof…"))
  try {
    const { run } = await bank.proof(card.id)
    box.replaceChildren(fragment(run))
    // What shows a proof is a fold itself.
    if (isExercise(card)) for (const fold of box.querySelectorAll(":scope > details")) unfold(fold)
    for (const fold of box.querySelectorAll("details")) fold.open = true
  } catch {
    box.replaceChildren(element("p", {}, "The proof could not be loaded. ",
      element("a", { href: card.url }, "It is on the question's page."), " ",
      button("Try again", () => showProof(box, bank, card), { quiet: true })))
  }
}

/** What a card has to say, or the core line of an exercise. */
export const say = card => element("div", { class: !isExercise(card) && "tw-say" }, fragment(card.say))

/** *Listening for*: what a weak, a good and a strong answer sound like. */
export const ladder = (bank, card) => element("ul", { class: "tw-ladder" }, card.ladder.map((text, index) =>
  element("li", {}, element("strong", {}, gradesOf(bank, card)[index]), ": ", fragment(text))))

/** What the answers in *Listening for* are called. */
export const gradesOf = (bank, card) => card.grades ?? bank.grades

/** The words that an interviewer waits for, to tick; nothing where a card has none. */
export const terms = card => card.terms && element("fieldset", { class: "tw-terms" }, element("legend", {}, "Did you say"),
  card.terms.map(term => element("label", {}, element("input", { type: "checkbox", autocomplete: "off" }), term)))

/** Replace `box` by a message that `what` could not be loaded, with a way to try again. */
export const failed = (box, again, what = "The questions") => {
  box.replaceChildren(element("p", {}, `${what} could not be loaded. Check the connection. `,
    button("Try again", again)))
  box.hidden = false
}
