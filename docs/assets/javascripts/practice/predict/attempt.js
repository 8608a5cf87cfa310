// The reader's attempt at one program: choose an output or type one, check, see why.

import { element } from "../../shared/dom.js"
import { store } from "../../shared/store.js"
import { entryOf, squeeze } from "./puzzles.js"

/** Sends `answered`. */
export class Attempt extends EventTarget {
  /** The puzzle that is shown, or null. */
  puzzle = null
  revealed = false
  byTyping = false
  #app
  #next
  #box
  #typing
  #typed
  #verdict
  #actions
  #buttons

  /**
   * @param {HTMLElement} app has the elements of every attempt, and will have the puzzle's section.
   * @param {() => void} next leaves the puzzle for what follows.
   */
  constructor(app, next) {
    super()
    this.#app = app
    this.#next = next
    this.#box = app.querySelector(".tw-attempt")
    this.#typing = app.querySelector(".tw-typing")
    this.#typed = this.#typing.querySelector("textarea")
    this.#verdict = app.querySelector(".tw-verdict")
    this.#actions = app.querySelector(".tw-predict-actions")
    this.#buttons = Object.fromEntries(["check", "switch", "next"].map(name => [name, app.querySelector(`[data-do=${name}]`)]))
    this.#buttons.check.addEventListener("click", () => this.check())
    this.#buttons.switch.addEventListener("click", () => this.switch())
    this.#buttons.next.addEventListener("click", next)
    app.addEventListener("keydown", event => {
      if (event.target.matches("#typed, .tw-guess input") && this.#pressInField(event)) event.preventDefault()
    })
  }

  #label(name, text, key) {
    this.#buttons[name].replaceChildren(text, element("kbd", { "aria-hidden": "true" }, key))
  }

  /** Show a puzzle, whose parts are loaded, as if it had never been answered. */
  show(puzzle) {
    const { section, fieldset, labels, radios, answer, mistakes } = puzzle.parts
    const before = this.puzzle?.parts.section
    this.puzzle = puzzle
    this.revealed = this.byTyping = false  // each begins with its choices: a digit means one of them
    fieldset.disabled = false
    for (const radio of radios) radio.checked = false
    for (const one of labels) {
      one.querySelector(".tw-guess__mark")?.remove()
      one.classList.remove("tw-guess--key")
    }
    answer.hidden = true
    answer.append(...mistakes)
    this.#typed.value = ""
    this.#verdict.textContent = ""
    answer.before(this.#box)
    section.append(this.#actions)
    this.#box.hidden = this.#actions.hidden = false
    this.#buttons.check.hidden = this.#buttons.switch.hidden = false
    this.#buttons.next.classList.add("tw-button--quiet")
    this.#label("next", "Skip", "→")
    this.#ask()
    if (before !== section) before?.remove()
    this.#app.append(section)
  }

  /** Show none. */
  hide() {
    this.puzzle?.parts.section.remove()
    this.puzzle = null
    this.revealed = false
  }

  // Ask for the answer in the way that the reader prefers here.
  #ask() {
    this.#typing.hidden = !this.byTyping
    this.puzzle.parts.fieldset.hidden = this.byTyping
    if (this.byTyping) this.#label("switch", "Choose instead", "Esc")
    else this.#label("switch", "Type it instead", "T")
  }

  #focusField() {
    (this.byTyping ? this.#typed : this.puzzle.parts.radios[0]).focus()
  }

  /** From choosing to typing, or back. */
  switch() {
    this.byTyping = !this.byTyping
    this.#ask()
    this.#focusField()
  }

  /** Take the answer, if there is one. */
  check() {
    const { outputs, radios } = this.puzzle.parts
    const index = this.byTyping ? outputs.indexOf(squeeze(this.#typed.value)) : radios.findIndex(radio => radio.checked)
    if (this.byTyping ? this.#typed.value.trim() : index >= 0) {
      this.#reveal(index)
      return
    }
    this.#verdict.textContent = this.byTyping ? "Type what it prints first." : "Choose an output first."
    this.#focusField()
  }

  #keep(right) {
    const before = entryOf(this.puzzle)
    store.set(`puzzle:${this.puzzle.slug}`, {
      tries: (before?.tries ?? 0) + 1, right: (before?.right ?? 0) + right, first: before ? before.first === true : right, last: right,
    })
  }

  // Show the answer after the reader said output number `index`; -1 is none of those that the page has.
  #reveal(index) {
    const { key, fieldset, labels, radios, answer, mistakes } = this.puzzle.parts
    const right = index === key
    const mark = (choice, text) => choice.append(element("span", { class: "tw-guess__mark" }, text))
    this.#keep(right)
    this.revealed = true
    this.#typing.hidden = true
    fieldset.hidden = false
    fieldset.disabled = true
    radios.forEach((radio, number) => { radio.checked = number === index })
    labels[key].classList.add("tw-guess--key")
    mark(labels[key], right ? "It prints this, as you said" : "It prints this")
    if (index >= 0 && !right) {
      mark(labels[index], "You said this")
      answer.prepend(mistakes.find(mistake => Number(mistake.dataset.choice) === index))
    }
    this.#verdict.replaceChildren(
      element("strong", {}, right ? "Right." : "Wrong."), right ? " That is what it prints." : " It prints something else.")
    if (index < 0) this.#verdict.append(" You typed ", element("code", {}, this.#typed.value), ".")
    answer.hidden = false
    this.#buttons.check.hidden = this.#buttons.switch.hidden = true
    this.#buttons.next.classList.remove("tw-button--quiet")
    this.#label("next", "Next", "Enter")
    answer.focus({ preventScroll: true })
    this.#verdict.scrollIntoView({ block: "center" })
    this.dispatchEvent(new Event("answered"))
  }

  /** Do what a key means that was pressed in no field but at `target`; false where it means nothing. */
  press(key, target) {
    if (key === "ArrowRight" && target.closest("pre")) return false  // it scrolls
    if (key === "ArrowRight" || (key === "Enter" && this.revealed)) {
      this.#next()
      return true
    }
    if (!this.puzzle || this.revealed) return false
    const radio = !this.byTyping && this.puzzle.parts.radios[Number(key) - 1]
    if (key === "Enter") this.check()
    else if (key === "t") this.switch()
    else if (radio) {
      radio.checked = true
      radio.focus()
    } else return false
    return true
  }

  // The same for a key in the field of an answer, where single keys have their usual meaning.
  #pressInField(event) {
    if (event.isComposing) return false
    if (event.key === "Enter" && !event.shiftKey) this.check()
    else if (event.key === "Escape" && event.target === this.#typed) this.switch()
    else return false
    return true
  }
}
