// What one judges, and what it adds up to.

import { sum } from "./set.js"

const RUBRIC = {
  correctness: ["Wrong or vague, as the weak answer above.", "Right, as the good one.", "Right to the edge cases, as the strong one."],
  reasoning: ["A statement without a reason.", "The mechanism behind it.", "The mechanism, and what would break or cost."],
  communication: ["The point came late, or not at all.", "The answer first, then the reason.", "Answer first, short, and checked what was asked."],
}

// A round by its format: other things decide there.
const ROUNDS = {
  design: {
    requirements: ["Drew before asking anything.", "Asked for load, latency and failure, and said what each answer changes.", "Also asked what a late or a wrong answer costs, and left out what does not matter."],
    numbers: ["None, or they do not add up.", "A budget of memory, bytes and machines that adds up.", "Named the guess that moves the result most, and how to measure it."],
    "trade-offs": ["One design, as if there were no other.", "Two options with the price of each, and a choice.", "Said what would have to change for the other one to win."],
    failure: ["Works on a good day.", "What fails, what a user sees, and how one notices.", "Also how a version goes out and back, and the fault that raises no error."],
    communication: ["The listener had to ask where we are.", "Led through the round, and kept its time.", "Also asked which part to go deep into."],
  },
  behavioral: {
    ownership: ["We did it.", "What I did, step by step.", "Also what others did, and why I chose this way."],
    evidence: ["It got better, without a number.", "A number before and after, and how I measured it.", "Also what I ruled out, and what would have proven me wrong."],
    reflection: ["I would do the same again.", "One thing that I would do differently.", "Also what I changed since, and what that does not cover."],
    communication: ["Over two minutes, or in no order.", "Situation, action and result in two minutes.", "Also stopped there, and answered the probes in two sentences."],
  },
}

/** What one judges in a format, or without one, with what Weak, Good and Strong mean there. */
export const rubricOf = format => ROUNDS[format] ?? RUBRIC

/** The names of what one judges in a format. */
export const dimensionsOf = format => Object.keys(rubricOf(format))

export const STRONG = 2

/** The dimensions in which an answer was rated weak. */
export const weakIn = (answer, format) => dimensionsOf(format).filter(name => answer[name] === 0)

/** A dimension as people read it. */
export const label = dimension => dimension[0].toUpperCase() + dimension.slice(1)

/** The points of the given dimensions: Weak 0, Good 1, Strong 2; what is not rated does not count. */
const scoreOf = (answers, dimensions) => {
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
  const names = dimensionsOf(interview.format)
  const groups = bank.topics.map(one => ({
    ...one, answers: answered.filter(answer => bank.byId.get(answer.id).topic === one.id),
  })).filter(group => group.answers.length)
  const topics = groups.map(group => ({ ...group, score: scoreOf(group.answers, names) }))
  return {
    ms: sum(interview.answers.map(answer => answer.ms)),
    all: scoreOf(answered, names),
    dimensions: Object.fromEntries(names.map(name => [name, scoreOf(answered, [name])])),
    topics: topics.sort((one, other) => share(one.score) - share(other.score) || 0),
    open: interview.answers.filter(answer => answer.step !== "revealed"),
  }
}

/** A score as people read it. */
export const scoreText = ({ points, of }) => (of ? `${points} of ${of}` : "not rated")

/** An answer's ratings in a format as people read them. */
export const ratings = (answer, format, grades) =>
  dimensionsOf(format).map(name => `${name} ${answer[name] === null ? "not rated" : grades[answer[name]].toLowerCase()}`).join(", ")
