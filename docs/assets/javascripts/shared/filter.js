// Filters a list of questions in the page; the choice is kept in the address, so that it can be shared.

import { readAddress, writeAddress } from "./address.js"

const SELECTS = ["level", "topic", "kind", "tag"]

// What a reader types may have hyphens for spaces, or the underscores of a function's name.
const plain = text => text.toLowerCase().replaceAll(/[\s_-]+/g, " ")

const words = text => plain(text).split(" ").filter(Boolean)

const has = (item, name, value) =>
  !value || (name === "tag" ? item.dataset.tags.split("|").includes(value) : item.dataset[name] === value)

// Each item's words: its title, its name in the sidebar, its tags, and what else people call it.
const textOf = item => {
  const { short, tags, aliases = "" } = item.dataset
  return plain([item.querySelector("a").textContent, short, tags, aliases].join(" ").replaceAll("|", " "))
}

/**
 * Filter the items of a list by the fields of a form: selects, and a text of which every word must be found.
 *
 * An option says how many questions it would give; one that would give none cannot be chosen.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLElement[]} items what is shown or hidden, with data-level, -topic, -kind, -tags, -short and -aliases.
 * @param {Object} more `groups` are hidden with all of their items; `changed(shown)` gets the items that are shown;
 *   `kept()` gives what else the address holds, by name.
 */
export const filterList = (form, items, { groups = [], changed = () => {}, kept = () => ({}) } = {}) => {
  const texts = new Map(items.map(item => [item, textOf(item)]))
  const labels = new Map([...form.querySelectorAll("option")].map(option => [option, option.textContent]))
  const value = name => form.elements[name].value
  let waiting = 0

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

  const show = () => {
    const wanted = words(value("text"))
    const found = items.filter(item => wanted.every(word => texts.get(item).includes(word)))
    const shown = new Set(found.filter(item => SELECTS.every(name => has(item, name, value(name)))))
    for (const item of items) item.hidden = !shown.has(item)
    for (const group of groups) group.hidden = !group.querySelector(".tw-question:not([hidden])")
    form.querySelector("output").textContent =
      shown.size === 0 ? "No question matches. Take one filter away." : `${shown.size} of ${items.length} questions`
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
    // A tag of a single question is no option, but pages link to it all the same.
    const tag = query.get("tag") ?? ""
    const isRare = value("tag") !== tag && items.some(item => has(item, "tag", tag))
    form.elements.text.value = query.get("text") ?? (isRare ? tag : "")
    show()
  }

  const choose = () => {
    show()
    write()
  }

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
