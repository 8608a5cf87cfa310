// Which follow-ups a mock interview asks. Nothing here reads the clock, the document or the storage.

import { pick, random } from "./chance.js"

/** How many follow each question. */
export const FOLLOW_UPS = 2

/** Which of a question's follow-ups are asked, as ascending indices: those that come first in an interview, as far as known. */
export const followUps = (seed, id, next) => {
  const chance = random(`${seed} ${id}`)
  const left = [...next.keys()]
  while (left.length > FOLLOW_UPS) {
    const others = left.filter(index => !next[index].first)
    left.splice(left.indexOf(pick(others.length ? others : left, chance)), 1)
  }
  return left
}
