// What a day's warmup has. Nothing here is shown or stored.

import { isExercise } from "../shared/cards.js"
import { dayBegins } from "../shared/fsrs.js"
import { daysBetween } from "./days.js"

const MINUTES = 10
const MINUTES_OF_A_PROGRAM = 2
const LONGEST = 6  // minutes of a question that is asked
const FEWEST = 3, MOST = 6  // cards, each a minute or less
const REST = 3  // days on which a question is not asked again, nor a program that was passed over
const REST_OF_A_PROGRAM = 1
const EVERY = 3  // warmups to the next piece of code

const upTo = (levels, level) => levels.slice(0, levels.indexOf(level) + 1)

/**
 * The question to answer aloud: every second time, if there is one, one that was weak; else the plan's next one, or the level's.
 *
 * @param {Object} known what is known of the reader, see prepare.js.
 * @returns {?{id: string, why: "weak"|"plan"|"level"}}
 */
export const questionOf = ({ bank, date, level, plan, weak, isKnown, days }) => {
  const recent = new Set(days.filter(([day]) => daysBetween(day, date) <= REST).map(([, { question }]) => question))
  const mayBeAsked = card => card && !isExercise(card) && !card.story && card.minutes <= LONGEST && !recent.has(card.id)
  const first = (ids, why) => ids.filter(id => mayBeAsked(bank.byId.get(id))).map(id => ({ id, why }))[0]
  const ofLevel = bank.cards.filter(card => card.level === level).map(({ id }) => id)
  const lastAsked = new Map([...days].reverse().map(([day, { question }]) => [question, Date.parse(day)]))
  const isWeak = id => weak.includes(id)
  const others = ofLevel.filter(id => !isWeak(id))
  const lists = [
    [plan.filter(id => !isKnown(id) && !isWeak(id)), "plan"],
    [others.filter(id => !isKnown(id) && !lastAsked.has(id)), "level"],
    [others.filter(id => !isKnown(id)), "level"],
    [[...others].sort((one, other) => (lastAsked.get(one) ?? 0) - (lastAsked.get(other) ?? 0)), "level"],
  ]
  lists.splice(days[0]?.[1].why === "weak" ? lists.length : 0, 0, [weak, "weak"])
  for (const [ids, why] of lists) {
    const found = first(ids, why)
    if (found) return found
  }
  return null
}

/**
 * The cards, due ones first. Who has few of them gets new ones: the plan's, then those of what was read, then the level's.
 *
 * @param {Object[]} due cards, the most overdue first.
 * @param {Object[]} fresh cards that were never asked.
 * @param {?Object} question the card of the question that is asked aloud.
 */
export const cardsOf = ({ level, plan, isRead }, due, fresh, question) => {
  const room = Math.min(MOST, Math.max(FEWEST, MINUTES - MINUTES_OF_A_PROGRAM - (question?.minutes ?? 0)))
  const others = list => list.filter(card => card !== question)
  const rank = ({ id }) => (plan.includes(id) ? plan.indexOf(id) : plan.length + (isRead(id) ? 0 : 1))
  const news = others(fresh)
    .filter(card => !isExercise(card) && (card.level === level || plan.includes(card.id)))
    .sort((one, other) => rank(one) - rank(other))
  const asked = others(due).slice(0, room)
  return [...asked, ...news.slice(0, Math.max(0, FEWEST - asked.length))]
}

/**
 * The program to predict: one that was wrong, after a rest; else a new one, of the question's topic or of the level or of those
 * below it; else the one that was asked longest ago. One that was passed over rests as well.
 */
export const puzzleOf = ({ bank, level, puzzles, entryOf, now, date, days }, topic) => {
  const levels = upTo(Object.keys(bank.levels), level).reverse()
  const at = puzzle => entryOf(puzzle)?.at ?? 0
  const wasPassedOver = ([day, { right }]) => daysBetween(day, date) <= REST && (right ?? null) === null
  const passedOver = new Set(days.filter(wasPassedOver).map(([, { puzzle }]) => puzzle))
  const offered = puzzles.filter(puzzle => !passedOver.has(puzzle.slug))
  const rested = offered.filter(puzzle => at(puzzle) < dayBegins(now, -REST_OF_A_PROGRAM)).sort((one, other) => at(one) - at(other))
  const fresh = offered.filter(puzzle => !entryOf(puzzle))
  return rested.find(puzzle => entryOf(puzzle)?.last === false)
    ?? fresh.find(puzzle => puzzle.topic === topic)
    ?? levels.map(one => fresh.find(puzzle => puzzle.level === one)).find(Boolean)
    ?? rested.find(puzzle => levels.includes(puzzle.level))
    ?? puzzles[0] ?? null
}

/** The piece of code to offer: every third time, a broken trainer and an exercise by turns; null on the other days. */
export const codeOf = ({ bank, level, coding, isDone, isBegun }, finished) => {
  if ((finished + 1) % EVERY) return null
  const levels = upTo(Object.keys(bank.levels), level).reverse()
  const kinds = (finished + 1) % (2 * EVERY) ? ["trainer", "write"] : ["write", "trainer"]
  const left = coding.filter(piece => !isDone(piece) && levels.includes(piece.level))
    .sort((one, other) => isBegun(other) - isBegun(one) || levels.indexOf(one.level) - levels.indexOf(other.level))
  return kinds.map(kind => left.find(piece => piece.kind === kind)).find(Boolean) ?? null
}
