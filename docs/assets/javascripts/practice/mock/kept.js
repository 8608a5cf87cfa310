// An interview, and how it is kept.

import { store, withBraces, withoutBraces } from "../../shared/store.js"
import { dimensionsOf, STRONG } from "./score.js"
import { clamp, cleanSeed, FORMATS } from "./set.js"

const MOST = { interview: 20, place: 5 }

/** What one writes to a question, and how long it may be, in characters. */
export const TEXTS = { notes: 2_000, code: 8_000, pad: 4_000 }

/** Where one can stand in a question. */
const STEPS = ["new", "asked", "follow-1", "follow-2", "revealed", "skipped"]

/** An interview that has not begun. */
export const prepare = ({ format, minutes, seed }, ids, began) => ({
  began, format, minutes, seed, current: 0,
  answers: ids.map(id => ({
    id, step: "new", ms: 0, ...Object.fromEntries([...dimensionsOf(format).map(name => [name, null]), ...Object.keys(TEXTS).map(name => [name, ""])]),
  })),
})

/** The interview as an entry of the store: flat, a list for each column. */
const pack = ({ began, format, minutes, seed, current, answers }) => ({
  began, format, minutes, seed, current,
  questions: answers.map(answer => answer.id),
  steps: answers.map(answer => answer.step),
  times: answers.map(answer => Math.round(answer.ms)),
  ...Object.fromEntries(dimensionsOf(format).map(name => [name, answers.map(answer => answer[name])])),
  ...Object.fromEntries(Object.keys(TEXTS).map(name => [name, answers.map(answer => withoutBraces(answer[name]))])),
})

const isScore = value => Number.isInteger(value) && value >= 0 && value <= STRONG
const isTime = value => Number.isFinite(value) && value >= 0

/**
 * The interview of an entry, which may be anything.
 *
 * @returns {?Object} null where there is none in it; else with `lost`, the number of its questions that are not on the site.
 */
const unpack = (entry, byId) => {
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
    for (const name of dimensionsOf(format)) {
      const { [index]: score } = entry[name] ?? {}
      if (isScore(score)) answer[name] = score
    }
    for (const [name, most] of Object.entries(TEXTS)) {
      const { [index]: text } = entry[name] ?? {}
      if (typeof text === "string") answer[name] = withBraces(text).slice(0, most)
    }
  }
  const current = interview.answers.findIndex(answer => answer.id === questions[entry.current])
  return interview.answers.length
    ? { ...interview, current: Math.max(0, current), lost: ids.length - interview.answers.length }
    : null
}

const kept = (bank, kind, prefix) => [...store.all(kind)]
  .filter(([id]) => id.startsWith(prefix))
  .map(([id, entry]) => [`${kind}:${id}`, unpack(entry, bank.byId)])
  .filter(([, found]) => found)
  .sort(([, one], [, other]) => other.began - one.began)

/** Interviews that can be continued, as [name of the entry, interview], the latest first. */
export const unfinished = bank => kept(bank, "place", "mock:")

/** Interviews that can be read again, likewise. */
export const finished = bank => kept(bank, "interview", "")

const prune = (kind, list) => {
  for (const [entry] of list.slice(MOST[kind])) store.remove(entry)
}

const placeOf = ({ began }) => `place:mock:${began}`
const entryOf = ({ began }) => `interview:${began}`

/** Keep where an interview stands. */
export const remember = interview => store.set(placeOf(interview), pack(interview))

/** Let go of the oldest of those that have begun. */
export const pruneUnfinished = bank => prune("place", unfinished(bank))

/** Keep an interview as finished, and let go of the oldest. */
export const keepFinished = (interview, bank) => {
  store.set(entryOf(interview), pack(interview))
  store.remove(placeOf(interview))
  prune("interview", finished(bank))
}

/** What is stored of the same interview now, maybe by another tab: {place, done}, each null where there is nothing. */
export const stored = (interview, bank) => ({
  place: unpack(store.get(placeOf(interview)), bank.byId), done: unpack(store.get(entryOf(interview)), bank.byId),
})
