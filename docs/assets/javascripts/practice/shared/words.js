// The words that an interviewer waits for: which of them a reader keeps leaving out.
//
// What is stored of a question: {words, missed: [how often in a row each was left out], said: how many were ticked the last time}.

import { store, withBraces, withoutBraces } from "../../shared/store.js"

const KEPT = 2  // once may be chance

const nameOf = id => `words:${id}`

/**
 * Note what is ticked of the checklist that `view` shows of a card.
 *
 * @param {boolean} counts whether a list without any tick says that no word was said, and not that the list was not used.
 * @returns {() => void} undoes it.
 */
export const noteWords = (card, view, counts = false) => {
  const ticked = [...view.querySelectorAll(".tw-terms input")].map(box => box.checked)
  if (!ticked.length || !(counts || ticked.includes(true))) return () => {}
  const before = store.get(nameOf(card.id))
  const words = card.terms.map(withoutBraces)
  const times = new Map(before?.words.map((word, index) => [word, before.missed[index]]))
  store.set(nameOf(card.id), {
    words,
    missed: words.map((word, index) => (ticked[index] ? 0 : (times.get(word) ?? 0) + 1)),
    said: ticked.filter(Boolean).length,
  })
  return () => {
    if (before) store.set(nameOf(card.id), before)
    else store.remove(nameOf(card.id))
  }
}

/** How many words of a question were ticked the last time, of how many; null where none was noted. */
export const wordsOf = id => {
  const { words, said } = store.get(nameOf(id)) ?? {}
  return words ? { said, of: words.length } : null
}

/** What was left out twice in a row or more, the most often first: {id of the question, word, times}. */
export const missedWords = () => [...store.all("words")]
  .flatMap(([id, { words, missed }]) => words.map((word, index) => ({ id, word: withBraces(word), times: missed[index] })))
  .filter(({ times }) => times >= KEPT)
  .sort((one, other) => other.times - one.times)
