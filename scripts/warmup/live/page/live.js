// Run, edit, stop and reset the programs of a page.

import { button, element } from "../javascripts/shared/dom.js"
import { Kernel, Refused, takeToken } from "./kernel.js"

const EDIT = "torch-warmup-live-edit:"
const kernel = new Kernel()

/** One program of the page, with its buttons and what it prints. */
class Program {
  #block
  #name
  #original
  #field = null
  #running = false
  #buttons = {
    run: button("Run", () => this.run()),
    stop: button("Stop", () => this.stop(), { quiet: true }),
    edit: button("Edit", () => this.edit(), { quiet: true }),
    reset: button("Reset", () => this.reset(), { quiet: true }),
  }
  #said = element("span", { class: "tw-output__with", role: "status" })
  #text = element("code")
  #figures = element("div")
  #difference = element("code")
  #fold = element("details", { class: "tw-output__other", hidden: true },
    element("summary", {}, "What differs from the recorded output"), element("pre", { tabindex: 0 }, this.#difference))
  #output = element("div", { class: "tw-output tw-live", hidden: true },
    element("p", { class: "tw-output__bar" }, element("span", { class: "tw-output__label" }, "Your run"), this.#said),
    element("pre", { tabindex: 0 }, this.#text), this.#figures, this.#fold)

  constructor(block) {
    this.#block = block
    this.#name = block.dataset.program
    this.#original = block.querySelector("pre > code").textContent
    const { run, stop, edit, reset } = this.#buttons
    const file = this.#name.split("/").at(-1)
    for (const [word, one] of Object.entries(this.#buttons)) {
      one.ariaLabel = `${word[0].toUpperCase()}${word.slice(1)} ${file}`
    }
    block.append(element("div", { class: "tw-live__bar" }, run, stop, edit, reset))
    block.after(this.#output)
    edit.hidden = true
    const kept = sessionStorage.getItem(EDIT + this.#name)
    if (kept !== null) this.edit(kept, false)
    this.#show()
  }

  get #source() {
    return this.#field ? this.#field.value : this.#original
  }

  get #edited() {
    return this.#source !== this.#original
  }

  #show() {
    const { run, stop, reset } = this.#buttons
    run.hidden = this.#running
    stop.hidden = !this.#running
    reset.hidden = !this.#edited
  }

  #write(stream, text) {
    this.#text.append(stream === "stderr" ? element("span", { class: "tw-live__error" }, text) : text)
  }

  #clear() {
    this.#output.hidden = false
    delete this.#output.dataset.word
    this.#text.replaceChildren()
    this.#figures.replaceChildren()
    this.#fold.hidden = true
    this.#fold.open = false
  }

  async run() {
    if (this.#running) return
    const hadFocus = this.#buttons.run === document.activeElement
    this.#running = true
    this.#clear()
    this.#show()
    if (hadFocus) this.#buttons.stop.focus()
    this.#said.textContent = kernel.warm ? "Running" : "Starting Python and torch, once for this tab"
    let verdict
    try {
      verdict = await kernel.run(this.#name, this.#source, {
        text: (stream, text) => {
          this.#said.textContent = "Running"
          this.#write(stream, text)
        },
        figure: html => {
          const template = element("template")
          template.innerHTML = html
          this.#figures.append(template.content)
        },
      })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      verdict = { word: "refused", text: error.message }
    } finally {
      const stopHadFocus = this.#buttons.stop === document.activeElement
      this.#running = false
      this.#buttons.edit.hidden = this.#field !== null
      this.#show()
      if (stopHadFocus) this.#buttons.run.focus()
    }
    this.#tell(verdict)
  }

  #tell({ word, text, difference = "", seconds, torch }) {
    const how = torch ? ` torch ${torch}, ${seconds.toFixed(2)} s` : ""
    const judged = this.#edited && ["equal", "numbers", "different"].includes(word)
    this.#said.textContent = `${judged ? "Edited. " : ""}${text}${how}`
    this.#difference.textContent = difference
    this.#fold.hidden = !difference
    this.#output.dataset.word = word
  }

  async stop() {
    try {
      await kernel.stop()
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.#said.textContent = error.message
    }
  }

  edit(text = this.#original, focus = true) {
    const rows = text.split("\n").length + 1
    this.#field = element("textarea", {
      class: "tw-live__source", rows, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
      "aria-label": `Source of ${this.#name.split("/").at(-1)}; Control and Enter run it`,
    })
    this.#field.value = text
    this.#field.addEventListener("input", () => {
      sessionStorage.setItem(EDIT + this.#name, this.#field.value)
      this.#field.rows = this.#field.value.split("\n").length + 1
      this.#show()
    })
    this.#field.addEventListener("keydown", event => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      this.run()
    })
    const pre = this.#block.querySelector("pre")
    pre.hidden = true
    pre.after(this.#field)
    this.#buttons.edit.hidden = true
    this.#show()
    if (focus) this.#field.focus()
  }

  reset() {
    sessionStorage.removeItem(EDIT + this.#name)
    this.#field?.remove()
    this.#field = null
    this.#block.querySelector("pre").hidden = false
    this.#buttons.edit.hidden = false
    this.#show()
    this.#buttons.edit.focus()
  }
}

takeToken()
const blocks = document.querySelectorAll(".highlight[data-program]")
for (const block of blocks) new Program(block)
if (blocks.length) {
  kernel.resume().catch(error => {
    if (!(error instanceof Refused)) throw error  // the first run will say it
  })
}
