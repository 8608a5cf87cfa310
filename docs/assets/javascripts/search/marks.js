// On a page that somebody comes to from the search: the words that were found are marked.
//
// The address names them, `?h=clip.clipping gradient.gradients`: for each word that was typed, its forms on this page.

import { button, counted, element } from "../shared/dom.js"
import { words } from "./words.js"

const BLOCK = "p, li, td, th, dt, dd, h1, h2, h3, h4, pre, summary, figcaption"
// What a puzzle keeps back, what is not shown, what is drawn, and what a reader fills in.
const LEFT_ALONE = "[hidden], .tw-answer, .tw-guesses, .headerlink, svg, math, script, style, textarea, select, button, nav, .tw-marks"

/** For each word of the address, in small letters, the number of the one that was typed. */
const wanted = text => new Map(text.split(" ").flatMap((forms, number) => forms.split(".").map(form => [form.toLowerCase(), number])))

/** Mark the words within an element. */
const markIn = (root, numbers) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const texts = []
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(LEFT_ALONE)) texts.push(walker.currentNode)
  return texts.flatMap(text => words(text.data).toReversed().flatMap(({ text: word, at }) => {
    const number = numbers.get(word.toLowerCase())
    if (number === undefined) return []
    const rest = text.splitText(at)
    rest.splitText(word.length)
    const made = element("mark", { "data-word": String(number) })
    rest.replaceWith(made)
    made.append(rest)
    return [made]
  }).toReversed())
}

/** The blocks that have most of what was asked for, in the order of the page. */
const best = marks => {
  const blocks = new Map()
  for (const mark of marks) {
    const block = mark.closest(BLOCK) ?? mark
    blocks.set(block, (blocks.get(block) ?? new Set()).add(mark.dataset.word))
  }
  const most = Math.max(...[...blocks.values()].map(({ size }) => size))
  return [...blocks].filter(([, { size }]) => size === most).map(([block]) => block)
}

const arrive = root => {
  const url = new URL(location)
  const numbers = wanted(url.searchParams.get("h"))
  url.searchParams.delete("h")
  history.replaceState(history.state, "", url)
  const marks = markIn(root, numbers)
  if (!marks.length) return
  const blocks = best(marks)
  for (const block of blocks) {
    const inName = block.matches("summary") && block.parentElement
    for (let fold = (inName || block).closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true
  }
  if (!url.hash && blocks[0].getBoundingClientRect().bottom > innerHeight * 0.9) blocks[0].scrollIntoView({ block: "center" })

  const remove = () => {
    for (const mark of marks) {
      const parent = mark.parentNode
      mark.replaceWith(...mark.childNodes)
      parent?.normalize()
    }
    if (notice.contains(document.activeElement)) root.focus({ preventScroll: true })
    notice.remove()
    removeEventListener("keydown", onKey)
  }
  const onKey = event => {
    if (event.key === "Escape" && !document.getElementById("__search")?.checked) remove()
  }
  const notice = element("div", { class: "tw-marks", role: "group", "aria-label": "Found words" },
    element("span", { role: "status" }, `${counted(marks.length, "word")} marked`), button("Remove", remove, { key: "Esc", quiet: true }))
  addEventListener("keydown", onKey)
  document.body.append(notice)
}

const content = document.getElementById("content")
// Only once the page's own scripts have run is it decided what it shows.
if (content && document.readyState === "complete") arrive(content)
else if (content) addEventListener("load", () => arrive(content), { once: true })
