// What the kit shows of a question: its card, its follow-ups in one line each, and of an exercise its task.

import { address } from "../../shared/address.js"
import { isExercise, loadCards, place } from "../shared/cards.js"
import { cost, sum } from "../mock/set.js"

const FILE = "practice/interview-kit.json"

/** What a question takes, in minutes: an answer and two follow-ups as in the mock interview; an exercise its own time. */
export const minutesOf = card => (isExercise(card) ? card.minutes : cost(card))

/** What all of them take. */
export const total = cards => sum(cards.map(minutesOf))

/**
 * The cards by id, each with `next`, `where` it stands, `page`, its absolute address, and for an exercise `coding`.
 *
 * @throws {Error} it could not be loaded.
 */
export const load = async () => {
  const [bank, response] = await Promise.all([loadCards(), fetch(address(FILE))])
  if (!response.ok) throw Object.assign(new Error(`${FILE}: ${response.status}`), { path: FILE })
  const { next, exercises } = await response.json()
  const absolute = url => new URL(url, address("practice/interview-kit/")).href
  const byId = new Map(bank.cards.map(card => [card.id, {
    ...card, next: next[card.id] ?? [], where: place(bank, card), page: absolute(card.url),
    coding: isExercise(card) && { ...exercises[card.id], files: exercises[card.id].files.map(absolute) },
  }]))
  return { bank, byId }
}
