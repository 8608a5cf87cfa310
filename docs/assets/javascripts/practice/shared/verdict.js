// Whether a reader could say an answer: what that changes of the question's entry and of its card, and how it is undone.
//
// A verdict keeps in both entries what it has to restore, flat: so it can be undone after a reload too.

import { store } from "../../shared/store.js"
import { ticksOf } from "../../shared/ticks.js"
import { AGAIN, review } from "./fsrs.js"

export const KNOWN = "known", NOT_YET = "notYet"

/** What a reader has said of a question, by its id: KNOWN, NOT_YET, or null. */
export const verdictOf = id => {
  const { known, notYet } = ticksOf(id)
  return known ? KNOWN : notYet ? NOT_YET : null
}

const makeDue = name => {
  const now = Date.now()
  const card = store.get(name)
  if (!card) store.set(name, { ...review(undefined, AGAIN, now), grade: AGAIN, made: now })
  else if (card.due > now) store.set(name, { ...card, due: now, wasDue: card.due })
}

// Only what a verdict did: a card that was reviewed since has an entry without these fields.
const undoDue = name => {
  const { made, wasDue, ...card } = store.get(name) ?? {}
  if (made) store.remove(name)
  else if (wasDue) store.set(name, { ...card, due: wasDue })
}

/** What a reader says of an answer on one occasion after the other: the same verdict as before undoes nothing. */
export const noteVerdict = (id, verdict) => {
  if (verdictOf(id) !== verdict) {
    settle(id, verdict)
    return
  }
  store.set(`question:${id}`, { ...store.get(`question:${id}`) })  // of today
  if (verdict === NOT_YET) makeDue(`card:${id}`)
}

/**
 * Note that a reader could say an answer, or could not yet. The same verdict once more undoes it.
 *
 * Known sets read and known. Not yet sets read, clears known, and makes the card due.
 *
 * @param {string} id the question's.
 * @param {string} verdict KNOWN or NOT_YET.
 */
export const settle = (id, verdict) => {
  const entry = ticksOf(id)
  const before = verdictOf(id)
  if (before === NOT_YET) undoDue(`card:${id}`)
  if (before === verdict) {
    store.set(`question:${id}`, { read: entry.wasRead ?? entry.read, known: Boolean(entry.wasKnown) })
  } else if (verdict === KNOWN) {
    store.set(`question:${id}`, { read: true, known: true, wasRead: entry.read })
  } else {
    store.set(`question:${id}`, { read: true, known: false, notYet: true, wasRead: entry.read, wasKnown: entry.known })
    makeDue(`card:${id}`)
  }
}
