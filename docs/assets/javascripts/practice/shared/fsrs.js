// When a card comes back: FSRS-6 with its published default weights, days as the smallest interval and no fuzz.
//
// Each card has a stability S (days until the chance of recall has fallen to 90%) and a difficulty D (1 to 10).
// The formulas and what the weights mean: https://github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm
// The tests compare this file with py-fsrs, the reference in Python, on random histories. Unlike there, days are those of
// the calendar here: who answers in the evening and comes back in the morning has let a day pass.

export const AGAIN = 1, HARD = 2, GOOD = 3, EASY = 4
export const DAY = 86_400_000

const W = [
  0.212, 1.2931, 2.3065, 8.2956,  // first stability after again, hard, good, easy
  6.4133, 0.8334, 3.0194, 0.001,  // difficulty
  1.8722, 0.1666, 0.796,  // stability after recall
  1.4835, 0.0614, 0.2629, 1.6483,  // stability after forgetting
  0.6014, 1.8729,  // hard, easy
  0.5425, 0.0912, 0.0658,  // on the same day
  0.1542,  // how fast recall decays
]
const FACTOR = 0.9 ** (-1 / W[20]) - 1
const LONGEST = 36_500

const between = (low, value, high) => Math.min(Math.max(value, low), high)
const firstDifficulty = grade => W[4] - Math.exp(W[5] * (grade - 1)) + 1

const nextDifficulty = (difficulty, grade) => {
  const moved = difficulty - W[6] * (grade - 3) * (10 - difficulty) / 9
  return between(1, W[7] * firstDifficulty(EASY) + (1 - W[7]) * moved, 10)
}

const onTheSameDay = (stability, grade) => {
  const growth = Math.exp(W[17] * (grade - 3 + W[18])) * stability ** -W[19]
  return stability * (grade === AGAIN ? growth : Math.max(growth, 1))
}

const afterForgetting = (stability, difficulty, recall) => Math.min(
  W[11] * difficulty ** -W[12] * ((stability + 1) ** W[13] - 1) * Math.exp(W[14] * (1 - recall)),
  stability / Math.exp(W[17] * W[18]))

const afterRecall = (stability, difficulty, recall, grade) => stability * (1
  + Math.exp(W[8]) * (11 - difficulty) * stability ** -W[9] * (Math.exp(W[10] * (1 - recall)) - 1)
  * (grade === HARD ? W[15] : 1) * (grade === EASY ? W[16] : 1))

/** When a day begins here, in milliseconds: that of `now`, or one that many days later. */
export const dayBegins = (now, days = 0) => {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime()
}

/** From one day to another, in days; 0 where the clock was set back. Days on which clocks change have another length. */
const daysBetween = (from, to) => Math.max(0, Math.round((dayBegins(to) - dayBegins(from)) / DAY))

/** The chance, 0 to 1, that a card with this memory is recalled after so many days. */
const recall = (memory, days) => (1 + FACTOR * days / memory.stability) ** -W[20]

/** Days from a review to the next: at 90% recall, that is the stability. */
const interval = stability => between(1, Math.round(stability), LONGEST)

/**
 * A card's memory after a review.
 *
 * @param {{stability: number, difficulty: number, last: number, reviews: number}|undefined} memory undefined for a new card.
 * @param {1|2|3|4} grade
 * @param {number} now milliseconds since 1970.
 * @returns {{stability, difficulty, last, due, reviews}}
 */
export const review = (memory, grade, now) => {
  let stability, difficulty
  if (!memory) {
    stability = W[grade - 1]
    difficulty = between(1, firstDifficulty(grade), 10)
  } else {
    const days = daysBetween(memory.last, now)
    const chance = recall(memory, days)
    if (days === 0) stability = onTheSameDay(memory.stability, grade)
    else if (grade === AGAIN) stability = afterForgetting(memory.stability, memory.difficulty, chance)
    else stability = afterRecall(memory.stability, memory.difficulty, chance, grade)
    difficulty = nextDifficulty(memory.difficulty, grade)
  }
  stability = Math.max(stability, 0.001)
  const due = new Date(now)
  due.setDate(due.getDate() + interval(stability))
  return { stability, difficulty, last: now, due: due.getTime(), reviews: (memory?.reviews ?? 0) + 1 }
}

/**
 * Whether a card is to be asked: its day has come, at whatever hour it was answered, or it was missed. The shortest interval
 * is a day, but what was missed today is not known today.
 */
export const isDue = (memory, now) => memory.due < dayBegins(now, 1) || memory.grade === AGAIN
