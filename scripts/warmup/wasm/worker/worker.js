// A worker of a page in which Python runs. It gets all files from the page, which has checked them, and asks no network.

const reply = message => postMessage(message)

const load = async (blobs, settings) => {
  const address = Object.fromEntries(Object.entries(blobs).map(([name, blob]) => [name, URL.createObjectURL(blob)]))
  const network = globalThis.fetch
  // Pyodide asks for its files by name. `options` has the hash of a wheel, which the browser compares once more.
  globalThis.fetch = (request, options) => {
    const name = decodeURIComponent(new URL(request.url ?? request, settings.base).pathname.split("/").at(-1))
    return name in address ? network(address[name], options) : Promise.reject(new TypeError(`There is no file ${name} here.`))
  }
  const [{ loadPyodide }, { default: createPyodideModule }, { start }] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs", "python.js"].map(name => import(address[name])))
  const [lock, tools] = await Promise.all(["pyodide-lock.json", "tools.json"].map(name => blobs[name].text()))
  return start(loadPyodide, {
    indexURL: settings.base, packageBaseUrl: settings.base, lockFileContents: JSON.parse(lock), createPyodideModule,
  }, JSON.parse(tools), {
    text: (stream, text) => reply({ type: "text", stream, text }),
    flood: () => reply({ type: "flood" }),
  })
}

let run

addEventListener("message", async ({ data }) => {
  try {
    if (data.type === "load") {
      run = await load(data.files, data)
      reply({ type: "ready" })
    } else reply({ type: "done", verdict: run(data) })
  } catch (error) {
    reply({ type: "broken", text: error.message })
  }
})
