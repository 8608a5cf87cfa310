// How many cards are due, for pages that do not load the cards.
//
// A card outlives its page: a release may rename or drop a question, and what was learned of it stays stored, as another
// release may bring it back. Only who has loaded the cards knows that there is nothing to ask, and leaves word of it here.

import { store } from "../../shared/store.js"
import { isDue } from "../shared/fsrs.js"
import { suspended } from "./suspended.js"

const PLACE = "place:flashcards-gone"

const gone = () => store.get(PLACE)?.ids ?? ""

/** Keep which of the stored cards this release does not have. */
export const noteGone = bank => {
  const ids = [...store.all("card").keys()].filter(id => !bank.byId.has(id)).join(",")
  if (ids !== gone()) store.set(PLACE, { ids })
}

/** How many cards are due that can be asked. */
export const countDue = () => {
  const unknown = new Set([...String(gone()).split(","), ...suspended()])
  return [...store.all("card")].filter(([id, memory]) => isDue(memory, Date.now()) && !unknown.has(id)).length
}
