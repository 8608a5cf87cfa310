// The days of the warmup: what each had, and what came of it. An entry's name is the day's date, as the reader's calendar has it.

import { store } from "../../shared/store.js"
import { DAY } from "../shared/fsrs.js"

const MOST = 400  // entries that are kept
const DONE = "done"

/** The date of a moment, such as 2026-11-28. */
export const dateOf = now => {
  const date = new Date(now)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, "0")).join("-")
}

/** From one date to another. */
export const daysBetween = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / DAY)

/** A date as people read it. */
export const spoken = date => new Date(`${date}T12:00`).toLocaleDateString("en-US", { month: "long", day: "numeric" })

export const dayOn = date => store.get(`day:${date}`)

/** The days before a date, as [date, entry], the latest first. */
export const daysBefore = date => [...store.all("day")].filter(([other]) => other < date).sort(([one], [other]) => (one < other ? 1 : -1))

export const keepDay = (date, changes) => {
  store.set(`day:${date}`, { ...dayOn(date), ...changes })
  for (const [old] of daysBefore(date).slice(MOST)) store.remove(`day:${old}`)
}

/**
 * On how many days in a row a warmup was finished, up to and with this date. One missed day between two of them is forgiven, two
 * are not; the date itself is not missed before it is over.
 */
export const streak = today => {
  let [count, last] = [0, today]
  for (const [date, day] of [[today, dayOn(today)], ...daysBefore(today)]) {
    if (!isCounted(day)) continue
    if (daysBetween(date, last) > 2) break
    count += 1
    last = date
  }
  return count
}

export const isDone = day => day?.step === DONE

/** Whether a day counts: code is an offer on top. */
export const isCounted = day => isDone(day) || day?.step === "code"
