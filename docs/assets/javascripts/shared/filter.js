// Filters a list of questions in the page; the choice is kept in the address, so that it can be shared.

import { address, idOf, readAddress, writeAddress } from "./address.js"

const SELECTS = ["level", "topic", "kind", "tag"]

// What a reader types may have hyphens for spaces, or the underscores of a function's name.
const plain = text => text.toLowerCase().replaceAll(/[\s_-]+/g, " ")

const split = text => plain(text).split(" ").filter(Boolean)

// A row or the section around it says what can be chosen.
const chosenBy = item => {
  const of = name => item.closest(`[data-${name}]`)?.dataset[name] ?? ""
  return { level: [of("level")], topic: [of("topic")], kind: [of("kind")], tag: of("tags").split("|") }
}

// Names in the sidebar, tags and aliases by id: as many bytes as the titles, so only who types loads them.
const readWords = async () => {
  const response = await fetch(address("practice/words.json"))
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
  return response.json()
}

/**
 * Filter the items of a list by the fields of a form: selects, and a text of which every word must be found.
 *
 * An option says how many questions it would give; one that would give none cannot be chosen.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLElement[]} items what is shown or hidden: rows with a link; they or a section around them have data-level,
 *   -topic, -kind and -tags.
 * @param {Object} more `groups` are hidden with all of their items; `changed(shown)` gets the items that are shown;
 *   `kept()` gives what else the address holds, by name.
 */
export const filterList = (form, items, { groups = [], changed = () => {}, kept = () => ({}) } = {}) => {
  const chosen = new Map(items.map(item => [item, chosenBy(item)]))
  const has = (item, name, value) => !value || chosen.get(item)[name].includes(value)
  const words = new Map(items.map(item => [item, []]))
  const texts = new Map()
  const readTexts = () => {
    for (const item of items) texts.set(item, plain([item.querySelector("a").textContent, ...words.get(item)].join(" ")))
  }
  readTexts()
  const labels = new Map([...form.querySelectorAll("option")].map(option => [option, option.textContent]))
  const value = name => form.elements[name].value
  let waiting = 0
  let unknownTag = ""  // in the address, but no option: that of a single question, whose pages link here, becomes words
  let state = "titles alone"  // then "loading", and "complete" or "failed"

  const refreshOptions = found => {
    for (const name of SELECTS) {
      const others = SELECTS.filter(other => other !== name)
      const left = found.filter(item => others.every(other => has(item, other, value(other))))
      for (const option of form.elements[name].options) {
        const count = left.filter(item => has(item, name, option.value)).length
        option.textContent = option.value ? `${labels.get(option)} (${count})` : labels.get(option)
        // What is chosen stays a choice, or the form would not say it any more.
        option.disabled = count === 0 && !option.selected && option.value !== ""
      }
    }
  }

  const told = (count, byWords) => {
    if (byWords && state === "loading") return `${count} of ${items.length} questions so far`
    const all = count ? `${count} of ${items.length} questions` : "No question matches. Take one filter away."
    return byWords && state === "failed" ? `${all} Only titles were searched: tags and other names did not load.` : all
  }

  const load = async () => {
    state = "loading"
    try {
      const found = await readWords()
      for (const item of items) words.set(item, found[idOf(item)] ?? [])
      readTexts()
      state = "complete"
    } catch {
      state = "failed"
    }
    const isRare = !value("text") && items.some(item => words.get(item).includes(unknownTag))
    if (isRare) form.elements.text.value = unknownTag
    show()
    if (isRare) write()
  }

  const show = () => {
    const wanted = split(value("text"))
    if (wanted.length && state === "titles alone") load()
    const found = items.filter(item => wanted.every(word => texts.get(item).includes(word)))
    const shown = new Set(found.filter(item => SELECTS.every(name => has(item, name, value(name)))))
    for (const item of items) item.hidden = !shown.has(item)
    for (const group of groups) group.hidden = !group.querySelector(".tw-question:not([hidden])")
    form.querySelector("output").textContent = told(shown.size, wanted.length > 0)
    refreshOptions(found)
    changed([...shown])
  }

  const write = () => {
    clearTimeout(waiting)
    writeAddress(form, kept())
  }

  const fromAddress = () => {
    readAddress(form, SELECTS)
    const query = new URLSearchParams(location.search)
    const tag = query.get("tag") ?? ""
    unknownTag = value("tag") === tag ? "" : tag
    form.elements.text.value = query.get("text") ?? ""
    show()
    if (unknownTag && state !== "loading") load()
  }

  const choose = () => {
    unknownTag = ""
    show()
    write()
  }

  form.elements.text.addEventListener("focus", () => {
    if (state === "titles alone" || state === "failed") load()
  })
  form.addEventListener("change", choose)
  form.addEventListener("input", event => {
    if (event.target !== form.elements.text) return
    show()
    clearTimeout(waiting)
    waiting = setTimeout(write, 300)  // browsers refuse an address that changes with every key
  })
  form.addEventListener("reset", () => setTimeout(choose))
  form.addEventListener("submit", event => {
    event.preventDefault()
    write()
  })
  addEventListener("popstate", fromAddress)
  fromAddress()
  return { write }
}
