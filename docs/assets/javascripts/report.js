// "Report an error": which section is meant, and the text to copy where the site does not know its repository.

import { button, element } from "./shared/dom.js"

const place = document.querySelector(".tw-report")
const status = place.querySelector("[role=status]")
const article = document.getElementById("content")

let touched = null  // what the reader pressed last in the article

/** The text of the last heading above a node; "" above the first. */
const headingAbove = node => {
  let found = ""
  for (const heading of article.querySelectorAll("h1, h2, h3")) {
    if (heading !== node && !(heading.compareDocumentPosition(node) & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY))) break
    found = [...heading.childNodes].filter(one => !one.classList?.contains("headerlink")).map(one => one.textContent).join("").trim()
  }
  return found
}

/** What the report is about: the selected text's section, else that of the last press, else that of the address. */
const meant = () => {
  const selection = getSelection()
  const selected = !selection.isCollapsed && article.contains(selection.anchorNode)
  const node = selected ? selection.anchorNode : touched ?? document.getElementById(decodeURIComponent(location.hash.slice(1)))
  return { section: node ? headingAbove(node) : "", wrong: selected ? `> ${selection.toString().trim().replaceAll("\n", "\n> ")}\n\n` : "" }
}

const link = place.querySelector("a")

const fill = () => {
  const address = new URL(link.href)
  const { section, wrong } = meant()
  address.searchParams.set("page", location.origin + location.pathname)
  address.searchParams.set("section", section)
  if (wrong) address.searchParams.set("wrong", wrong)
  else address.searchParams.delete("wrong")
  link.href = address
}

const copy = async () => {
  const { section, wrong } = meant()
  const text = `Page: ${location.origin}${location.pathname}\nSection: ${section}\nVersion of the page: ${place.dataset.version}\n\n${wrong}What is wrong:\n`
  try {
    await navigator.clipboard.writeText(text)
    status.textContent = "Copied: add what is wrong, and send it to whoever runs this site."
  } catch {
    status.replaceChildren(element("textarea", { readonly: true, rows: 6, "aria-label": "Your report, to copy" }, text))
  }
}

article.addEventListener("pointerdown", ({ target }) => {
  if (!place.contains(target)) touched = target
})
if (link) for (const event of ["pointerdown", "focus", "click"]) link.addEventListener(event, fill)
else place.prepend(button("Copy an error report", copy, { quiet: true }), " ")
