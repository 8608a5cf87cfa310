// Where Python runs: a worker inside a sandboxed frame. Its origin is no site's, so that it has no cache, no storage and
// nothing of this page; its policy, which the worker inherits, leaves it no network. All that it gets are bytes.

// The same policy for both: no address but those of bytes that are here already. A program may evaluate JavaScript, as
// Pyodide does: that reaches no further than its Python does.
const POLICY = "default-src 'none'; script-src NONCE blob: 'unsafe-eval'; worker-src blob:"

// Passes messages between the page and the worker. Only the page that made the frame can begin. Of what the worker sends,
// the page gets the words and numbers that it asks for, and whether there was more: a program can send arrays of any size,
// and names as long. Only to read such messages takes the page's time, so after half a second of that there is no worker.
const SCRIPT = `
const fits = (name, value) => value == null || ["boolean", "number"].includes(typeof value)
  || typeof value === "string" && value.length <= (name === "text" ? 262144 : 1000)
const isOdd = data => {
  if (typeof data !== "object" || data === null) return !fits("", data)
  if (Object.getPrototypeOf(data) !== Object.prototype) return true
  let count = 0
  for (const name in data) if (!fits(name, data[name]) || ++count > 5) return true
  return false
}
addEventListener("message", ({ data: files, source, ports: [page] }) => {
  if (source !== parent) return
  const worker = new Worker(URL.createObjectURL(new Blob([files["worker.js"]], { type: "text/javascript" })))
  let spent = 0  // milliseconds
  worker.onmessage = event => {
    const begun = performance.now()
    const { data } = event  // read here, and not before
    const told = {}
    for (const name of ["id", "type", "stream", "text", "code"]) {
      if (fits(name, data?.[name])) told[name] = data?.[name]
    }
    const odd = isOdd(data) || event.ports.length > 0
    if (odd) spent += performance.now() - begun
    if (spent > 500) worker.terminate()
    page.postMessage({ ...told, odd: spent > 500 ? 9 : Number(odd) })
  }
  worker.onerror = ({ message }) => page.postMessage({ type: "broken", text: message })
  page.onmessage = ({ data }) => worker.postMessage(data)
  worker.postMessage(files, Object.values(files))
})`

/** A worker in a frame. */
export class Frame {
  #element = document.createElement("iframe")
  #port = null

  /**
   * Start it.
   *
   * @param {Object<string, ArrayBuffer>} files what the worker gets, which is gone here then; `worker.js` is its script.
   * @param {function(Object)} take called with each message. Whatever runs in the worker can send any.
   */
  constructor(files, take) {
    const nonce = crypto.randomUUID()
    const policy = POLICY.replace("NONCE", `'nonce-${nonce}'`)
    this.#element.sandbox = "allow-scripts"
    this.#element.hidden = true
    this.#element.title = "Python"
    this.#element.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><script nonce="${nonce}">${SCRIPT}</script>`
    this.#element.addEventListener("load", () => {
      const { port1, port2 } = new MessageChannel()
      this.#port = port1
      port1.onmessage = ({ data }) => take(data)
      // Nobody else is in there, and an origin like its own has no name.
      this.#element.contentWindow.postMessage(files, "*", [port2, ...Object.values(files)])
    }, { once: true })
    document.body.append(this.#element)
  }

  /** Send a message to the worker, after its first one. */
  send(message) {
    this.#port.postMessage(message)
  }

  /** End the worker, whatever it does. */
  end() {
    this.#port?.close()
    this.#element.remove()
  }
}
