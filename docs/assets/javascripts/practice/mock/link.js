// The address of a set of questions.

import { clamp, cleanSeed, FORMATS, usualMinutes } from "./set.js"

/** The part of an address that brings back this set. Not `q`, which opens the site's search. */
export const writeLink = ({ format, minutes, seed, answers }) =>
  `?format=${format}&minutes=${minutes}&seed=${encodeURIComponent(seed)}&questions=${answers.map(answer => answer.id).join(",")}`

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
  const text = query.get("minutes") ?? String(usualMinutes(format))
  const number = text.trim() ? Number(text) : NaN
  const minutes = Number.isNaN(number) ? usualMinutes(format) : clamp(number)
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
