// The cards that flashcards and mock interview show: loading them, and what both show of one.

import { address } from "../../shared/address.js"
import { button, element, fragment } from "../../shared/dom.js"

const load = async path => {
  const response = await fetch(address(path))
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

/**
 * The cards, with `byId`; `proof(id)` resolves to {run, next: [{question, answer}]}. Proofs are most of the bytes: those
 * of a topic are loaded when the first of them is asked for.
 *
 * @throws {Error} they could not be loaded; `proof` rejects with one too, and the next call tries again.
 */
export const loadCards = async () => {
  const bank = await load("practice/cards.json")
  const byId = new Map(bank.cards.map(card => [card.id, card]))
  const proofs = new Map()  // by topic, each a promise
  const proofsOf = topic => {
    if (!proofs.has(topic)) {
      proofs.set(topic, load(`practice/proofs/${topic}.json`).catch(error => {
        proofs.delete(topic)
        throw error
      }))
    }
    return proofs.get(topic)
  }
  return { ...bank, byId, proof: async id => (await proofsOf(byId.get(id).topic))[id] }
}

/** Where a card stands, as people read it: "Junior · Autograd · Concept". */
export const place = (bank, card) => {
  const topic = bank.topics.find(one => one.id === card.topic)
  return [bank.levels[card.level], topic?.label, bank.kinds[card.kind]].filter(Boolean).join(" · ")
}

/** Show a card's proof in `box` once it is there, with folds open and what scrolls reachable by keyboard. */
export const showProof = async (box, bank, card) => {
  box.replaceChildren(element("p", { class: "tw-quiet" }, "Loading the proof…"))
  try {
    const { run } = await bank.proof(card.id)
    box.replaceChildren(fragment(run))
    for (const fold of box.querySelectorAll("details")) fold.open = true
  } catch {
    box.replaceChildren(element("p", {}, "The proof could not be loaded. ",
      element("a", { href: card.url }, "It is on the question's page."), " ",
      button("Try again", () => showProof(box, bank, card), { quiet: true })))
  }
}

/** *Listening for*: what a weak, a good and a strong answer sound like. */
export const ladder = (bank, card) => element("ul", { class: "tw-ladder" }, card.ladder.map((text, index) =>
  element("li", {}, element("strong", {}, bank.grades[index]), ": ", fragment(text))))

/** Replace `box` by a message that `what` could not be loaded, with a way to try again. */
export const failed = (box, again, what = "The questions") => {
  box.replaceChildren(element("p", {}, `${what} could not be loaded. Check the connection. `,
    button("Try again", again)))
  box.hidden = false
}
