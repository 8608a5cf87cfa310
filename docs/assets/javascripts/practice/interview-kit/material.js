// What the kit shows of a question: its card, its follow-ups in a paragraph each, and of an exercise its task.

import { address } from "../../shared/address.js"
import { isExercise, loadCards, loader, place } from "../shared/cards.js"
import { cost, roundOf, sum } from "../mock/set.js"

const fileOf = (level, part = "") => `practice/interview-kit/${level}${part && `-${part}`}.json`

const absolute = url => new URL(url, address("practice/interview-kit/")).href

/**
 * What a question takes, in minutes: an answer and two follow-ups as in the mock interview, of a whiteboard round or a
 * story as in that round; an exercise its own time.
 */
export const minutesOf = card => (isExercise(card) ? card.minutes : cost(card, roundOf(card)))

/** What all of them take. */
export const total = cards => sum(cards.map(minutesOf))

/**
 * The cards by id, each with `where` it stands, and `page`, its absolute address. The rest has a file for each level, which
 * is loaded once, when it is needed: `complete(ids)` gives these cards `next`, their follow-ups in a paragraph each, and
 * exercises their `coding`; `write(ids)` what each says as Markdown, its `markdown`; `plan(level)` resolves to {hours, days},
 * the ids of what the level's plans name.
 *
 * @throws {Error} it could not be loaded; the others reject with one too, and the next call tries again.
 */
export const load = async () => {
  const bank = await loadCards()
  const read = loader()
  const byId = new Map(bank.cards.map(card => [card.id, { ...card, where: place(bank, card), page: absolute(card.url) }]))
  const give = async (cards, part, fields) => {
    await Promise.all([...new Set(cards.map(card => card.level))].map(async level => {
      const found = fields(await read(fileOf(level, part)))
      for (const card of cards) if (card.level === level) Object.assign(card, found(card.id))
    }))
  }
  const of = ids => ids.map(id => byId.get(id))
  const coding = file => id => ({ coding: { ...file[id], files: file[id].files.map(absolute) } })
  const complete = ids => Promise.all([
    give(of(ids).filter(card => !card.next), "", ({ next }) => id => ({ next: next[id] ?? [] })),
    give(of(ids).filter(card => isExercise(card) && !card.coding), "exercises", coding),
  ])
  const write = ids => give(of(ids), "markdown", file => id => ({ markdown: file[id] }))
  return { bank, byId, complete, write, plan: level => read(fileOf(level)) }
}
