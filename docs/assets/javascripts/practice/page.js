// What the practice pages share: building elements, loading cards, keys, notices, files.

import { store } from "./store.js"

/** Address of a file below the site's root. */
export const address = path => new URL(`../../../${path}`, import.meta.url)

/**
 * An element. Strings become text, never markup.
 *
 * @param {string} tag
 * @param {Object} properties attributes by name; `on…` are listeners; true is an attribute without a value; null,
 *   undefined and false leave it out.
 * @param {...(Node|string|Array|null|undefined|false)} children
 */
export const element = (tag, properties = {}, ...children) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value)
    else if (value === true) made.setAttribute(name, "")
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value)
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false))
  return made
}

/** "1 card", "2 cards". */
export const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`

/** A button that calls `act`; `key` names the key that does the same. */
export const button = (text, act, { key, quiet = false } = {}) =>
  element("button", { type: "button", class: quiet ? "tw-button tw-button--quiet" : "tw-button", onclick: act },
    text, key && element("kbd", { "aria-hidden": "true" }, key))

/** Nodes of a fragment from cards.json or proofs.json. It is a part of a question's page (scripts/warmup/cards.py); nothing else belongs in here. */
export const fragment = html => {
  const template = document.createElement("template")
  template.innerHTML = html
  return template.content
}

const load = async path => {
  const response = await fetch(address(path))
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

/**
 * The cards, with `byId`; `proof(id)` resolves to {run, next: [{question, answer}]}. Proofs are most of the bytes:
 * they come in the background, so that a page works without a network from then on.
 *
 * @throws {Error} they could not be loaded.
 */
export const loadCards = async () => {
  const bank = await load("practice/cards.json")
  let proofs = null
  const loadProofs = () => (proofs ??= load("practice/proofs.json").catch(error => {
    proofs = null  // the next card asks again
    throw error
  }))
  loadProofs().catch(() => {})
  return {
    ...bank,
    byId: new Map(bank.cards.map(card => [card.id, card])),
    proof: async id => (await loadProofs())[id],
  }
}

/** Where a card stands, as people read it: "Junior · Autograd · Concept". */
export const place = (bank, card) => {
  const topic = bank.topics.find(one => one.id === card.topic)
  return [bank.levels[card.level], topic?.label, bank.kinds[card.kind]].filter(Boolean).join(" · ")
}

/** Show a card's proof in `box` once it is there, with folds open and what scrolls reachable by keyboard. */
export const showProof = async (box, bank, card) => {
  box.replaceChildren(element("p", { class: "tw-quiet" }, "Loading the proof…"))
  try {
    const { run } = await bank.proof(card.id)
    box.replaceChildren(fragment(run))
    for (const fold of box.querySelectorAll("details")) fold.open = true
  } catch {
    box.replaceChildren(element("p", {}, "The proof could not be loaded. ",
      element("a", { href: card.url }, "It is on the question's page."), " ",
      button("Try again", () => showProof(box, bank, card), { quiet: true })))
  }
}

const TYPING = "input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]"

/**
 * Single keys for the part of the page that has the focus, before the site's own (search, next page) see them.
 *
 * @param {HTMLElement} root keys count while the focus is in here and not in a field.
 * @param {(key: string, event: KeyboardEvent) => boolean} act does what the key means and returns whether it meant anything.
 */
export const shortcuts = (root, act) => {
  addEventListener("keydown", event => {
    const { target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (!root.contains(target) || target.matches(TYPING)) return
    // A focused control keeps the keys that work it.
    if (["Enter", " "].includes(event.key) && target.closest("button, a, summary, label, input")) return
    if (event.key.startsWith("Arrow") && target.matches("input[type=radio]")) return
    if (act(event.key, event)) {
      event.preventDefault()
      event.stopPropagation()
    }
  }, { capture: true })
}

/** Show what the store has to say in `box` (role="status"), now and after every change. */
export const showNotices = box => {
  const show = () => {
    const { notice } = store
    if (box.dataset.shown === (notice?.text ?? "")) return
    box.dataset.shown = notice?.text ?? ""
    box.hidden = !notice
    box.replaceChildren(...(notice ? [
      element("p", {}, notice.text),
      notice.copy && element("p", {}, button(
        "Save what was stored", () => save("torch-warmup-damaged.txt", notice.copy, "text/plain"), { quiet: true })),
    ].filter(Boolean) : []))
  }
  store.addEventListener("change", show)
  show()
}

/** Hand the reader a text as a file. */
export const save = (name, text, type) => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  element("a", { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Replace `box` by a message that a loading failed, with a way to try again. */
export const failed = (box, again) => {
  box.replaceChildren(element("p", {}, "The questions could not be loaded. Check the connection. ",
    button("Try again", again)))
  box.hidden = false
}

// Have the practice pages kept for when there is no network (docs/practice/offline.js). Some private windows refuse.
const { serviceWorker } = navigator
if (serviceWorker) {
  serviceWorker.addEventListener("message", () => {
    for (const box of document.querySelectorAll("[data-offline]")) box.hidden = false
  })
  // On a first visit, and after one with another worker, the one that answers is not there yet when the page asks.
  serviceWorker.addEventListener("controllerchange", () => serviceWorker.controller?.postMessage("keep"))
  addEventListener("load", async () => {
    try {
      const { active } = await serviceWorker.register(address("practice/offline.js"), { scope: address("practice/") })
      active?.postMessage("keep")
    } catch { /* the pages need the network then */ }
  })
}
