// Progress that goes to another device: as a QR code, or as the link in it; and what such a link brings.

import { address } from "../../shared/address.js"
import { button, element, fragment } from "../../shared/dom.js"
import { entriesText, store } from "../../shared/store.js"
import { fragmentOf, textOf } from "./carry.js"
import { qr } from "./qr.js"

const LARGEST = 30  // versions above have modules that are too small for many a phone's camera
const QUIET = 4  // modules of white around the code

const app = document.getElementById("progress")
const box = app.querySelector(".tw-qr")
const offer = app.querySelector(".tw-offer")

const entriesIn = text => Object.values(JSON.parse(text).entries).filter(({ gone }) => !gone).length

const drawn = rows => {
  const size = rows.length + 2 * QUIET
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : ""))).join("")
  return fragment(`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the link" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`)
}

/** Show the code, or say why there is none. */
const show = async () => {
  const text = store.export()
  const count = entriesIn(text)
  const link = new URL(`#${await fragmentOf(text)}`, address("practice/")).href
  const rows = count > 0 && qr(new TextEncoder().encode(link), LARGEST)
  box.hidden = false
  box.replaceChildren(...(rows
    ? [drawn(rows), element("p", {}, "Open this code on the other device; there you are asked before anything is added. It has ",
      `${entriesText(count)}, and so has `, element("a", { href: link }, "its link"),
      ". Nothing of it is sent to a server.")]
    : [element("p", {}, count
      ? `Your ${entriesText(count)} do not fit into a code that a camera reads well. Write them to a file instead.`
      : "There is no progress to carry yet.")]))
}

app.querySelector("[data-do=qr]").addEventListener("click", show)
store.addEventListener("change", () => { box.hidden = true })  // it would show what was

/** Offer what the address brings; the address then is the page's own again. */
const receive = async () => {
  let text = null
  try {
    text = await textOf(location.hash)
    if (text === null) return
    const count = entriesIn(text)
    offer.replaceChildren(
      element("p", {}, `This link carries ${entriesText(count)} of progress. Reading it adds to what is here, and the later answer to a card wins.`),
      element("p", {}, button("Add it", () => answer(() => store.import(text))), " ", button("Leave it", () => answer(() => "Nothing was added."), { quiet: true })))
  } catch {
    offer.replaceChildren(element("p", {}, "This link was to carry progress, and it is damaged: it may have been cut off. Nothing was added."))
  }
  history.replaceState(null, "", location.pathname + location.search)
  offer.hidden = false
  offer.tabIndex = -1
  offer.focus({ preventScroll: true })
  offer.scrollIntoView({ block: "center" })
}

const answer = act => {
  try {
    offer.replaceChildren(element("p", {}, act()))
  } catch (error) {
    offer.replaceChildren(element("p", {}, error.message))
  }
  offer.focus({ preventScroll: true })
}

addEventListener("hashchange", receive)
receive()
