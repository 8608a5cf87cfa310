// Which questions an interview has, and what they cost. Nothing here reads the clock, the document or the storage.

import { isExercise } from "../shared/cards.js"
import { pick, random } from "./chance.js"
import { FOLLOW_UPS } from "./follow-ups.js"

/** Whether a card is a whiteboard round of its own. */
const isDesign = card => card.kind === "design" && card.topic.endsWith("/system-design")

/**
 * What can be chosen: the share of each level; `longest` answers only, in minutes; `kinds` to have at least once, of
 * which those in `anyLevel` may be of a level that has no share. A round takes `only` some cards, gives `each` answer so
 * many minutes whatever its page says, lasts `usual` minutes if nobody says otherwise, and may have `prompts`: what the
 * interviewer says at which minute of an answer.
 */
export const FORMATS = {
  junior: { label: "Junior", about: "A first job: the fundamentals.", weights: { junior: 1 } },
  mid: { label: "Mid", about: "A few years in, with a look back at the fundamentals.", weights: { mid: 0.75, junior: 0.25 } },
  senior: { label: "Senior", about: "Systems and performance, and what they build on.", weights: { senior: 0.7, mid: 0.2, junior: 0.1 } },
  screen: { label: "Screen", about: "A phone screen: answers of at most 3 minutes.", weights: { junior: 0.6, mid: 0.4 }, longest: 3 },
  onsite: {
    label: "Onsite", about: "Coding, debugging, behavioral and design: one of each first, if the time allows.",
    weights: { senior: 0.5, mid: 0.5 }, kinds: ["coding", "debugging", "behavioral", "design"], anyLevel: ["behavioral"],
  },
  design: {
    label: "System design", about: "One whiteboard round of 45 minutes, with a pad, and a prompt at minutes 5, 15 and 30.",
    weights: { senior: 1 }, only: isDesign, each: 43, usual: 45,
    prompts: [
      [5, "What have you asked, and which answer would change the design most?"],
      [15, "Add it up: memory, bytes, machines, cost. Which of these numbers is a guess?"],
      [30, "What fails first, and what does a user see? How does a new version go out and come back?"],
    ],
  },
  behavioral: {
    label: "Behavioral", about: "Three stories of two minutes, each with two follow-ups that probe it.",
    weights: { senior: 1 }, only: card => card.story, each: 2, usual: 12,
  },
}

/** The format whose round a card belongs to by itself; undefined for most. */
export const roundOf = card => Object.keys(FORMATS).find(name => FORMATS[name].only?.(card))

/** What the interviewer says while this card is answered in its round, as [minute, text]; nothing for most. */
export const promptsOf = card => FORMATS[roundOf(card)]?.prompts ?? []

/** The minutes of an interview, if nobody says otherwise. */
export const usualMinutes = format => FORMATS[format].usual ?? MINUTES.usual

export const MINUTES = { least: 1, usual: 30, most: 180 }
const FOLLOW_UP_MINUTES = 1

export const sum = numbers => numbers.reduce((total, number) => total + number, 0)

const tally = (cards, key) => {
  const counts = new Map()
  for (const card of cards) counts.set(key(card), (counts.get(key(card)) ?? 0) + 1)
  return counts
}

// Writing code from memory is coding, too.
const kindOf = card => (isExercise(card) ? "coding" : card.kind)

/** Whether one writes code to it here; an exercise has a page for that. */
export const asksForCode = card => card.kind === "coding"

// What decides on level and topic: exercises only where there is nothing else.
const questionsOf = cards => {
  const questions = cards.filter(card => !isExercise(card))
  return questions.length ? questions : cards
}

const GOLDEN = (Math.sqrt(5) - 1) / 2

// Draws names such that each draw alone has the shares, and several draws come closer to them than independent ones
// would: the multiples of the golden ratio, from a start by chance, are spread evenly between 0 and 1.
const dealer = (shares, chance) => {
  let point = chance()
  return (names, counts = null) => {
    point = (point + GOLDEN) % 1
    const share = name => shares(name) * Math.sqrt(counts?.get(name) ?? 1)
    let left = point * sum(names.map(share))
    return names.find(name => (left -= share(name)) < 0) ?? names.at(-1)
  }
}

/** The cards that a format may ask, in an order that does not depend on theirs. */
export const eligibleOf = (cards, format) => {
  const { weights, longest = Infinity, anyLevel = [], only = () => true } = FORMATS[format]
  return cards
    .filter(card => (weights[card.level] || anyLevel.includes(card.kind)) && card.minutes <= longest && only(card))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** Of the kinds that a format must have, the cards that are the only one of theirs. */
export const onlyOnes = (cards, format) => {
  const eligible = eligibleOf(cards, format)
  const { kinds = [] } = FORMATS[format]
  return kinds.map(kind => eligible.filter(card => kindOf(card) === kind)).filter(list => list.length === 1).flat()
}

const SEED_LENGTH = 40

/** What someone typed as a seed. */
export const cleanSeed = text => text.trim().slice(0, SEED_LENGTH)

/** Minutes within what an interview can last. */
export const clamp = minutes => Math.min(MINUTES.most, Math.max(MINUTES.least, Math.round(minutes)))

/** What a question takes of an interview's time, in minutes; without a format, of one that is no round of its own. */
export const cost = (card, format) => (FORMATS[format]?.each ?? card.minutes) + FOLLOW_UPS * FOLLOW_UP_MINUTES

/**
 * The questions of an interview: the same for the same format, minutes and seed while the site has the same ones.
 *
 * Kinds that must be there come first, of a level that has many of them more often than of one with few. Each other is
 * drawn by level (the format's shares; a level that has no question left leaves its share to the others), then by topic
 * (none again before the level's others had their turn, then the large ones first), then by kind (the rare ones more
 * often than their number), as long as one fits into the time that is left. The first is there even if it does not.
 *
 * An exercise may be drawn where a question of kind coding may, of the same level and of any topic. What has to come
 * besides keeps its time: a third of the interview, and the longest of each kind that must be there.
 *
 * @param {Array} cards of cards.json, in any order.
 */
export const choose = (cards, { format, minutes, seed }) => {
  const { weights, kinds = [], anyLevel = [] } = FORMATS[format]
  const chance = random(`${format} ${minutes} ${seed}`)
  const eligible = eligibleOf(cards, format)
  const kindsThere = tally(questionsOf(eligible), kindOf)  // exercises make coding no more frequent
  const topicsThere = tally(questionsOf(eligible), card => card.topic)
  const costOf = card => cost(card, format)
  const longestOf = kind => Math.max(0, ...eligible.filter(card => card.kind === kind).map(costOf))
  const nextLevel = dealer(name => weights[name], chance)
  const nextKind = dealer(name => (kindsThere.get(name) ?? 1) ** 0.75, chance)
  const chosen = []
  const cheapest = Math.min(...eligible.map(costOf))
  for (let left = Math.max(minutes, cheapest); ;) {
    const missing = kinds.filter(kind => !chosen.some(card => kindOf(card) === kind))
    const others = Math.max(chosen.length ? 0 : minutes / 3, sum(missing.filter(kind => kind !== "coding").map(longestOf)))
    const fitting = eligible.filter(card => !chosen.includes(card) && costOf(card) <= left
      && (weights[card.level] || missing.includes(card.kind)))
    if (!fitting.length) return chosen
    let pool = fitting.filter(card => !isExercise(card) || costOf(card) <= left - others)
    if (!pool.length) pool = fitting
    // Kinds that must be there come first, the short ones before the long, so that most of them fit.
    const due = pool.filter(card => missing.includes(kindOf(card)))
    if (due.length) {
      const least = due.reduce((one, other) => (costOf(other) < costOf(one) ? other : one))
      pool = due.filter(card => kindOf(card) === kindOf(least))
    }
    const levels = tally(due.length ? pool : questionsOf(pool), card => card.level)
    const free = due.length > 0 && anyLevel.includes(pool[0].kind)
    const level = nextLevel(Object.keys(weights).filter(name => levels.has(name)), due.length ? levels : null)
    if (!free) pool = pool.filter(card => card.level === level)
    const turns = tally(chosen, card => card.topic)
    const turnOf = card => (turns.get(card.topic) ?? 0) / Math.sqrt(topicsThere.get(card.topic) ?? 1)
    const fewest = Math.min(...questionsOf(pool).map(turnOf))
    pool = pool.filter(card => isExercise(card) || turnOf(card) === fewest)
    const kind = nextKind([...tally(pool, kindOf).keys()].sort())
    const card = pick(pool.filter(one => kindOf(one) === kind), chance)
    chosen.push(card)
    left -= costOf(card)
  }
}
