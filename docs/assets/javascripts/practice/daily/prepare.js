// What a day's warmup has, for the reader who is stored here.

import { store } from "../../shared/store.js"
import { ticksOf } from "../../shared/ticks.js"
import { sorted } from "../flashcards/queue.js"
import { suspended } from "../flashcards/suspended.js"
import { entryOf, puzzles } from "../predict/puzzles.js"
import { cardsOf, codeOf, puzzleOf, questionOf } from "./choice.js"
import { daysBefore, isCounted } from "./days.js"
import { weak } from "./weak.js"

/** The plan that was chosen last, or nothing of one. */
export const plan = () => store.get("place:plan") ?? {}

const known = (bank, coding, date, level) => ({
  bank, puzzles, coding, entryOf, date, level,
  plan: Array.isArray(plan().questions) ? plan().questions : [],
  weak: weak(bank),
  now: Date.now(),
  days: daysBefore(date),
  isKnown: id => ticksOf(id).known,
  isRead: id => ticksOf(id).read,
  isDone: piece => store.get(piece.name)?.done === true,
  isBegun: piece => store.get(piece.name)?.tries > 0 || store.get(piece.name)?.ms > 0,
})

/**
 * The part of a day's entry that is chosen when it begins.
 *
 * @param {Object} bank from loadCards().
 * @param {{name: string, kind: string, level: string}[]} coding broken trainers and exercises; `name` is that of their entry.
 * @param {string} date the day's.
 * @param {string} level the reader's.
 */
export const prepare = (bank, coding, date, level) => {
  const reader = known(bank, coding, date, level)
  const out = suspended()
  const { due, fresh } = sorted(bank.cards.filter(({ id }) => !out.has(id)), store.all("card"), reader.now)
  const question = questionOf(reader)
  const puzzle = puzzleOf(reader, bank.byId.get(question?.id)?.topic)
  const cards = cardsOf(reader, due, fresh, bank.byId.get(question?.id))
  return {
    cards: cards.map(({ id }) => id).join(","),
    question: question?.id ?? "", why: question?.why ?? "",
    puzzle: puzzle?.slug ?? "",
    code: codeOf(reader, reader.days.filter(([, day]) => isCounted(day)).length)?.name ?? "",
  }
}
