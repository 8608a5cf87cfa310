// What one judges, and what it adds up to.

import { sum } from "./set.js"

/** What one judges, with what Weak, Good and Strong mean there. */
export const RUBRIC = {
  correctness: ["Wrong or vague, as the weak answer above.", "Right, as the good one.", "Right to the edge cases, as the strong one."],
  reasoning: ["A statement without a reason.", "The mechanism behind it.", "The mechanism, and what would break or cost."],
  communication: ["The point came late, or not at all.", "The answer first, then the reason.", "Answer first, short, and checked what was asked."],
}
export const DIMENSIONS = Object.keys(RUBRIC)
export const STRONG = 2

/** The dimensions in which an answer was rated weak. */
export const weakIn = answer => DIMENSIONS.filter(name => answer[name] === 0)

/** A dimension as people read it. */
export const label = dimension => dimension[0].toUpperCase() + dimension.slice(1)

/** The points of the given dimensions: Weak 0, Good 1, Strong 2; what is not rated does not count. */
const scoreOf = (answers, dimensions = DIMENSIONS) => {
  const scores = answers.flatMap(answer => dimensions.map(name => answer[name])).filter(score => score !== null)
  return { points: sum(scores), of: STRONG * scores.length, counts: [0, 1, 2].map(value => scores.filter(score => score === value).length) }
}

const share = score => (score.of ? score.points / score.of : Infinity)

/**
 * What an interview comes to.
 *
 * @returns {Object} `ms` used; `all`, and by name in `dimensions`, a score {points, of, counts of Weak, Good, Strong};
 *   `topics`, weakest first, each with its score and `answers`; `open`: answers that were not reached or were skipped.
 */
export const summarize = (interview, bank) => {
  const answered = interview.answers.filter(answer => answer.step === "revealed")
  const groups = bank.topics.map(one => ({
    ...one, answers: answered.filter(answer => bank.byId.get(answer.id).topic === one.id),
  })).filter(group => group.answers.length)
  const topics = groups.map(group => ({ ...group, score: scoreOf(group.answers) }))
  return {
    ms: sum(interview.answers.map(answer => answer.ms)),
    all: scoreOf(answered),
    dimensions: Object.fromEntries(DIMENSIONS.map(name => [name, scoreOf(answered, [name])])),
    topics: topics.sort((one, other) => share(one.score) - share(other.score) || 0),
    open: interview.answers.filter(answer => answer.step !== "revealed"),
  }
}

/** A score as people read it. */
export const scoreText = ({ points, of }) => (of ? `${points} of ${of}` : "not rated")

/** An answer's three ratings as people read them. */
export const ratings = (answer, grades) =>
  DIMENSIONS.map(name => `${name} ${answer[name] === null ? "not rated" : grades[answer[name]].toLowerCase()}`).join(", ")
