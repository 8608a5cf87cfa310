// "Copy as Markdown". Without this script, or without a clipboard, it is a link to the page's Markdown copy.
import { absolute } from "./shared/markdown.js"

const place = document.querySelector(".tw-copy")
const link = place.querySelector("a")
const status = place.querySelector("[role=status]")

const text = async () => {
  const response = await fetch(link.href)
  if (!response.ok) throw new Error(response.statusText)
  return new Blob([absolute(await response.text(), link.href)], { type: "text/plain" })
}

const copy = async () => {
  try {
    // Safari wants the call within the click: the text may follow as a promise.
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": text() })])
    status.textContent = "Copied"
    setTimeout(() => { status.textContent = "" }, 2000)
  } catch {
    location.assign(link.href)
  }
}

const button = document.createElement("button")
button.type = "button"
button.textContent = "Copy as Markdown"
button.addEventListener("click", copy)
link.replaceWith(button)
