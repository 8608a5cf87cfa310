// A session: question, think, reveal, grade. Every step is kept, so that it can go on after a reload.

import { button, counted, element } from "../../shared/dom.js"
import { isExercise } from "../shared/cards.js"
import { store } from "../../shared/store.js"
import { AGAIN, DAY, dayBegins, EASY, GOOD, HARD, review } from "../shared/fsrs.js"
import { noteWords } from "../shared/words.js"
import { answer, question, turnProof } from "./card.js"
import { suspend, suspended, takeBack } from "./suspended.js"

const GRADES = [[AGAIN, "Again"], [HARD, "Hard"], [GOOD, "Good"], [EASY, "Easy"]]
const PLACE = "place:flashcards"

// A time to wait as people say it, from milliseconds.
const wait = milliseconds => {
  const days = Math.max(1, Math.round(milliseconds / DAY))
  if (days < 45) return counted(days, "day")
  return days < 550 ? counted(Math.round(days / 30.4), "month") : counted(Math.round(days / 365), "year")
}

// What is kept of a session, where there is anything left of it that can be asked.
const read = (bank, ids, total) => {
  const out = suspended()
  const queue = typeof ids === "string" ? ids.split(",").filter(id => bank.byId.has(id) && !out.has(id)) : []
  return queue.length ? { queue, total: Math.max(queue.length, Number.isInteger(total) ? total : 0) } : null
}

/**
 * The session that was left before its end, as {queue: [id, ...], total, left, parked}; null where there is none to go on
 * with. `parked` is one that had been left before that one began, as {queue, total}, or null.
 */
export const unfinished = bank => {
  const found = store.get(PLACE) ?? {}
  const [own, parked] = [read(bank, found.queue, found.total), read(bank, found.parked, found.parkedTotal)]
  if (!own && !parked) return null
  return own ? { ...own, left: found.at, parked } : { ...parked, left: found.at, parked: null }
}

/** The first grade that a card got on the day of its last one. */
export const firstOf = ({ first, grade }) => first ?? grade

const hintOf = card => (isExercise(card) ? "Write it down." : `About ${counted(card.minutes, "minute")} aloud.`)

/** Shows one card after the other. */
export class Session {
  #bank
  #view
  #stop
  #onward
  #hint
  #queue
  #total
  #parked
  #started = Date.now()
  #graded = new Map()  // id -> [grade, ...]
  #last = null  // what undo needs
  #revealed = false

  /**
   * @param {Object} bank from loadCards().
   * @param {HTMLElement} view shows the session.
   * @param {() => void} stop leaves it.
   * @param {{queue: string[], total: number, parked: ?{queue: string[], total: number}}} cards ids that are left, of how
   *   many, and a session that can go on when this one has ended.
   * @param {string} onward names the button with which the reader leaves its end.
   * @param {(card: Object) => string} hint what is said below a card that is asked.
   */
  constructor(bank, view, stop, { queue, total, parked = null }, onward = "Back to the overview", hint = hintOf) {
    this.#bank = bank
    this.#view = view
    this.#stop = stop
    this.#onward = onward
    this.#hint = hint
    this.#queue = [...queue]
    this.#total = total
    this.#parked = parked
  }

  /** Ask the first card. */
  begin() {
    this.#ask()
  }

  #remember() {
    const kept = this.#parked && { queue: this.#parked.queue.join(","), total: this.#parked.total }
    if (this.#queue.length) {
      const parked = kept && { parked: kept.queue, parkedTotal: kept.total }
      store.set(PLACE, { queue: this.#queue.join(","), total: this.#total, ...parked })
    } else if (kept) store.set(PLACE, kept)
    else store.remove(PLACE)
  }

  // Graded in another tab since this session began, and not here: it need not be asked again.
  #doneElsewhere(id) {
    return !this.#graded.has(id) && store.get(`card:${id}`)?.last > this.#started
  }

  #show(...children) {
    const undo = button(this.#last?.suspended ? "Take the last card back" : "Undo the last grade", () => this.#undo(), { key: "u", quiet: true })
    undo.hidden = !this.#last
    const more = this.#queue.length > 0 && [
      button("Suspend this card", () => this.#suspend(), { key: "x", quiet: true }),
      button("Stop", this.#stop, { key: "Esc", quiet: true })]
    this.#view.replaceChildren(...children.filter(Boolean), element("div", { class: "tw-actions" }, undo, more))
    const first = this.#view.querySelector(".tw-first") ?? this.#view.querySelector("h2")
    first.focus({ preventScroll: true })
    this.#view.parentElement.scrollIntoView({ block: "start" })
  }

  #ask() {
    while (this.#queue.length && this.#doneElsewhere(this.#queue[0])) this.#queue.shift()
    this.#remember()
    this.#revealed = false
    if (!this.#queue.length) {
      this.#finish()
      return
    }
    const card = this.#bank.byId.get(this.#queue[0])
    this.#show(question(this.#bank, card, this.#queue.length),
      element("p", { class: "tw-quiet" }, this.#hint(card)),
      element("div", { class: "tw-actions" }, button("Reveal the answer", () => this.#reveal(), { key: "Space" })))
  }

  #reveal() {
    this.#revealed = true
    const card = this.#bank.byId.get(this.#queue[0])
    const now = Date.now()
    const memory = store.get(`card:${card.id}`)
    this.#show(question(this.#bank, card, this.#queue.length),
      ...answer(this.#bank, card),
      element("div", { class: "tw-actions tw-grades", role: "group", "aria-label": "Grade yourself" },
        GRADES.map(([grade, name]) => element("button", { type: "button", class: "tw-button", onclick: () => this.#grade(grade) },
          element("span", {}, name, element("kbd", { "aria-hidden": "true" }, String(grade))),
          element("small", {}, grade === AGAIN ? "today" : wait(review(memory, grade, now).due - now))))))
  }

  #grade(grade) {
    const id = this.#queue.shift()
    const before = store.get(`card:${id}`)
    const undoWords = noteWords(this.#bank.byId.get(id), this.#view)
    const now = Date.now()
    this.#last = { id, before, undoWords, queue: [id, ...this.#queue] }
    this.#graded.set(id, [...(this.#graded.get(id) ?? []), grade])
    const first = before?.last >= dayBegins(now) ? firstOf(before) : grade  // of its day; what is missed is asked until it is not
    store.set(`card:${id}`, { ...review(before, grade, now), grade, first })
    if (grade === AGAIN) this.#queue.push(id)
    this.#ask()
  }

  #suspend() {
    const id = this.#queue[0]
    this.#last = { id, suspended: true, queue: [...this.#queue] }
    suspend(id)
    this.#queue = this.#queue.filter(other => other !== id)
    this.#ask()
  }

  #undo() {
    const { id, before, queue, undoWords, suspended: wasSuspended } = this.#last
    if (wasSuspended) takeBack(id)
    else {
      this.#graded.get(id).pop()
      undoWords()
      if (before) store.set(`card:${id}`, before)
      else store.remove(`card:${id}`)
    }
    this.#queue = queue
    this.#last = null
    this.#ask()
  }

  #finish() {
    const firsts = [...this.#graded.values()].map(grades => grades[0]).filter(Boolean)
    const tally = GRADES.map(([grade, name]) => `${name.toLowerCase()} ${firsts.filter(first => first === grade).length}`)
    this.#show(
      element("div", { class: "tw-ask" },
        element("h2", { tabindex: "-1" }, "That was the session"),
        element("p", {}, `You graded ${counted(firsts.length, "card")}. At first sight: ${tally.join(", ")}.`)),
      element("div", { class: "tw-actions" }, button(this.#onward, this.#stop, { key: "Space" })))
  }

  /** Do what a key means; false where it means nothing. */
  press(key) {
    const main = [" ", "Enter"].includes(key)
    if (key === "Escape" || (main && !this.#queue.length)) this.#stop()
    else if (key === "u" && this.#last) this.#undo()
    else if (key === "x" && this.#queue.length) this.#suspend()
    else if (main && !this.#revealed) this.#reveal()
    else if (this.#revealed && ["1", "2", "3", "4"].includes(key)) this.#grade(Number(key))
    else return key === "p" && turnProof(this.#view)
    return true
  }
}
