// The reader's progress, in localStorage under one key.
//
// What is stored:  {"version": 1, "since": <time>, "entries": {"<kind>:<id>": {"at": <time>, ...}}}
//
// An entry is a plain object with the time of its last change. Two states are merged entry by entry, and the later
// change wins: so two tabs, or an imported file, never undo each other. `since` is the time of the last reset;
// entries from before it are gone for good. Times are milliseconds since 1970.

const KEY = "torch-warmup"
const VERSION = 1
const FORMAT = "torch-warmup-progress"

const isNumber = value => typeof value === "number" && Number.isFinite(value)
const isCount = value => Number.isInteger(value) && value >= 0
const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value)

// What an entry must have to be used. The kinds' own modules say what the fields mean.
const SHAPES = {
  // A flashcard's memory, see fsrs.js.
  card: entry => isNumber(entry.last) && isNumber(entry.due) && isNumber(entry.stability) && entry.stability > 0
    && isNumber(entry.difficulty) && entry.difficulty >= 1 && entry.difficulty <= 10 && isCount(entry.reviews),
  // A puzzle's answers.
  puzzle: entry => isCount(entry.tries) && isCount(entry.right) && entry.right <= entry.tries,
  // An exercise or a broken trainer: see attempt.js.
  write: entry => typeof entry.done === "boolean" && isCount(entry.tries) && isCount(entry.ms),
  trainer: entry => typeof entry.done === "boolean" && isCount(entry.tries) && isCount(entry.ms),
  // What is ticked of a question: see ../../shared/ticks.js.
  question: entry => typeof entry.read === "boolean" && typeof entry.known === "boolean",
  // The words that an interviewer waits for: see ../practice/shared/words.js.
  words: entry => Array.isArray(entry.words) && entry.words.every(word => typeof word === "string")
    && Array.isArray(entry.missed) && entry.missed.length === entry.words.length && entry.missed.every(isCount),
  // A day of the warmup: see ../practice/daily/days.js.
  day: entry => typeof entry.step === "string",
  // Where a mode was left, and what was chosen there. Whoever resumes checks the rest.
  place: () => true,
  // A finished mock interview.
  interview: () => true,
  // A story of the reader's own: see ../story.js.
  story: entry => isCount(entry.version),
}

/** A text as an entry may hold it: whole entries are found in a damaged text by their braces, so it has none. */
export const withoutBraces = text => text.replace(/[%{}]/g, encodeURIComponent)
export const withBraces = text => text.replace(/%(25|7B|7D)/g, decodeURIComponent)

// A time from the future is kept: this clock may be the wrong one, such as after an empty battery, and a change made here
// gets a later time than what it changes. A time that no clock shows would win for ever.
const LATEST = Date.UTC(2100)
const isTime = value => isCount(value) && value < LATEST
const LATEST_READ = Date.UTC(2099)  // of what a file brings: a change that is made here after it needs a later time

// Whoever shows a field makes a text of it, which an object in its place could refuse.
const isPlain = value => typeof value !== "object" || value === null
const isFlat = entry => Object.values(entry).every(value => isPlain(value) || Array.isArray(value) && value.every(isPlain))

const isEntry = (name, entry, latest = LATEST) =>
  isObject(entry) && isTime(entry.at) && entry.at > 0 && entry.at < latest
  && Object.hasOwn(SHAPES, name.split(":", 1)[0]) && name.includes(":")
  && isFlat(entry) && (entry.gone === true || SHAPES[name.split(":", 1)[0]](entry))

const empty = () => ({ since: 0, entries: new Map() })

// One of the two, whichever way they are asked, so that two tabs agree.
const later = (one, other) => {
  if (!one || !other) return one ?? other
  if (one.at !== other.at) return one.at > other.at ? one : other
  return JSON.stringify(one) > JSON.stringify(other) ? one : other
}

/** The later change of each entry. Commutative and idempotent: tabs that exchange states end up with the same. */
export const merge = (one, other) => {
  const since = Math.max(one.since, other.since)
  const entries = new Map()
  for (const name of new Set([...one.entries.keys(), ...other.entries.keys()])) {
    const entry = later(one.entries.get(name), other.entries.get(name))
    if (entry.at > since) entries.set(name, entry)
  }
  return { since, entries }
}

const has = (state, other) =>
  state.since >= other.since && [...other.entries].every(([name, entry]) => state.entries.get(name)?.at >= entry.at)

const stringify = (state, more = {}) =>
  JSON.stringify({ ...more, version: VERSION, since: state.since, entries: Object.fromEntries(state.entries) })

/**
 * Read a stored or imported text, keeping every entry that can be used.
 *
 * @param {number} [latest] an entry of this time or later cannot be used.
 * @returns {{state, lost: number, newer: boolean, damaged: boolean}} `lost` entries could not be used; `newer`: a
 *   later version of this site wrote it; `damaged`: it is not JSON of ours, and what is in `state` was picked out.
 */
export const parse = (text, latest) => {
  const state = empty()
  let lost = 0
  const keep = (name, entry) => {
    if (isEntry(name, entry, latest)) state.entries.set(name, entry)
    else lost += 1
  }
  let found
  try {
    found = JSON.parse(text)
  } catch {
    found = null
  }
  if (!isObject(found) || !isObject(found.entries)) {
    // Cut off or overwritten in part: entries are flat, so whole ones can be found by their braces.
    for (const [, name, body] of text.matchAll(/"([a-z]+:[^"\\]+)"\s*:\s*(\{[^{}]*\})/g)) {
      try {
        keep(name, JSON.parse(body))
      } catch {
        lost += 1
      }
    }
    return { state, lost, newer: false, damaged: true }
  }
  for (const [name, entry] of Object.entries(found.entries)) keep(name, entry)
  if (isTime(found.since)) state.since = found.since
  return { state: merge(state, empty()), lost, newer: found.version > VERSION, damaged: false }
}

/** "1 entry", "2 entries". */
export const entriesText = count => `${count} ${count === 1 ? "entry" : "entries"}`

/** Progress that every tab of this browser shares. */
export class Store extends EventTarget {
  #state = empty()
  #saves = true

  /** What the reader must know, or null: {text, copy}; `copy` is a text to offer as a file. */
  notice = null

  constructor() {
    super()
    const text = localStorage.getItem(KEY)
    if (globalThis.storageIsBlocked) this.#cannotSave("This browser does not let the site store anything.")
    else if (text) this.#take(text)
    addEventListener("storage", event => {
      if (event.key === KEY) this.#fromAnotherTab(event.newValue)
    })
    // Back to a page that the browser had kept as it was: it has not heard of changes.
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted && !globalThis.storageIsBlocked) this.#fromAnotherTab(localStorage.getItem(KEY))
    })
  }

  #take(text) {
    const { state, lost, newer, damaged } = parse(text)
    this.#state = state
    if (newer) {
      this.#outdated()
    } else if (damaged || lost) {
      this.notice = {
        text: `Your stored progress was damaged: ${entriesText(state.entries.size)} could be kept`
          + (lost ? `, ${entriesText(lost)} could not.` : "."),
        copy: text,
      }
    }
  }

  #fromAnotherTab(text) {
    if (text === null) return  // cleared by hand; what this tab knows is stored again with its next change
    const { state, newer } = parse(text)
    const news = !has(this.#state, state)
    const missing = !has(state, this.#state)
    this.#state = merge(this.#state, state)
    if (newer) this.#outdated()
    // Both wrote at once and the other came last: hand over what it has not seen.
    if (missing) this.#save()
    if (news || newer) this.#changed()
  }

  #outdated() {
    this.#saves = false
    this.notice = { text: "A newer version of this site has stored your progress. Reload the page: until then, nothing that you do here is kept." }
  }

  #cannotSave(why) {
    this.#saves = false
    this.notice = { text: `${why} Your progress lasts until you close this tab; write it to a file to keep it.` }
  }

  #save() {
    if (!this.#saves) return
    try {
      const stored = parse(localStorage.getItem(KEY) ?? "{}")
      if (stored.newer) {
        this.#outdated()
        return
      }
      this.#state = merge(this.#state, stored.state)
      localStorage.setItem(KEY, stringify(this.#state))
    } catch (error) {
      if (error.name !== "QuotaExceededError") throw error
      this.#cannotSave("This browser's storage is full.")
    }
  }

  #changed() {
    this.dispatchEvent(new Event("change"))
  }

  /** The entry, or undefined. */
  get(name) {
    const entry = this.#state.entries.get(name)
    return entry?.gone ? undefined : entry
  }

  /** All entries of a kind as a map from id to entry. */
  all(kind) {
    const found = new Map()
    for (const [name, entry] of this.#state.entries) {
      if (name.startsWith(`${kind}:`) && !entry.gone) found.set(name.slice(kind.length + 1), entry)
    }
    return found
  }

  /** Store an entry; its time is set here. */
  set(name, fields) {
    const at = Math.max(Date.now(), (this.#state.entries.get(name)?.at ?? 0) + 1, this.#state.since + 1)
    const entry = { ...fields, at }
    if (!isEntry(name, entry)) throw new TypeError(`not an entry: ${name} ${JSON.stringify(entry)}`)
    this.#state.entries.set(name, entry)
    this.#save()
    this.#changed()
  }

  /** Take an entry out, in every tab. */
  remove(name) {
    if (this.get(name)) this.set(name, { gone: true })
  }

  /** Forget everything, in every tab. */
  reset() {
    const times = [...this.#state.entries.values()].map(entry => entry.at)
    this.#state = { since: Math.max(Date.now(), this.#state.since, ...times), entries: new Map() }
    this.#save()
    this.#changed()
  }

  /** The progress file's text. */
  export() {
    return stringify(this.#state, { format: FORMAT })
  }

  /**
   * Merge a progress file into what is here.
   *
   * @returns {string} what to tell the reader.
   * @throws {Error} the text is not a progress file of ours; nothing has changed.
   */
  import(text) {
    let found
    try {
      found = JSON.parse(text)
    } catch {
      found = null
    }
    if (!isObject(found) || found.format !== FORMAT || !isObject(found.entries)) {
      throw new Error("This is not a progress file of Torch Warmup. Nothing has changed.")
    }
    if (found.version > VERSION) {
      throw new Error("A newer version of Torch Warmup wrote this file. Reload the page and try again; nothing has changed.")
    }
    const { state, lost } = parse(text, LATEST_READ)
    const kept = state.entries.size
    // Whoever reads a file from before a reset wants it back.
    const { since } = this.#state
    for (const [name, entry] of state.entries) {
      if (entry.at <= since) state.entries.set(name, { ...entry, at: since + 1 })
    }
    this.#state = merge(this.#state, { ...state, since })
    this.#save()
    this.#changed()
    return `Read ${entriesText(kept)}` + (lost ? `; ${entriesText(lost)} could not be used.` : ".")
  }
}

export const store = new Store()
