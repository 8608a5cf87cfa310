// Which questions are chosen, in which order. It is kept in the reader's progress.

import { MOST } from "../../shared/kit-link.js"
import { store } from "../../shared/store.js"

const PLACE = "place:kit"

const same = (one, other) => one.length === other.length && one.every((id, index) => id === other[index])

/** The chosen questions by id, in order; fires "change", and "full" where one more was wanted than there may be. */
export class Selection extends EventTarget {
  #byId

  constructor(byId) {
    super()
    this.#byId = byId
    /** What is chosen, and what was before a link or a button replaced it. */
    this.ids = this.#stored("questions")
    this.before = this.#stored("before")
    store.addEventListener("change", () => {
      const ids = this.#stored("questions")
      if (same(ids, this.ids)) return
      this.ids = ids
      this.before = this.#stored("before")
      this.dispatchEvent(new Event("change"))
    })
  }

  // What is stored may be anything.
  #stored(name) {
    const { [name]: list } = store.get(PLACE) ?? {}
    return Array.isArray(list) ? [...new Set(list)].filter(id => this.#byId.has(id)).slice(0, MOST) : []
  }

  #put(ids, before = []) {
    this.ids = ids
    this.before = before
    store.set(PLACE, { questions: ids, before })
    this.dispatchEvent(new Event("change"))
  }

  has(id) {
    return this.ids.includes(id)
  }

  /** Choose a question, as the last one. */
  add(...ids) {
    const all = [...new Set([...this.ids, ...ids])]
    if (all.length > MOST) this.dispatchEvent(new Event("full"))
    if (!same(all.slice(0, MOST), this.ids)) this.#put(all.slice(0, MOST))
  }

  remove(id) {
    this.#put(this.ids.filter(one => one !== id))
  }

  /** Move a question by so many places; returns the place where it stands then. */
  move(id, by) {
    const from = this.ids.indexOf(id)
    const to = Math.min(this.ids.length - 1, Math.max(0, from + by))
    if (to !== from) this.#put(this.ids.toSpliced(from, 1).toSpliced(to, 0, id))
    return to
  }

  /** Replace all, so that it can be taken back. */
  take(ids) {
    if (!same(ids, this.ids)) this.#put(ids, this.ids)
  }

  /** Bring back what was there before. */
  restore() {
    this.#put(this.before, this.ids)
  }
}
