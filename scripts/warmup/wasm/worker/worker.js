// A worker in which Python runs. Its first message has all files, which the page has checked. It cannot ask a network.

// Pyodide wants addresses of its files. There is nothing at this one.
const BASE = "https://python.invalid/"
const TYPES = { wasm: "application/wasm", mjs: "text/javascript", js: "text/javascript", json: "application/json" }

const load = async (bytes, on) => {
  const files = Object.fromEntries(Object.entries(bytes).map(([name, buffer]) =>
    [name, new Blob([buffer], { type: TYPES[name.split(".").at(-1)] ?? "application/octet-stream" })]))
  globalThis.fetch = async request => {
    const name = decodeURIComponent(new URL(request.url ?? request, BASE).pathname.split("/").at(-1))
    if (!Object.hasOwn(files, name)) throw new TypeError(`There is no file ${name} here.`)
    return new Response(files[name])
  }
  // By this Pyodide tells a worker of the kind that it refuses. Modules are imported here, and nothing by an address.
  globalThis.importScripts = () => { throw new TypeError("There are no scripts here.") }
  const [{ loadPyodide }, { default: createPyodideModule }, { start }] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs", "python.js"].map(name => import(URL.createObjectURL(files[name]))))
  const [lock, tools] = await Promise.all(["pyodide-lock.json", "tools.json"].map(name => files[name].text()))
  const options = { indexURL: BASE, packageBaseUrl: BASE, lockFileContents: JSON.parse(lock), createPyodideModule }
  const run = await start(loadPyodide, options, JSON.parse(tools), on)
  for (const name of Object.keys(files)) delete files[name]
  return run
}

let id = null
const reply = message => postMessage({ ...message, id })

const ready = new Promise(resolve => addEventListener("message", ({ data }) => resolve(load(data, {
  text: (stream, text) => reply({ type: "text", stream, text }),
  flood: () => reply({ type: "flood" }),
})), { once: true }))

const broken = error => reply({ type: "broken", text: error.message })

ready.then(run => {
  addEventListener("message", ({ data: { id: mine, ...program } }) => {
    id = mine
    try {
      reply({ type: "done", ...run(program) })
    } catch (error) {
      broken(error)
    }
  })
  reply({ type: "ready" })
}, broken)
