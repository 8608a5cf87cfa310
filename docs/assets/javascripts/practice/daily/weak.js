// What the reader was weak in: said so, was rated so in a mock interview, or left out its words.

import { dimensionsOf, weakIn } from "../mock/score.js"
import { FORMATS } from "../mock/set.js"
import { store } from "../../shared/store.js"
import { NOT_YET, verdictOf } from "../shared/verdict.js"
import { missedWords } from "../shared/words.js"

// Ids of the questions that an interview rated weak, and that are not ticked as known since.
const inInterviews = () => [...store.all("interview").values()]
  .filter(({ format, questions }) => Object.hasOwn(FORMATS, format) && Array.isArray(questions))
  .flatMap(entry => entry.questions
    .filter((_, index) => weakIn(Object.fromEntries(dimensionsOf(entry.format).map(name => [name, entry[name]?.[index]])), entry.format).length > 0)
    .filter(id => !(store.get(`question:${id}`)?.at > entry.at && store.get(`question:${id}`).known)))

/** Their ids; that whose verdict is the oldest first. */
export const weak = bank => [...new Set([
  ...[...store.all("question")].filter(([id]) => verdictOf(id) === NOT_YET).sort(([, one], [, other]) => one.at - other.at).map(([id]) => id),
  ...inInterviews(),
  ...missedWords().map(({ id }) => id),
])].filter(id => bank.byId.has(id))
