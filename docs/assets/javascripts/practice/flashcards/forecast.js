// What is to come: how many cards are due on the next days, and how many new ones a day an interview's date asks for.

import { counted, element } from "../../shared/dom.js"
import { DAY, dayBegins, isDue } from "../shared/fsrs.js"

const DAYS = 8

const nameOf = (day, now) => {
  if (day < 2) return ["Today", "Tomorrow"][day]
  return new Date(dayBegins(now, day)).toLocaleDateString("en-US", { weekday: "long", month: "short", day: "numeric" })
}

/** How many of the cards are due on each day, from today on. What is overdue counts for today. */
export const dueByDay = (memories, now) => {
  const counts = Array(DAYS).fill(0)
  const ends = counts.map((_, day) => dayBegins(now, day + 1))
  for (const memory of memories) {
    const day = isDue(memory, now) ? 0 : ends.findIndex(end => memory.due < end)
    if (day >= 0) counts[day] += 1
  }
  return counts
}

/** The rows of a table of days. */
export const forecastRows = (memories, now) => {
  const found = dueByDay(memories, now)
  const most = Math.max(1, ...found)
  return found.map((count, day) => element("tr", {},
    element("th", { scope: "row" }, nameOf(day, now)),
    element("td", {}, element("div", { class: "tw-bar", "aria-hidden": "true" }, element("span", { style: `width: ${100 * count / most}%` }))),
    element("td", { class: "tw-number" }, String(count))))
}

/** How many days are left until an interview's date, YYYY-MM-DD; null where there is none. */
const daysUntil = (date, now) => {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date)
  if (!match) return null
  const [, year, month, day] = match.map(Number)
  return Math.round((new Date(year, month - 1, day) - dayBegins(now)) / DAY)  // an hour more or less where clocks change
}

/**
 * How many new cards an interview's date asks for on this day, those that were new this morning among them.
 *
 * @param {string} date YYYY-MM-DD.
 * @param {number} fresh how many new cards are chosen.
 * @param {Object[]} memories of the chosen cards that are not new.
 * @param {number} now in milliseconds.
 * @returns {?{all: number, left: number}} for the whole day, and what is left of it; null where no date is to come.
 */
export const newToday = (date, fresh, memories, now) => {
  const days = daysUntil(date, now)
  if (days === null || days < 1) return null
  const begun = memories.filter(({ reviews, last }) => reviews === 1 && last >= dayBegins(now)).length
  const all = Math.ceil((fresh + begun) / days)
  return { all, left: Math.min(fresh, Math.max(0, all - begun)) }
}

/**
 * What an interview's date asks for, as a text; empty where there is no date.
 *
 * @param {string} date YYYY-MM-DD.
 * @param {number} fresh how many new cards are chosen.
 * @param {?{all: number, left: number}} today what `newToday` says of them.
 * @param {number} now in milliseconds.
 */
export const plan = (date, fresh, today, now) => {
  const days = daysUntil(date, now)
  if (days === null) return ""
  if (days < 0) return "The day of the interview has passed."
  if (days === 0) return "The interview is today: answer what is due, new cards would not come back before it."
  const left = `The interview is ${days === 1 ? "tomorrow" : `in ${days} days`}.`
  if (fresh === 0) return `${left} You have seen every card that is chosen above: answer what is due.`
  const done = today.left === 0 ? " You have done that for today." : ""
  return `${left} To see each of the ${counted(fresh, "new card")} chosen above before it, answer ${today.all} new a day, besides what is due.${done}`
}
