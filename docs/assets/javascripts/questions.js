// Filters the list of questions in the page; the choice is kept in the address, so that it can be shared.

import { readAddress, writeAddress } from "./shared/address.js"

const form = document.querySelector(".tw-filter")
const items = [...document.querySelectorAll(".tw-question")]
const groups = [...document.querySelectorAll(".tw-group")]
const names = ["level", "topic", "kind", "tag"]

const matches = (item, chosen) =>
  names.every(name => {
    const value = chosen.get(name)
    if (!value) return true
    return name === "tag" ? item.dataset.tags.split("|").includes(value) : item.dataset[name] === value
  })

const show = () => {
  const chosen = new FormData(form)
  let count = 0
  for (const item of items) {
    item.hidden = !matches(item, chosen)
    if (!item.hidden) count += 1
  }
  for (const group of groups) group.hidden = !group.querySelector(".tw-question:not([hidden])")
  form.querySelector("output").textContent =
    count === 0 ? "No question matches. Take one filter away." : `${count} of ${items.length} questions`
}

const fromAddress = () => {
  readAddress(form, names)
  show()
}

const changed = () => {
  writeAddress(form)
  show()
}

form.addEventListener("change", changed)
form.addEventListener("reset", () => setTimeout(changed))
form.addEventListener("submit", event => event.preventDefault())
addEventListener("popstate", fromAddress)
fromAddress()
