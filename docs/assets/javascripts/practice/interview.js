// A mock interview without its page: which questions, what they cost, how it is kept, what the scores add up to.
// Nothing here reads the clock, the document or the storage.

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
export const FOLLOW_UP_MINUTES = 1

/** What one judges, with what Weak, Good and Strong mean there. */
export const RUBRIC = {
  correctness: ["Wrong or vague, as the weak answer above.", "Right, as the good one.", "Right to the edge cases, as the strong one."],
  reasoning: ["A statement without a reason.", "The mechanism behind it.", "The mechanism, and what would break or cost."],
  communication: ["The point came late, or not at all.", "The answer first, then the reason.", "Answer first, short, and checked what was asked."],
}
export const DIMENSIONS = Object.keys(RUBRIC)
const STRONG = 2

/** Where one stands in a question. */
export const STEPS = ["new", "asked", "follow-1", "follow-2", "revealed", "skipped"]

const label = name => name[0].toUpperCase() + name.slice(1)
const sum = numbers => numbers.reduce((total, number) => total + number, 0)

// ---------- Chance from a text ----------

/**
 * Numbers from 0 to below 1, the same for the same text on every machine: xmur3 hashes the text into the state of
 * sfc32. Both are in the public domain.
 */
export const random = text => {
  let hash = 1779033703 ^ text.length
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 3432918353)
    hash = (hash << 13) | (hash >>> 19)
  }
  const word = () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507)
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909)
    hash ^= hash >>> 16
    return hash | 0
  }
  let [a, b, c, d] = [word(), word(), word(), word()]
  return () => {
    const result = (a + b + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + result) | 0
    return (result >>> 0) / 2 ** 32
  }
}

const pick = (list, chance) => list[Math.floor(chance() * list.length)]

const tally = (cards, key) => {
  const counts = new Map()
  for (const card of cards) counts.set(key(card), (counts.get(key(card)) ?? 0) + 1)
  return counts
}

// One of the names by chance, such that what has been drawn so far (`counts`) comes close to the shares.
const draw = (names, share, counts, chance) => {
  const total = sum(names.map(share))
  const size = sum(names.map(name => counts.get(name) ?? 0)) + 1
  const missing = names.map(name => Math.max(0, share(name) / total * size - (counts.get(name) ?? 0)))
  let left = chance() * sum(missing)
  return names.find((_, index) => (left -= missing[index]) < 0) ?? names[missing.indexOf(Math.max(...missing))]
}

// ---------- The set ----------

/** What a question takes of the interview's time, in minutes. */
export const cost = card => card.minutes + FOLLOW_UPS * FOLLOW_UP_MINUTES

/**
 * The questions of an interview: the same for the same format, minutes and seed while the site has the same ones.
 *
 * Each is drawn by level (the format's shares; a level that has no question left leaves its share to the others), then
 * by topic (none again before the level's others had their turn), then by kind (the rare ones more often than their
 * number, the common ones less), as long as one fits into the time that is left. The first is there even if it does not.
 *
 * @param {Array} cards of cards.json, in any order.
 */
export const choose = (cards, { format, minutes, seed }) => {
  const { weights, longest = Infinity, kinds = [] } = FORMATS[format]
  const chance = random(`${format} ${minutes} ${seed}`)
  const eligible = cards
    .filter(card => weights[card.level] && card.minutes <= longest)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  const kindsThere = tally(eligible, card => card.kind)
  const chosen = []
  const cheapest = Math.min(...eligible.map(cost))
  for (let left = Math.max(minutes, cheapest); ;) {
    let pool = eligible.filter(card => !chosen.includes(card) && cost(card) <= left)
    if (!pool.length) return chosen
    // Kinds that must be there come first, the short ones before the long, so that most of them fit.
    const due = pool.filter(card => kinds.includes(card.kind) && !chosen.some(one => one.kind === card.kind))
    if (due.length) {
      const least = due.reduce((one, other) => (cost(other) < cost(one) ? other : one))
      pool = due.filter(card => card.kind === least.kind)
    }
    const level = draw([...tally(pool, card => card.level).keys()], name => weights[name], tally(chosen, card => card.level), chance)
    pool = pool.filter(card => card.level === level)
    const turns = tally(chosen, card => card.topic)
    const fewest = Math.min(...pool.map(card => turns.get(card.topic) ?? 0))
    pool = pool.filter(card => (turns.get(card.topic) ?? 0) === fewest)
    const kind = draw([...tally(pool, card => card.kind).keys()], name => Math.sqrt(kindsThere.get(name)), tally(chosen, card => card.kind), chance)
    const card = pick(pool.filter(one => one.kind === kind), chance)
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

/** An interview that has not begun. */
export const prepare = ({ format, minutes, seed }, ids, began) => ({
  began, format, minutes, seed, current: 0,
  answers: ids.map(id => ({ id, step: "new", ms: 0, ...Object.fromEntries(DIMENSIONS.map(name => [name, null])) })),
})

// ---------- Links ----------

/** The part of an address that brings back this set. Not `q`, which opens the site's search. */
export const writeLink = ({ format, minutes, seed, answers }) =>
  `?format=${format}&minutes=${minutes}&seed=${encodeURIComponent(seed)}&questions=${answers.map(answer => answer.id).join(",")}`

const SEED_LENGTH = 40

/** What someone typed as a seed. */
export const cleanSeed = text => text.trim().slice(0, SEED_LENGTH)

/** Minutes within what an interview can last. */
export const clamp = minutes => Math.min(MINUTES.most, Math.max(MINUTES.least, Math.round(minutes)))

/**
 * What an address asks for. Nothing in it is trusted.
 *
 * @returns {{format: string, minutes: number, seed: string, questions: string[], notes: string[]}} `seed` is empty where
 *   the address has none, `questions` are known ones; `notes` tell the reader what could not be used.
 */
export const readLink = (search, byId) => {
  const query = new URLSearchParams(search)
  const notes = []
  let format = query.get("format") ?? "junior"
  if (!Object.hasOwn(FORMATS, format)) {
    format = "junior"
    notes.push("The link names a format that this site does not have; Junior is chosen instead.")
  }
  const text = query.get("minutes") ?? String(MINUTES.usual)
  const number = text.trim() ? Number(text) : NaN
  const minutes = Number.isNaN(number) ? MINUTES.usual : clamp(number)
  if (minutes !== number) notes.push(`The link's minutes cannot be used; ${minutes} are chosen instead.`)
  const asked = [...new Set((query.get("questions") ?? "").split(",").filter(Boolean))]
  const questions = asked.filter(id => byId.has(id))
  const unknown = asked.length - questions.length
  if (unknown && questions.length) {
    notes.push(`${unknown} of the link's ${asked.length} questions ${unknown === 1 ? "is" : "are"} not on this site and left out.`)
  } else if (unknown) {
    notes.push(`The link's questions are not on this site (${unknown} unknown). Start takes a new set instead, from the same seed.`)
  }
  return { format, minutes, seed: cleanSeed(query.get("seed") ?? ""), questions, notes }
}

// ---------- Kept ----------

/** The interview as an entry of the store: flat, a list for each column. */
export const pack = ({ began, format, minutes, seed, current, answers }) => ({
  began, format, minutes, seed, current,
  questions: answers.map(answer => answer.id),
  steps: answers.map(answer => answer.step),
  times: answers.map(answer => Math.round(answer.ms)),
  ...Object.fromEntries(DIMENSIONS.map(name => [name, answers.map(answer => answer[name])])),
})

const isScore = value => Number.isInteger(value) && value >= 0 && value <= STRONG
const isTime = value => Number.isFinite(value) && value >= 0

/**
 * The interview of an entry, which may be anything.
 *
 * @returns {?Object} null where there is none in it; else with `lost`, the number of its questions that are not on the site.
 */
export const unpack = (entry, byId) => {
  const { began, format, minutes, seed, questions } = entry ?? {}
  if (!isTime(began) || typeof format !== "string" || !Object.hasOwn(FORMATS, format) || !isTime(minutes)
    || typeof seed !== "string" || !Array.isArray(questions)) return null
  const ids = [...new Set(questions)]
  const interview = prepare({ format, minutes: clamp(minutes), seed: cleanSeed(seed) }, ids.filter(id => byId.has(id)), began)
  for (const answer of interview.answers) {
    const index = questions.indexOf(answer.id)
    const { [index]: step } = entry.steps ?? {}
    const { [index]: ms } = entry.times ?? {}
    if (STEPS.includes(step)) answer.step = step
    if (isTime(ms)) answer.ms = ms
    for (const name of DIMENSIONS) {
      const { [index]: score } = entry[name] ?? {}
      if (isScore(score)) answer[name] = score
    }
  }
  const current = interview.answers.findIndex(answer => answer.id === questions[entry.current])
  return interview.answers.length
    ? { ...interview, current: Math.max(0, current), lost: ids.length - interview.answers.length }
    : null
}

// ---------- Scores ----------

/** The points of the given dimensions: Weak 0, Good 1, Strong 2; what is not rated does not count. */
const points = (answers, dimensions = DIMENSIONS) => {
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
  const topics = groups.map(group => ({ ...group, score: points(group.answers) }))
  return {
    ms: sum(interview.answers.map(answer => answer.ms)),
    all: points(answered),
    dimensions: Object.fromEntries(DIMENSIONS.map(name => [name, points(answered, [name])])),
    topics: topics.sort((one, other) => share(one.score) - share(other.score) || 0),
    answered,
    open: interview.answers.filter(answer => answer.step !== "revealed"),
  }
}

/** Minutes and seconds: 75 s is 1:15. */
export const clock = ms => {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

/** A score as people read it. */
export const scoreText = ({ points, of }) => (of ? `${points} of ${of}` : "not rated")

/** An answer's three ratings as people read them. */
export const ratings = (answer, grades) =>
  DIMENSIONS.map(name => `${name} ${answer[name] === null ? "not rated" : grades[answer[name]].toLowerCase()}`).join(", ")

const escape = text => text.replace(/[\\`*_[\]<>|#]/g, "\\$&")

/**
 * The interview as Markdown.
 *
 * @param {(url: string) => string} absolute makes an address of the bank's absolute.
 * @param {string} date when it took place, as people read it.
 * @param {string} link the set's own address.
 */
export const report = (interview, bank, { absolute, date, link }) => {
  const { ms, all, dimensions, topics, open } = summarize(interview, bank)
  const linked = ({ id }) => {
    const card = bank.byId.get(id)
    return `[${escape(card.title)}](${absolute(card.url)})`
  }
  const lines = [
    `# Mock interview, ${date}`, "",
    `${FORMATS[interview.format].label}, ${interview.minutes} minutes, ${interview.answers.length} questions. `
      + `Answered in ${clock(ms)}. [The same set](${link}).`, "",
    `Points: ${scoreText(all)} (Weak 0, Good 1, Strong 2).`, "",
    "| | Points | Weak | Good | Strong |", "|---|---|---|---|---|",
    ...DIMENSIONS.map(name => `| ${label(name)} | ${scoreText(dimensions[name])} | ${dimensions[name].counts.join(" | ")} |`),
  ]
  if (topics.length) lines.push("", "## By topic, weakest first")
  for (const { level, label: name, url, score, answers } of topics) {
    lines.push("", `### [${escape(name)}](${absolute(url)}) (${bank.levels[level]}): ${scoreText(score)}`, "",
      ...answers.map(answer => `- ${linked(answer)}: ${ratings(answer, bank.grades)}; ${clock(answer.ms)}`))
  }
  if (open.length) lines.push("", "## Not answered", "", ...open.map(answer => `- ${linked(answer)}`))
  return `${lines.join("\n")}\n`
}
