// Python in this browser. It is downloaded after a click, from where this page came from, and kept.
//
// The page has the hash of a list of files, which has the hash of each, and it has the hash of its judge. It reads and
// compares all of them, and hands their bytes to a frame that can reach nothing. What comes back may be anything, because
// a program can change the Python in which it runs: only what was printed counts, and the page itself compares that.

import { Refused, STOPPED } from "../programs/programs.js"
import { compared, judged } from "./compared.js"
import { Frame } from "./frame.js"
import { isKept, judge, release } from "./kept.js"

const LIMIT = 256 * 1024  // characters that a program may print
const SILENT = 64  // characters as which a message counts that prints none: it takes time, too
// And one with what no message has, which may be of any size; nine times as many where these took long, and that is all.
const ODD = LIMIT / 8
const FLOOD = { word: "failed", text: "Printed more than 256 KiB and was stopped." }

const megabytes = bytes => `${Math.max(1, Math.round(bytes / 1e6))} MB`

/** Python in this browser, for as long as the page is open. */
export class Browser {
  #release
  #bytes
  #torch
  #records = new Map()
  #judges = new Map()  // by the judge's name: its hash, and what it prints for the right answer
  #loading = null
  #frame = null
  #abort = null
  #run = null
  #unasked = 0  // characters that came while nothing ran

  warm = false
  starting = "Starting Python and torch, once for this page"
  offer
  judges = name => this.#judges.has(name)

  constructor() {
    const { release: hash, bytes, torch } = document.querySelector("meta[name=tw-wasm]").dataset
    this.#release = hash
    this.#bytes = Number(bytes)
    this.#torch = torch
    for (const { dataset: { program, record, judge: name, integrity, judged: accepted } } of document.querySelectorAll("[data-program]")) {
      if (record !== undefined) this.#records.set(program, record)
      if (name) this.#judges.set(name, { integrity, record: accepted })
    }
    this.offer = {
      label: `${megabytes(this.#bytes)} download`,
      text: "It is downloaded once, and the program then runs on this device only.",
    }
  }

  /** Whether all was kept at an earlier visit. */
  async resume() {
    if (await isKept(this.#release)) this.offer = null
  }

  #load() {
    if (!this.#loading) {
      const loading = this.#loading = this.#start()
      loading.catch(() => { if (this.#loading === loading) this.#end() })
    }
    return this.#loading
  }

  async #start() {
    const { signal } = this.#abort = new AbortController()
    const files = await release(this.#release, signal, bytes =>
      this.#run?.on.wait(bytes < this.#bytes
        ? `Downloaded ${megabytes(bytes)} of ${megabytes(this.#bytes)}` : this.starting))
    signal.throwIfAborted()
    this.offer = null
    await new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason))
      this.#frame = new Frame(files, message => {
        if (message?.type === "ready" && !this.warm) resolve()
        else if (message?.type === "broken") {
          const error = new Refused(`Python ended: ${typeof message.text === "string" ? message.text.slice(0, 500) : "it could not be loaded."}`)
          reject(error)
          this.#fail(error)
        } else this.#take(message ?? {})
      })
    })
    this.warm = true
  }

  #take({ id, type, stream, text, code, odd }) {
    const run = this.#run
    const told = typeof text === "string" ? text : ""
    const own = Boolean(run?.begun) && id === run.id
    const counts = told.length + (odd ? odd * ODD : own && type === "text" && told ? 0 : SILENT)
    if (!run?.begun) {
      // What a program has left behind goes on in its Python, and could fill the page's memory.
      if ((this.#unasked += counts) > LIMIT) {
        this.#end()
        this.#finish(FLOOD)  // where the next run waits for its judge
      }
      return
    }
    const left = run.left
    run.left -= counts
    if (own && type === "text" && told) {
      const some = told.slice(0, Math.max(0, left))
      if (stream === "stdout") run.printed += some
      run.on.text(stream === "stdout" ? "stdout" : "stderr", some)
    }
    if (own && type === "done") {
      this.#finish({ ...run.verdict(run.printed, Number(code)), seconds: (performance.now() - run.begun) / 1000, torch: this.#torch })
    } else if ((own && type === "flood") || run.left < 0) {
      this.#end()
      this.#finish(FLOOD)
    }
  }

  #finish(verdict) {
    const run = this.#run
    this.#run = null
    run?.resolve(verdict)
  }

  #fail(error) {
    const run = this.#run
    this.#run = null
    this.#end()
    run?.reject(error)
  }

  /** End Python and whatever is still on its way. */
  #end() {
    this.#abort?.abort()
    this.#frame?.end()
    this.#frame = this.#abort = this.#loading = null
    this.#unasked = 0
    this.warm = false
  }

  /** The judge that is meant if it is one, and how the output becomes a verdict. */
  async #prepared(program) {
    const known = this.#judges.get(program)
    if (!known) {
      const name = program.split("/").at(-1)
      return { verdict: (printed, code) => compared(name, this.#records.get(program), printed, code) }
    }
    const text = await judge(program, known.integrity, new AbortController().signal)
    return { judge: text, verdict: printed => judged(known.record, printed) }
  }

  run(program, source, on) {
    // What waits for Python need not end it; what runs cannot be stopped otherwise.
    if (this.#run?.begun) this.#end()
    this.#finish(STOPPED)
    return new Promise((resolve, reject) => {
      const run = this.#run = { on, resolve, reject, begun: 0, printed: "", left: LIMIT }
      Promise.all([this.#prepared(program), this.#load()]).then(([{ judge: text, verdict }]) => {
        if (this.#run !== run) return
        Object.assign(run, { id: crypto.randomUUID(), begun: performance.now(), verdict })
        this.#frame.send({ id: run.id, program, source, judge: text })
      }).catch(error => {
        if (this.#run === run) this.#fail(error)
      })
    })
  }

  async stop() {
    if (!this.#run) return
    this.#end()
    this.#finish(STOPPED)
  }
}
