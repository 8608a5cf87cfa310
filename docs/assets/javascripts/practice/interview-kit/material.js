// What the kit shows of a question: its card, its follow-ups in a paragraph each, and of an exercise its task.

import { address } from "../../shared/address.js"
import { isExercise, loadCards, place } from "../shared/cards.js"
import { cost, roundOf, sum } from "../mock/set.js"

const FILE = "practice/interview-kit.json"
const EXERCISES = "practice/interview-kit-exercises.json"
const MARKDOWN = "practice/interview-kit-markdown.json"

const read = async path => {
  const response = await fetch(address(path))
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

const absolute = url => new URL(url, address("practice/interview-kit/")).href

/**
 * What a question takes, in minutes: an answer and two follow-ups as in the mock interview, of a whiteboard round or a
 * story as in that round; an exercise its own time.
 */
export const minutesOf = card => (isExercise(card) ? card.minutes : cost(card, roundOf(card)))

/** What all of them take. */
export const total = cards => sum(cards.map(minutesOf))

/**
 * The cards by id, each with `next`, `where` it stands, and `page`, its absolute address. `complete(ids)` loads what the
 * exercises among these need besides, their `coding`, once; `write()` what each of all says as Markdown, its `markdown`.
 *
 * @throws {Error} it could not be loaded; the other two reject with one too, and the next call tries again.
 */
export const load = async () => {
  const [bank, next] = await Promise.all([loadCards(), read(FILE)])
  const byId = new Map(bank.cards.map(card => [card.id, {
    ...card, next: next[card.id] ?? [], where: place(bank, card), page: absolute(card.url),
  }]))
  const complete = async ids => {
    if (ids.every(id => !isExercise(byId.get(id)) || byId.get(id).coding)) return
    for (const [id, coding] of Object.entries(await read(EXERCISES))) {
      const card = byId.get(id)
      if (card) card.coding = { ...coding, files: coding.files.map(absolute) }
    }
  }
  const write = async () => {
    for (const [id, markdown] of Object.entries(await read(MARKDOWN))) Object.assign(byId.get(id) ?? {}, { markdown })
  }
  return { bank, byId, complete, write }
}
