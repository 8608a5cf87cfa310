// The programs. Which there are is listed in the page; what they are is on a page for each topic, loaded when one of
// its programs is due.

import { element } from "../../shared/dom.js"
import { store } from "../../shared/store.js"

const list = document.querySelector(".tw-app .tw-puzzles")

/**
 * As they are asked: level by level, and in a level one topic after another takes its turn, that with the most programs
 * left first, so that two of one topic follow each other only where there is no other.
 *
 * @param {{level: string, topic: string}[]} listed in the order of the site.
 */
export const inTurn = listed => {
  const found = []
  for (const ofLevel of Map.groupBy(listed, puzzle => puzzle.level).values()) {
    const topics = [...Map.groupBy(ofLevel, puzzle => puzzle.topic).values()]
    let last = null
    for (let left = ofLevel.length; left > 0; left -= 1) {
      const others = topics.filter(topic => topic !== last && topic.length > 0)
      if (others.length) last = others.reduce((most, topic) => (topic.length > most.length ? topic : most))
      found.push(last.shift())
    }
  }
  return found
}

/** All, as they are asked; `parts` is null until they are loaded. */
export const puzzles = inTurn([...list.querySelectorAll("section")].flatMap(section => {
  const { level, topic, url } = section.dataset
  return [...section.querySelectorAll("li")].map(({ id }) => ({ slug: id, level, topic, url, parts: null }))
}))

/** Names of the list's headings. A link to one, such as Material's that skips to the content, means what stands there now. */
export const headings = new Set([...list.querySelectorAll("h2[id]")].map(({ id }) => id))
list.remove()

export const entryOf = puzzle => store.get(`puzzle:${puzzle.slug}`)

/**
 * What is the same output: spacing and line breaks do not count. As squeeze() in scripts/warmup/kinds/puzzles.py,
 * which sees to it that no two outputs of a puzzle are the same by it. An apostrophe that a phone has curled is one
 * that was typed.
 */
export const squeeze = text =>
  text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').trim().replace(/\s+/g, " ").replace(/ ?([[\](){},:=]) ?/g, "$1")

// Material has such a button for code that is there when a page is opened, and works those that come later, too.
const copyButton = code => element("nav", { class: "md-code__nav" }, element("button", {
  class: "md-code__button", title: "Copy to clipboard", "data-clipboard-text": code.textContent, "data-md-type": "copy",
}))

/** What is in a puzzle's section; its fold with the answer becomes a part of the page that is shown when it is due. */
const partsOf = section => {
  const heading = section.querySelector("h2")
  const fieldset = section.querySelector("fieldset")
  const fold = section.querySelector(".tw-answer")
  fold.querySelector("summary").remove()
  const answer = element("div", { class: "tw-answer", role: "group", "aria-label": "Answer", tabindex: "-1", hidden: true }, [...fold.childNodes])
  fold.replaceWith(answer)
  heading.tabIndex = -1
  for (const code of section.querySelectorAll("pre > code")) code.before(copyButton(code))
  const labels = [...fieldset.querySelectorAll("label")]
  labels.forEach((one, index) => one.append(element("kbd", { "aria-hidden": "true" }, String(index + 1))))
  return {
    section, heading, fieldset, labels, answer,
    key: Number(section.dataset.key),
    radios: labels.map(one => one.querySelector("input")),
    outputs: labels.map(one => squeeze(one.querySelector("code").textContent)),
    mistakes: [...answer.querySelectorAll(".tw-mistake")],
  }
}

// What the page's links are relative to is not what this page's are. Those within the page name a program here, too.
const resolve = (section, base) => {
  for (const name of ["href", "src"]) {
    for (const one of section.querySelectorAll(`[${name}]`)) {
      const value = one.getAttribute(name)
      if (!value.startsWith("#")) one.setAttribute(name, new URL(value, base).href)
    }
  }
}

const loadTopic = async url => {
  const base = new URL(url, document.baseURI)
  const response = await fetch(base)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  for (const section of page.querySelectorAll(".tw-puzzle")) {
    const puzzle = puzzles.find(({ slug }) => slug === section.querySelector("h2").id)
    resolve(section, base)
    if (puzzle) puzzle.parts = partsOf(document.importNode(section, true))
  }
}

const topics = new Map()  // by address, each a promise

/**
 * Load a puzzle's parts, and with it the others of its topic, if they are not there yet.
 *
 * @throws {Error} it could not be loaded; the next call tries again.
 */
export const load = async puzzle => {
  const { url, slug } = puzzle
  if (!topics.has(url)) topics.set(url, loadTopic(url))
  try {
    await topics.get(url)
    if (!puzzle.parts) throw new Error(`${url} has no ${slug}`)
  } catch (error) {
    topics.delete(url)
    throw error
  }
}
