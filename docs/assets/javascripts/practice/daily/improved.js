// What a finished day says of itself: what went better than the last time, and where nothing did, what comes back.

import { counted } from "../../shared/dom.js"
import { spoken } from "./days.js"

const list = texts => (texts.length > 1 ? `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}` : texts[0])

/**
 * @param {Object} day its entry: `back`, cards recalled that were missed the time before; `graded`, cards that were graded, and
 *   `again`, those that were missed; `verdict`, `verdictBefore` and `askedBefore`, the date; `said` and `saidBefore`, of `of`
 *   words; `right` and `rightBefore`, of the program.
 * @returns {string} one line.
 */
export const improved = day => {
  const better = [
    day.back > 0 && `${counted(day.back, "card")} that you had missed ${day.back === 1 ? "is" : "are"} back`,
    day.verdict === "known" && day.verdictBefore === "notYet" && `you could say an answer that you could not ${day.askedBefore ? `on ${spoken(day.askedBefore)}` : "before"}`,
    day.saidBefore !== null && day.said > day.saidBefore && `you said ${day.said} of ${day.of} words, ${day.saidBefore} the last time`,
    day.right && day.rightBefore === false && "you predicted a program that had fooled you",
  ].filter(Boolean)
  if (better.length) return `Better than before: ${list(better)}.`
  const once = [
    day.graded > 0 && `${counted(day.graded - day.again, "card")} of ${day.graded} recalled`,
    day.verdict && (day.verdict === "known" ? "one answer said" : "one answer to say again"),
    typeof day.right === "boolean" && (day.right ? "one program predicted" : "one program that fooled you"),
  ].filter(Boolean)
  return once.length ? `Done today: ${list(once)}. What you missed comes back.` : "Nothing was answered today."
}
