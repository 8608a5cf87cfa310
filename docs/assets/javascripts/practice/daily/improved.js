// What a finished day says of itself: what went better than the last time, or what was done; and what comes back.

import { counted } from "../../shared/dom.js"
import { spoken } from "./days.js"

const list = texts => (texts.length > 1 ? `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}` : texts[0])
const sentence = (name, parts) => {
  const texts = parts.filter(Boolean)
  return texts.length ? `${name}: ${list(texts)}.` : ""
}

/**
 * @param {Object} day its entry: `verdict`, `verdictBefore` and `askedBefore`, the date; `said` and `saidBefore`, of `of` words;
 *   `right` and `rightBefore`, of the program.
 * @param {{graded: number, again: number, back: number}} cards of the day: how many were graded, how many of them were missed
 *   at first, and how many were recalled that had been missed the time before.
 * @returns {string} one line.
 */
export const improved = (day, { graded, again, back }) => {
  const better = sentence("Better than before", [
    back > 0 && `${counted(back, "card")} that you had missed ${back === 1 ? "is" : "are"} back`,
    day.verdict === "known" && day.verdictBefore === "notYet" && `you could say an answer that you could not ${day.askedBefore ? `on ${spoken(day.askedBefore)}` : "before"}`,
    day.saidBefore !== null && day.said > day.saidBefore && `you said ${day.said} of ${day.of} words, ${day.saidBefore || "none"} the time before`,
    day.right && day.rightBefore === false && "you predicted a program that had fooled you",
  ])
  const done = sentence("Done today", [
    graded > 0 && `${counted(graded - again, "card")} of ${graded} recalled`,
    day.verdict === "known" && "one answer said",
    day.right && "one program predicted",
  ])
  const missed = sentence("To come back", [
    again > 0 && counted(again, "card"),
    day.verdict === "notYet" && "one answer",
    day.right === false && "one program",
  ])
  return [better || done, missed].filter(Boolean).join(" ") || "Nothing was answered today."
}
