// The report of the words that one keeps leaving out.

import { element } from "../../shared/dom.js"
import { store } from "../../shared/store.js"
import { loadCards } from "../shared/cards.js"
import { missedWords } from "../shared/words.js"

const box = document.getElementById("words")
let loading = null  // the cards, which only this report needs here

const refresh = async () => {
  const missed = missedWords()
  box.hidden = missed.length === 0
  if (!missed.length) return
  loading ??= loadCards().catch(() => null)
  const bank = await loading
  if (!bank) loading = null
  box.querySelector("tbody").replaceChildren(...missed.map(({ id, word, times }) => {
    const card = bank?.byId.get(id)
    return element("tr", {},
      element("th", { scope: "row" }, word),
      element("td", {}, card ? element("a", { href: card.url }, card.title) : id),
      element("td", { class: "tw-number" }, String(times)))
  }))
}

store.addEventListener("change", refresh)
refresh()
