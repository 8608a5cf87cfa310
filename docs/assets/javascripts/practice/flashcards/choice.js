// What the reader has chosen for their sessions: which cards, how many, in which order, and until when.

import { readAddress, setFields, writeAddress } from "../../shared/address.js"
import { store } from "../../shared/store.js"

const PLACE = "place:flashcards-choice"
const FILTERS = ["level", "topic", "kind"]
const SETTINGS = ["size", "order"]

/** The form that filters the cards, and the one of the sessions' settings. */
export class Choice {
  #filter
  #settings

  /** @param {HTMLElement} box has the two forms. */
  constructor(box) {
    [this.#filter, this.#settings] = box.querySelectorAll("form")
  }

  /** Set the fields to what the address says, else to what was chosen the last time. */
  read() {
    const kept = store.get(PLACE) ?? {}
    const query = new URLSearchParams(location.search)
    setFields(this.#settings, SETTINGS, { size: "20", ...kept })
    this.#settings.elements.date.value = typeof kept.date === "string" ? kept.date : ""
    if (FILTERS.some(name => query.has(name))) readAddress(this.#filter, FILTERS)
    else setFields(this.#filter, FILTERS, kept)
  }

  /** Keep what the fields say, and let the address name the cards. */
  write() {
    const { size, order, date } = this
    writeAddress(this.#filter)
    store.set(PLACE, { ...Object.fromEntries(FILTERS.map(name => [name, this.#filter.elements[name].value])), size, order, date })
  }

  /** The cards that the filter leaves. */
  of(cards) {
    const wanted = FILTERS.map(name => [name, this.#filter.elements[name].value]).filter(([, value]) => value)
    return wanted.length ? cards.filter(card => wanted.every(([name, value]) => card[name] === value)) : cards
  }

  /** How many cards a session has at most. */
  get size() {
    return Number(this.#settings.elements.size.value)
  }

  /** In which order new cards come; see queue.js. */
  get order() {
    return this.#settings.elements.order.value
  }

  /** The day of the interview as YYYY-MM-DD; empty where there is none. */
  get date() {
    return this.#settings.elements.date.value
  }
}
