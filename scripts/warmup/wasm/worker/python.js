// Python with its packages, which runs one program after another: the same in a browser's worker and in Node.

/** What a program may print. The rest is dropped, and the run ends. */
const LIMIT = 256 * 1024

/**
 * Load Python.
 *
 * @param {Function} loadPyodide
 * @param {Object} options Pyodide's own; its lock file has all packages that are to be loaded and no others.
 * @param {{files: Object, packages: string[], prepared: string[]}} tools what runs programs inside.
 * @param {{text: function(string, string), flood: function()}} on called with what a program prints, and if that is too much.
 * @returns {Promise<function({program: string, source: string, judge: ?string}): {code: number, seconds: number, torch: string}>}
 *   runs a program; with the text of a judge, the program is the judge, and the source is what it judges.
 * @throws {Error} a package is missing or is not the one that its hash means.
 */
export const start = async (loadPyodide, options, { files, packages, prepared }, on) => {
  const python = await loadPyodide(options)
  let left = 0
  const stream = name => {
    const decoder = new TextDecoder()
    return {
      isatty: false,
      write: bytes => {
        const text = decoder.decode(bytes, { stream: true })
        if (left < 0) return bytes.length
        const some = text.slice(0, left)
        left -= bytes.length
        on.text(name, some)
        if (left < 0) on.flood()
        return bytes.length
      },
    }
  }
  const failures = []
  await python.loadPackage(packages, { messageCallback: () => {}, errorCallback: message => failures.push(message) })
  // It only reports a package that it could not load, and would go on without it.
  const missing = packages.filter(name => !(name in python.loadedPackages))
  if (missing.length) throw new Error(`Not loaded: ${missing.join(", ")}. ${failures.join(" ")}`)
  for (const [name, text] of Object.entries(files)) {
    python.FS.mkdirTree(`/tools/${name.slice(0, name.lastIndexOf("/"))}`)
    python.FS.writeFile(`/tools/${name}`, text)
  }
  const inside = python.runPython("import sys; sys.path.insert(0, '/tools'); from warmup.wasm import inside; sys.path.remove('/tools')\ninside")
  const modules = python.toPy(prepared)
  inside.prepare(modules)
  modules.destroy()
  python.setStdin({ stdin: () => null })  // there is nothing to read
  python.setStdout(stream("stdout"))
  python.setStderr(stream("stderr"))
  return ({ program, source, judge }) => {
    left = LIMIT
    const file = program.slice(program.lastIndexOf("/") + 1)
    return JSON.parse(judge === undefined ? inside.run(file, source) : inside.judge(file, judge, source))
  }
}
