// A kernel of the server that served this page, in Jupyter's own protocol. A tab has one, from its first run on.
//
// https://jupyter-client.readthedocs.io/en/stable/messaging.html

import { Refused, STOPPED } from "../programs/programs.js"
import { ASK, token } from "./token.js"

const API = "/jupyter/api/kernels"
const KERNEL = "torch-warmup-live-kernel"
const MESSAGE = "application/vnd.torch-warmup.run+json"
const PROTOCOL = "torch-warmup"

const lost = () => new Refused("The connection to the program was lost. Press Run again.")

const request = async (path, method) => {
  let response
  const authorization = `token ${await token()}`
  try {
    response = await fetch(API + path, { method, headers: { Authorization: authorization }, redirect: "error" })
  } catch {
    throw new Refused("The server does not answer. Start it again with `make live` and open the address that it prints.")
  }
  if (response.status === 404) return null
  if (response.status === 503) throw new Refused("Eight tabs run programs already. Close one of them and press Run again.")
  if (!response.ok) throw new Refused(ASK)
  return response.status === 204 ? true : await response.json()
}

/** The kernel of this tab, with the WebSocket to it. */
export class Kernel {
  #socket = null
  #connecting = null
  #session = crypto.randomUUID()
  #run = null  // what the kernel runs
  #waiting = null  // what it runs next: that of which its reader asked last
  #id = null

  /** Whether the next run need not wait for Python and torch. */
  warm = false
  starting = "Starting Python and torch, once for this tab"
  offer = null
  judges = () => true

  /** Take over the kernel that the tab's last page had, if it lives. Does nothing where there was none. */
  resume() {
    return this.#once(async () => {
      const id = sessionStorage.getItem(KERNEL)
      if (!id || !await request(`/${id}`, "GET")) return
      this.warm = await this.#open(id)
    })
  }

  async #connect() {
    if (!this.#connected) await this.resume()
    if (!this.#connected) await this.#once(() => this.#start())
  }

  get #connected() {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  // Of two connections of one page the server would close the first, and a program may run through it.
  #once(connect) {
    this.#connecting ??= connect().finally(() => { this.#connecting = null })
    return this.#connecting
  }

  async #start() {
    const { id } = await request("", "POST")
    sessionStorage.setItem(KERNEL, id)
    if (!await this.#open(id)) throw lost()
  }

  // Whether there is a connection now: a kernel ends a few seconds after the tab's last page.
  async #open(id) {
    this.#id = id
    // Not in the address, which servers write into their logs.
    const protocols = [PROTOCOL, `token.${await token()}`]
    const socket = new WebSocket(`ws://${location.host}${API}/${id}/channels?session_id=${this.#session}`, protocols)
    this.#socket = socket
    socket.addEventListener("message", event => this.#take(JSON.parse(event.data)))
    return new Promise(resolve => {
      socket.addEventListener("open", () => resolve(true))
      socket.addEventListener("close", () => {
        resolve(false)
        if (socket !== this.#socket) return
        this.warm = false
        this.#end(lost())
      })
    })
  }

  #take({ msg_type: type, parent_header: parent, content }) {
    const run = this.#run
    if (type === "status" && content.execution_state === "restarting") {
      this.#end(new Refused("The process of this tab ended. Press Run again."))
      return
    }
    if (!run || parent?.msg_id !== run.id) return
    if (type === "stream") run.on.text(content.name, content.text)
    else if (type === "display_data" && content.data[MESSAGE]) run.verdict = content.data[MESSAGE]
    else if (type === "display_data") run.on.figure(content.data["text/html"])
    else if (type === "error") run.error = content
    else if (type === "status" && content.execution_state === "idle") this.#end()
  }

  #end(failure) {
    const run = this.#run
    this.#run = null
    if (!run) return
    if (failure) run.reject(failure)
    else if (run.verdict) {
      this.warm = true
      run.resolve(run.verdict)
    } else if (run.error?.ename === "KeyboardInterrupt") run.resolve(STOPPED)
    else run.reject(new Refused(`The run failed: ${run.error?.ename}: ${run.error?.evalue}`))
  }

  /**
   * Run a program, after what runs in this tab has been stopped.
   *
   * @param {string} program its name below snippets/.
   * @param {string} source
   * @param {{text: function(string, string), figure: function(string)}} on called when it prints or draws.
   * @returns {Promise<{word: string, text: string, difference: string, seconds: number, torch: string}>} the verdict.
   * @throws {Refused} there is no server, or not for this page.
   */
  run(program, source, on) {
    this.#forget()
    const run = this.#waiting = { id: crypto.randomUUID(), on }
    const result = new Promise((resolve, reject) => Object.assign(run, { resolve, reject }))
    run.done = result.then(() => {}, () => {})
    this.#begin(run, program, source).catch(run.reject)
    return result
  }

  async #begin(run, program, source) {
    while (this.#run) await this.#interrupt()
    await this.#connect()
    if (this.#waiting !== run) return
    this.#waiting = null
    this.#run = run
    // JSON's strings are Python's, but for the escapes of characters outside the basic plane, which Python has to join.
    const [name, code] = [program, source].map(word => `__import__("json").loads(${JSON.stringify(JSON.stringify(word))})`)
    this.#socket.send(JSON.stringify({
      channel: "shell",
      header: { msg_id: run.id, session: this.#session, username: "", msg_type: "execute_request", version: "5.3", date: new Date().toISOString() },
      parent_header: {},
      metadata: {},
      buffers: [],
      content: {
        code: `from warmup.live import kernel; kernel.run(${name}, ${code})`,
        silent: false, store_history: false, user_expressions: {}, allow_stdin: false, stop_on_error: true,
      },
    }))
  }

  /** Stop what runs, and wait until it has stopped. */
  async stop() {
    this.#forget()
    if (this.#run) await this.#interrupt()
  }

  #forget() {
    this.#waiting?.resolve(STOPPED)
    this.#waiting = null
  }

  async #interrupt() {
    const { done } = this.#run
    await request(`/${this.#id}/interrupt`, "POST")
    await done
  }
}
