// Python in a worker of this page. It is downloaded after a click, from where this page came from, and kept.
//
// The page has the hash of a list of files, and the list has the hash of each: the browser checks them as they arrive.
// Each is kept under its hash, so that another release of the site downloads only what is new in it, and so that no
// network is needed later.

import { address } from "../javascripts/shared/address.js"
import { Refused } from "../programs/programs.js"

const FOLDER = new URL("../pyodide/", import.meta.url)
const LIST = "files.json"
// All sites of a host share its caches.
const CACHE = `torch-warmup-wasm ${address("").pathname}`
const TYPES = { wasm: "application/wasm", mjs: "text/javascript", js: "text/javascript", json: "application/json" }
const STOPPED = { word: "stopped", text: "Stopped." }

/** The program that judges a source: the judge as this site publishes it, which is kept for when there is no network. */
const judgment = async (program, source) => {
  const url = address(`snippets/${program}`)
  const cache = await kept()
  let response
  try {
    response = await fetch(url, { cache: "no-cache" })
    if (response.ok) await cache?.put(url, response.clone()).catch(() => {})
  } catch {
    response = await cache?.match(url)
  }
  if (!response?.ok) throw new Refused("The judge could not be downloaded. Is there a network?")
  // JSON's strings are Python's, but for the escapes of characters outside the basic plane, which Python has to join.
  const [judge, solution] = [await response.text(), source].map(
    text => `__import__("json").loads(${JSON.stringify(JSON.stringify(text))})`)
  return `import sys
import types

judge = sys.modules["judge"] = types.ModuleType("judge")
judge.__file__ = "judge.py"
exec(compile(${judge}, "judge.py", "exec"), vars(judge))
verdict = judge.judge.judge(${solution}, "solution.py")
print(judge.told(judge.judge, verdict))
raise SystemExit(not verdict.passed)
`
}

const judged = ({ code, ...rest }) => code === 0
  ? { ...rest, word: "passed", text: "Passed." } : { ...rest, word: "failed", text: "Not yet." }

const megabytes = bytes => `${Math.max(1, Math.round(bytes / 1e6))} MB`

/** What this browser keeps; null where it refuses to, as some private windows do. */
const kept = async () => {
  try {
    return await caches.open(CACHE)
  } catch {
    return null
  }
}

const keyOf = (name, integrity) => new URL(`${encodeURIComponent(name)}?${encodeURIComponent(integrity)}`, FOLDER).href

const download = async (name, integrity, signal) => {
  const url = new URL(encodeURIComponent(name), FOLDER)
  let response
  try {
    response = await fetch(url, { integrity, signal, cache: "no-cache" })
  } catch (error) {
    if (signal.aborted) throw error
    // A browser says the same of a wrong hash and of no network. Without the hash, only the second fails.
    const there = await fetch(url, { method: "HEAD", signal, cache: "no-store" }).catch(() => null)
    throw new Refused(there?.ok
      ? `${name} is not the file that this page asks for, so it is not used. Reload the page and try again.`
      : `${name} could not be downloaded. Is there a network?`)
  }
  if (!response.ok) throw new Refused(`${name} could not be downloaded: the server answers ${response.status}.`)
  return response
}

/** A file, from what is kept or else from the network. */
const file = async (cache, name, integrity, signal) => {
  const key = keyOf(name, integrity)
  let response = await cache?.match(key)
  if (!response) {
    response = await download(name, integrity, signal)
    await cache?.put(key, response.clone()).catch(() => {})  // where storage is full, it is downloaded again next time
  }
  const blob = await response.blob()
  return blob.slice(0, blob.size, TYPES[name.split(".").at(-1)] ?? "application/octet-stream")
}

/** All files of the release, and nothing else kept. */
const allFiles = async (release, signal, arrived) => {
  const cache = await kept()
  const list = JSON.parse(await (await file(cache, LIST, release, signal)).text())
  const names = Object.keys(list)
  let bytes = 0
  const blobs = await Promise.all(names.map(async name => {
    const blob = await file(cache, name, list[name].integrity, signal)
    arrived(bytes += list[name].bytes)
    return blob
  }))
  const wanted = new Set([keyOf(LIST, release), ...names.map(name => keyOf(name, list[name].integrity))])
  for (const { url } of await cache?.keys() ?? []) {
    if (url.startsWith(FOLDER.href) && !wanted.has(url)) await cache.delete(url)
  }
  return Object.fromEntries(names.map((name, index) => [name, blobs[index]]))
}

/** Python in this browser, for as long as the page is open. */
export class Browser {
  #release
  #bytes
  #records
  #loading = null
  #worker = null
  #abort = null
  #run = null

  warm = false
  starting = "Starting Python and torch, once for this page"
  offer
  judges = name => name.endsWith("/judge.py")  // a check starts processes, of which there are none here

  constructor() {
    const { release, bytes } = document.querySelector("meta[name=tw-wasm]").dataset
    this.#release = release
    this.#bytes = Number(bytes)
    this.#records = new Map([...document.querySelectorAll("[data-record]")].map(
      ({ dataset: { program, record } }) => [program, record]))
    this.offer = {
      label: `${megabytes(this.#bytes)} download`,
      text: "It is downloaded once, and the program then runs on this device only.",
    }
  }

  /** Whether all was kept at an earlier visit: then there is nothing to download. */
  async resume() {
    const list = await (await kept())?.match(keyOf(LIST, this.#release))
    if (!list) return
    const cache = await kept()
    const found = await Promise.all(Object.entries(await list.json()).map(
      ([name, { integrity }]) => cache.match(keyOf(name, integrity))))
    if (found.every(Boolean)) this.offer = null
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
    const files = await allFiles(this.#release, signal, bytes =>
      this.#run?.on.wait(bytes < this.#bytes
        ? `Downloaded ${megabytes(bytes)} of ${megabytes(this.#bytes)}` : this.starting))
    signal.throwIfAborted()
    this.offer = null
    const url = URL.createObjectURL(files["worker.js"])
    const worker = this.#worker = new Worker(url, { type: "module" })
    await new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason))
      const broken = text => {
        const error = new Refused(`Python ended: ${text}`)
        reject(error)
        this.#fail(error)
      }
      worker.addEventListener("error", event => broken(event.message ?? "it could not be loaded."))
      worker.addEventListener("message", ({ data }) => {
        if (data.type === "ready") resolve()
        else if (data.type === "broken") broken(data.text)
        else this.#take(data)
      })
      worker.postMessage({ type: "load", base: FOLDER.href, files })
    })
    URL.revokeObjectURL(url)
    this.warm = true
  }

  #take({ type, stream, text, verdict }) {
    const run = this.#run
    if (type === "text") run?.on.text(stream, text)
    else if (type === "done") this.#finish(verdict)
    else if (type === "flood") {
      this.#end()
      this.#finish({ word: "failed", text: "Printed more than 256 KiB and was stopped." })
    }
  }

  #finish(verdict) {
    const run = this.#run
    this.#run = null
    run?.resolve(run.judges && "code" in verdict ? judged(verdict) : verdict)
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
    this.#worker?.terminate()
    this.#worker = this.#abort = this.#loading = null
    this.warm = false
  }

  run(program, source, on) {
    // What waits for Python need not end it; what runs cannot be stopped otherwise.
    if (this.#run?.begun) this.#end()
    this.#finish(STOPPED)
    return new Promise((resolve, reject) => {
      const run = this.#run = { on, resolve, reject, begun: false }
      const judges = program.endsWith("/judge.py")
      Promise.all([judges ? judgment(program, source) : source, this.#load()]).then(([text]) => {
        if (this.#run !== run) return
        run.begun = true
        run.judges = judges
        this.#worker.postMessage({ type: "run", program, source: text, record: this.#records.get(program) })
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
