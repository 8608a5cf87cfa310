// Which questions an interview has, and what they cost. Nothing here reads the clock, the document or the storage.

import { isExercise } from "../shared/cards.js"
import { random } from "./chance.js"

/** What can be chosen: the share of each level; `longest` answers only, in minutes; `kinds` to have at least once. */
export const FORMATS = {
  junior: { label: "Junior", about: "A first job: the fundamentals.", weights: { junior: 1 } },
  mid: { label: "Mid", about: "A few years in, with a look back at the fundamentals.", weights: { mid: 0.75, junior: 0.25 } },
  senior: { label: "Senior", about: "Systems and performance, and what they stand on.", weights: { senior: 0.7, mid: 0.2, junior: 0.1 } },
  screen: { label: "Screen", about: "A phone screen: answers of at most 3 minutes.", weights: { junior: 0.6, mid: 0.4 }, longest: 3 },
  onsite: {
    label: "Onsite", about: "Coding, debugging, behavioral and design: one of each first, as far as the time allows.",
    weights: { senior: 0.5, mid: 0.5 }, kinds: ["coding", "debugging", "behavioral", "design"],
  },
}

export const MINUTES = { least: 1, usual: 30, most: 180 }
/** Each question is followed by two more, a minute each. */
export const FOLLOW_UPS = 2
const FOLLOW_UP_MINUTES = 1

export const sum = numbers => numbers.reduce((total, number) => total + number, 0)

const pick = (list, chance) => list[Math.floor(chance() * list.length)]

const tally = (cards, key) => {
  const counts = new Map()
  for (const card of cards) counts.set(key(card), (counts.get(key(card)) ?? 0) + 1)
  return counts
}

// Writing code from memory is coding, too.
const kindOf = card => (isExercise(card) ? "coding" : card.kind)

// What decides on level and topic: exercises only where there is nothing else.
const questionsOf = cards => {
  const questions = cards.filter(card => !isExercise(card))
  return questions.length ? questions : cards
}

// One of the names by chance, such that what has been drawn so far (`counts`) comes close to the shares.
const draw = (names, share, counts, chance) => {
  const total = sum(names.map(share))
  const size = sum(names.map(name => counts.get(name) ?? 0)) + 1
  const missing = names.map(name => Math.max(0, share(name) / total * size - (counts.get(name) ?? 0)))
  let left = chance() * sum(missing)
  return names.find((_, index) => (left -= missing[index]) < 0) ?? names[missing.indexOf(Math.max(...missing))]
}

const SEED_LENGTH = 40

/** What someone typed as a seed. */
export const cleanSeed = text => text.trim().slice(0, SEED_LENGTH)

/** Minutes within what an interview can last. */
export const clamp = minutes => Math.min(MINUTES.most, Math.max(MINUTES.least, Math.round(minutes)))

/** What a question takes of the interview's time, in minutes. */
export const cost = card => card.minutes + FOLLOW_UPS * FOLLOW_UP_MINUTES

/**
 * The questions of an interview: the same for the same format, minutes and seed while the site has the same ones.
 *
 * Each is drawn by level (the format's shares; a level that has no question left leaves its share to the others), then
 * by topic (none again before the level's others had their turn), then by kind (the rare ones more often than their
 * number, the common ones less), as long as one fits into the time that is left. The first is there even if it does not.
 *
 * An exercise may be drawn where a question of kind coding may, of the same level and of any topic. What has to come
 * besides keeps its time: a third of the interview, and the longest of each kind that must be there.
 *
 * @param {Array} cards of cards.json, in any order.
 */
export const choose = (cards, { format, minutes, seed }) => {
  const { weights, longest = Infinity, kinds = [] } = FORMATS[format]
  const chance = random(`${format} ${minutes} ${seed}`)
  const eligible = cards
    .filter(card => weights[card.level] && card.minutes <= longest)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  const kindsThere = tally(questionsOf(eligible), kindOf)  // exercises make coding no more frequent
  const longestOf = kind => Math.max(0, ...eligible.filter(card => card.kind === kind).map(cost))
  const chosen = []
  const cheapest = Math.min(...eligible.map(cost))
  for (let left = Math.max(minutes, cheapest); ;) {
    const missing = kinds.filter(kind => !chosen.some(card => kindOf(card) === kind))
    const others = Math.max(chosen.length ? 0 : minutes / 3, sum(missing.filter(kind => kind !== "coding").map(longestOf)))
    const fitting = eligible.filter(card => !chosen.includes(card) && cost(card) <= left)
    if (!fitting.length) return chosen
    let pool = fitting.filter(card => !isExercise(card) || cost(card) <= left - others)
    if (!pool.length) pool = fitting
    // Kinds that must be there come first, the short ones before the long, so that most of them fit.
    const due = pool.filter(card => missing.includes(kindOf(card)))
    if (due.length) {
      const least = due.reduce((one, other) => (cost(other) < cost(one) ? other : one))
      pool = due.filter(card => kindOf(card) === kindOf(least))
    }
    const levels = tally(due.length ? pool : questionsOf(pool), card => card.level)
    const level = draw([...levels.keys()], name => weights[name], tally(chosen, card => card.level), chance)
    pool = pool.filter(card => card.level === level)
    const turns = tally(chosen, card => card.topic)
    const turnOf = card => turns.get(card.topic) ?? 0
    const fewest = Math.min(...questionsOf(pool).map(turnOf))
    pool = pool.filter(card => isExercise(card) || turnOf(card) === fewest)
    const kind = draw([...tally(pool, kindOf).keys()], name => Math.sqrt(kindsThere.get(name) ?? 1), tally(chosen, kindOf), chance)
    const card = pick(pool.filter(one => kindOf(one) === kind), chance)
    chosen.push(card)
    left -= cost(card)
  }
}

/** Which of a question's follow-ups are asked, as ascending indices. */
export const followUps = (seed, id, count) => {
  const chance = random(`${seed} ${id}`)
  const left = Array.from({ length: count }, (_, index) => index)
  while (left.length > FOLLOW_UPS) left.splice(Math.floor(chance() * left.length), 1)
  return left
}
