// The search, as Material's script talks to it: it sends the index and what is typed, and gets results.
//
// Material's own worker stands in the address of this one. It brings lunr along; what it does with messages is not wanted.

const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3]

// Named without an ending here: what scripts name is kept for when there is no network after a visit to practice, but the
// search only once somebody has used it.
const MODULES = ["index", "query", "result"]

/** Loads lunr and the modules only now: most visits never search. */
const start = async ({ docs }) => {
  const listen = self.addEventListener
  self.addEventListener = () => {}
  self.importScripts(new URL(new URLSearchParams(location.search).get("lunr"), location))
  self.addEventListener = listen
  const [{ indexOf }, { read, rank }, { result }] = await Promise.all(MODULES.map(name => import(`./${name}.js`)))
  const index = indexOf(self.lunr, docs)
  return query => {
    const asked = read(query, index)
    return rank(asked, index).map(page => [result(page, asked, index)])
  }
}

let search

self.addEventListener("message", async ({ data: { type, data } }) => {
  if (type === SETUP) {
    search = await start(data)
    self.postMessage({ type: READY })
  } else if (type === QUERY) {
    self.postMessage({ type: RESULT, data: { items: search(data) } })
  }
})
