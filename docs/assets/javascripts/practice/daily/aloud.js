// One question, answered aloud: it is asked while a clock runs, then what an interviewer waits for is shown, to tick.

import { button, counted, element } from "../../shared/dom.js"
import { clock } from "../../shared/clock.js"
import { answer, turnProof } from "../flashcards/card.js"
import { place } from "../shared/cards.js"
import { KNOWN, NOT_YET } from "../shared/verdict.js"

const WHY = {
  weak: "You could not say it the last time, or left out its words.",
  plan: "It is the next one of your plan.",
  level: "",
}

/** Shows a question and its answer in `view`, and hands over the reader's verdict. */
export class Aloud {
  #bank
  #card
  #view
  #why
  #settled
  #began = performance.now()
  #timer = null
  #revealed = false

  /**
   * @param {Object} bank from loadCards().
   * @param {Object} card one of its cards.
   * @param {HTMLElement} view
   * @param {string} why it is asked: see questionOf() in choice.js.
   * @param {(verdict: string) => void} settled is called with KNOWN or NOT_YET.
   */
  constructor(bank, card, view, why, settled) {
    this.#bank = bank
    this.#card = card
    this.#view = view
    this.#why = why
    this.#settled = settled
  }

  /** Ask it, and let the clock run. */
  begin() {
    const { minutes, title } = this.#card
    const now = element("span", { class: "tw-clock", role: "timer", "aria-label": "Time" })
    const tick = () => {
      const ms = performance.now() - this.#began
      now.textContent = `${clock(ms)} of ${clock(minutes * 60_000)}`
    }
    tick()
    this.#timer = setInterval(() => (now.isConnected ? tick() : clearInterval(this.#timer)), 250)
    this.#show(
      element("div", { class: "tw-ask" },
        element("p", { class: "tw-ask__place" }, `${place(this.#bank, this.#card)}${WHY[this.#why] && ` · ${WHY[this.#why]}`}`),
        element("h2", { tabindex: "-1" }, title),
        element("p", {}, now)),
      element("p", { class: "tw-quiet" }, `Answer aloud, as you would answer a person. The page gives it ${counted(minutes, "minute")}.`),
      element("div", { class: "tw-actions" }, button("I have answered", () => this.#reveal(), { key: "Space" })))
  }

  #show(...children) {
    this.#view.replaceChildren(...children)
    const first = this.#view.querySelector(".tw-first") ?? this.#view.querySelector("h2")
    first.focus({ preventScroll: true })
    this.#view.parentElement.scrollIntoView({ block: "start" })
  }

  #reveal() {
    clearInterval(this.#timer)
    this.#revealed = true
    const took = clock(performance.now() - this.#began)
    this.#show(
      element("div", { class: "tw-ask" },
        element("p", { class: "tw-ask__place" }, `You spoke for ${took}.`), element("h2", { tabindex: "-1" }, this.#card.title)),
      ...answer(this.#bank, this.#card),
      element("div", { class: "tw-actions tw-verdicts", role: "group", "aria-label": "Could you say it?" },
        button("I could say it", () => this.#settled(KNOWN), { key: "k" }),
        button("Not yet", () => this.#settled(NOT_YET), { key: "n", quiet: true })))
  }

  /** Do what a key means; false where it means nothing. */
  press(key) {
    if (!this.#revealed && [" ", "Enter"].includes(key)) this.#reveal()
    else if (this.#revealed && key === "k") this.#settled(KNOWN)
    else if (this.#revealed && key === "n") this.#settled(NOT_YET)
    else return key === "p" && this.#revealed && turnProof(this.#view)
    return true
  }
}
