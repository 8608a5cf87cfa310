// Run, edit, stop and reset the programs of a page. Where they run is the engine's business.

import { button, element } from "../javascripts/shared/dom.js"
import { field } from "./field.js"

/** A failure to tell the reader as it is. */
export class Refused extends Error {}

/** The verdict on a run that its reader has stopped. */
export const STOPPED = { word: "stopped", text: "Stopped." }

/**
 * What runs programs, one at a time.
 *
 * @typedef {Object} Engine
 * @property {string} starting what is said while the first program waits.
 * @property {boolean} warm whether the next run need not wait.
 * @property {?{label: string, text: string}} offer what the first run will cost its reader, while it will: in a few
 *   words behind "Run", and in a sentence.
 * @property {function(): Promise} resume makes ready what needs no asking.
 * @property {function(string, string, Listener): Promise<Verdict>} run runs a program, given its name below snippets/ and
 *   its source, after what runs has been stopped. If the program is a judge, the source is what it judges, and the word is
 *   "passed" or not. It throws what is `Refused`.
 * @property {function(string): boolean} judges whether it can run this judge.
 * @property {function(): Promise} stop stops what runs, and waits until it has stopped.
 *
 * @typedef {{text: function(string, string), figure: function(string), wait: function(string)}} Listener
 *   called when a program prints to a stream and when it draws, and with what it waits for.
 * @typedef {{word: string, text: string, difference: ?string, seconds: ?number, torch: ?string}} Verdict
 */

const EDIT = "torch-warmup-edit:"
// What a reader writes into these is judged by a file beside them; the first is nothing to run.
const JUDGES = [
  [/^practice\/write\/[\w-]+\/(?=starter\.py$)/, { file: "judge.py", label: "Judge", only: true }],
  [/^practice\/trainers\/[\w-]+\/(?=broken\.py$)/, { file: "check.py", label: "Check", only: false }],
]

const judgeOf = program => {
  const found = JUDGES.find(([pattern]) => pattern.test(program))
  return found && { ...found[1], name: found[0].exec(program)[0] + found[1].file }
}

/** One program of the page, with its buttons and what it prints. */
class Program {
  #engine
  #changed
  #block
  #name
  #original
  #judge
  #storage
  #field = null
  #running = false
  #buttons = {
    run: button("Run", () => this.run()),
    judge: button("Judge", () => this.judge()),
    stop: button("Stop", () => this.stop(), { quiet: true }),
    edit: button("Edit", () => this.edit(), { quiet: true }),
    reset: button("Reset", () => this.reset(), { quiet: true }),
  }
  #offer = element("span", { class: "tw-run__offer" })
  #said = element("span", { class: "tw-output__with", role: "status" })
  #text = element("code")
  #figures = element("div")
  #difference = element("code")
  #fold = element("details", { class: "tw-output__other", hidden: true },
    element("summary", {}, "What differs from the recorded output"), element("pre", { tabindex: 0 }, this.#difference))
  #output = element("div", { class: "tw-output tw-run", hidden: true },
    element("p", { class: "tw-output__bar" }, element("span", { class: "tw-output__label" }, "Your run"), this.#said),
    element("pre", { tabindex: 0 }, this.#text), this.#figures, this.#fold)

  /**
   * @param {Element} block
   * @param {Engine} engine
   * @param {function()} changed called where what the engine offers may have changed.
   */
  constructor(block, engine, changed) {
    this.#engine = engine
    this.#changed = changed
    this.#block = block
    this.#name = block.dataset.program
    this.#original = block.querySelector("pre > code").textContent
    const judge = judgeOf(this.#name)
    this.#judge = judge && engine.judges(judge.name) ? judge : null
    this.#storage = this.#judge ? localStorage : sessionStorage  // an attempt is worth keeping
    const { run, stop, edit, reset } = this.#buttons
    for (const one of [stop, edit, reset]) one.ariaLabel = `${one.textContent} ${this.#file}`
    block.append(element("div", { class: "tw-run__bar" }, run, this.#buttons.judge, stop, edit, reset, this.#offer))
    block.after(this.#output)
    edit.hidden = !this.#judge  // who runs a program first knows what an edit changes; who attempts one begins with it
    const kept = this.#storage.getItem(EDIT + this.#name)
    if (kept !== null || this.#judge?.only) this.edit(kept ?? this.#original, false)
    this.show()
  }

  get #file() {
    return this.#name.split("/").at(-1)
  }

  get #source() {
    return this.#field ? this.#field.value : this.#original
  }

  get #edited() {
    return this.#source !== this.#original
  }

  /** Show the buttons that do something now. */
  show() {
    const { run, judge, stop, reset } = this.#buttons
    const { offer } = this.#engine
    for (const [one, label] of [[run, "Run"], [judge, this.#judge?.label]]) {
      one.textContent = offer ? `${label} (${offer.label})` : label
      one.ariaLabel = `${one.textContent} ${this.#file}`
    }
    this.#offer.textContent = offer?.text ?? ""
    run.hidden = this.#running || this.#judge?.only === true
    judge.hidden = this.#running || !this.#judge
    stop.hidden = !this.#running
    reset.hidden = !this.#edited
  }

  #write(stream, text) {
    this.#text.append(stream === "stderr" ? element("span", { class: "tw-run__error" }, text) : text)
  }

  #clear() {
    this.#output.hidden = false
    delete this.#output.dataset.word
    this.#text.replaceChildren()
    this.#figures.replaceChildren()
    this.#fold.hidden = true
    this.#fold.open = false
  }

  run() {
    return this.#judge?.only ? this.judge() : this.#start(this.#name, this.#buttons.run)
  }

  async judge() {
    const word = await this.#start(this.#judge.name, this.#buttons.judge)
    const judged = { detail: { passed: word === "passed" }, bubbles: true }
    if (["passed", "failed"].includes(word)) this.#block.dispatchEvent(new CustomEvent("judged", judged))
  }

  // Run this program or its judge, and return the verdict's word.
  async #start(name, pressed) {
    if (this.#running) return ""
    const hadFocus = pressed === document.activeElement
    this.#running = true
    this.#clear()
    this.show()
    if (hadFocus) this.#buttons.stop.focus()
    this.#said.textContent = this.#engine.warm ? "Running" : this.#engine.starting
    let verdict
    try {
      verdict = await this.#engine.run(name, this.#source, {
        text: (stream, text) => {
          this.#said.textContent = "Running"
          this.#write(stream, text)
        },
        figure: html => {
          const template = element("template")
          template.innerHTML = html
          this.#figures.append(template.content)
        },
        wait: text => { this.#said.textContent = text },
      })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      verdict = { word: "refused", text: error.message }
    } finally {
      const stopHadFocus = this.#buttons.stop === document.activeElement
      this.#running = false
      this.#buttons.edit.hidden = this.#field !== null
      this.#changed()
      if (stopHadFocus) pressed.focus()
    }
    this.#tell(verdict)
    return verdict.word
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
      await this.#engine.stop()
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.#said.textContent = error.message
    }
  }

  #keep(source) {
    try {
      this.#storage.setItem(EDIT + this.#name, source)
    } catch (error) {
      if (error.name !== "QuotaExceededError") throw error
      this.#said.textContent = "This browser's storage is full: what you type lasts until you leave the page."
      this.#output.hidden = false
    }
  }

  edit(text = this.#original, focus = true) {
    const keys = `Control and Enter ${this.#judge?.only ? "judge" : "run"} it, Escape and Tab leave it`
    this.#field = field(text, `Source of ${this.#file}; ${keys}`, {
      changed: source => {
        this.#keep(source)
        this.show()
      },
      run: () => this.run(),
    })
    const pre = this.#block.querySelector("pre")
    pre.hidden = true
    pre.after(this.#field)
    this.#buttons.edit.hidden = true
    this.show()
    if (focus) this.#field.focus()
  }

  reset() {
    this.#storage.removeItem(EDIT + this.#name)
    if (this.#judge?.only) {
      this.#field.value = this.#original
      this.show()
      this.#field.focus()
      return
    }
    this.#field?.remove()
    this.#field = null
    this.#block.querySelector("pre").hidden = false
    this.#buttons.edit.hidden = false
    this.show()
    this.#buttons.edit.focus()
  }
}

/**
 * Give each program of this page its buttons.
 *
 * @param {Engine} engine
 */
export const show = engine => {
  const blocks = [...document.querySelectorAll(".highlight[data-program]")]
  const changed = () => { for (const program of programs) program.show() }
  const programs = blocks.map(block => new Program(block, engine, changed))
  if (!programs.length) return
  engine.resume().then(changed).catch(error => {
    if (!(error instanceof Refused)) throw error  // the first run will say it
  })
}
