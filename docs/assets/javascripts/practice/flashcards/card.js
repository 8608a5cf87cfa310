// What a flashcard shows: the question, then what one needs to grade an answer.

import { counted, element } from "../../shared/dom.js"
import { isExercise, ladder, place, say, showProof, terms } from "../shared/cards.js"

/**
 * The front of a card.
 *
 * @param {Object} bank from loadCards().
 * @param {Object} card one of its cards.
 * @param {number} left how many cards the session still has.
 * @returns {HTMLElement}
 */
export const question = (bank, card, left) =>
  element("div", { class: "tw-ask" },
    element("p", { class: "tw-ask__place" }, `${place(bank, card)} · ${counted(left, "card")} left`),
    isExercise(card)
      ? [
        element("p", { class: "tw-ask__place" }, card.title),
        element("h2", { tabindex: "-1", "aria-describedby": "core-line" }, "Write the core line"),
        element("p", { id: "core-line" }, card.ask)]
      : element("h2", { tabindex: "-1" }, card.title))

/** Open or close the proof of the answer that `view` shows; false where there is none. */
export const turnProof = view => {
  const proof = view.querySelector(".tw-proof")
  if (!proof) return false
  proof.open = !proof.open
  proof.scrollIntoView({ block: proof.open ? "start" : "nearest" })
  return true
}

/**
 * The back of a card, with the proof folded. The proof of an exercise is on its page.
 *
 * @param {Object} bank from loadCards().
 * @param {Object} card one of its cards.
 * @returns {(HTMLElement|false)[]}
 */
export const answer = (bank, card) => {
  const part = (title, first, ...children) =>
    element("div", { class: "tw-part" }, element("h3", !first ? {} : { class: "tw-first", tabindex: "-1" }, title), children)
  const proof = element("div", {})
  const fold = element("details", { class: "tw-proof", ontoggle: () => fold.open && !proof.hasChildNodes() && showProof(proof, bank, card) },
    element("summary", {}, "The code that ran, and what it printed", element("kbd", { "aria-hidden": "true" }, "p")), proof)
  return [
    part(isExercise(card) ? "The core line" : "Say it", true, say(card), terms(card)),
    part("Listening for", false, ladder(bank, card)),
    !isExercise(card) && part("The proof", false, fold, element("p", {}, element("a", { href: card.url }, "Read the whole page"),
      !navigator.onLine && ", once there is a network again, if this device does not keep it."))]
}
