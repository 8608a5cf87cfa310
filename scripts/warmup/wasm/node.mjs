// Runs programs in Node with the files that a browser would get: node node.mjs <folder of files> <list of programs>.
// Writes a line of JSON for each. One that takes too long is ended, and Python is loaded again for the next. Some Pythons
// share the programs, each in its own worker.

import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { argv } from "node:process"
import { writeSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"

const work = async folder => {
  const [{ loadPyodide }, { start }] = await Promise.all(
    ["pyodide.mjs", "python.js"].map(name => import(pathToFileURL(join(folder, name)))))
  const [lock, tools] = await Promise.all(
    ["pyodide-lock.json", "tools.json"].map(async name => JSON.parse(await readFile(join(folder, name), "utf8"))))
  const out = { stdout: "", stderr: "" }
  let flooded = false
  const options = { indexURL: folder, packageBaseUrl: folder, lockFileContents: lock }
  const run = await start(loadPyodide, options, tools, {
    text: (stream, text) => { out[stream] += text },
    flood: () => { flooded = true },
  })
  parentPort.on("message", ({ program, source, judge }) => {
    Object.assign(out, { stdout: "", stderr: "" })
    flooded = false
    const result = run({ program, source, judge })
    if (flooded) Object.assign(result, { code: -1 })
    parentPort.postMessage({ program, ...result, ...out })
  })
  parentPort.postMessage("ready")
}

/** A worker with Python in it, once it is ready. @throws it cannot be loaded. */
const worker = folder => new Promise((resolve, reject) => {
  const one = new Worker(new URL(import.meta.url), { workerData: folder, stdout: true })
  one.once("message", () => resolve(one))
  one.once("error", reject)
})

const LOADING = 300_000  // milliseconds
const PYTHONS = Math.min(4, availableParallelism())

const within = (promise, milliseconds) => {
  let timer
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error("It took too long.")), milliseconds) })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

const runAll = async (folder, programs) => {
  let python = null
  for (const { program, source, judge, seconds } of programs) {
    python ??= await within(worker(folder), LOADING)
    const answered = new AbortController()
    const next = name => once(python, name, { signal: answered.signal })
    const ended = next("exit").then(() => { throw new Error("Python ended.") })
    python.postMessage({ program, source, judge })
    let result
    try {
      [result] = await within(Promise.race([next("message"), ended]), seconds * 1000)
    } catch (error) {
      result = { program, code: -1, seconds, torch: "", stdout: "", stderr: error.message }
      await python.terminate()
      python = null
    }
    ended.catch(() => {})
    answered.abort()
    writeSync(1, `${JSON.stringify(result)}\n`)
  }
  await python?.terminate()
}

const main = async (folder, list) => {
  const programs = JSON.parse(await readFile(list, "utf8"))
  // Which programs share a Python does not depend on how fast they are.
  await Promise.all([...Array(PYTHONS).keys()].map(mine =>
    runAll(folder, programs.filter((_, index) => index % PYTHONS === mine))))
}

if (isMainThread) await main(argv[2], argv[3])
else await work(workerData)
