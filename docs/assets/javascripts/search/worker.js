// The search, as Material's script talks to it: it sends the index and what is typed, and gets results.
//
// The index has what names the pages. What they say comes in further files, after the first results; then what was asked
// last is answered again, and that the answers are whole is marked in them: a page waits with Enter for that.
//
// Material's own worker stands in the address of this one. It brings lunr along; what it does with messages is not wanted.

const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3]

// Named without an ending here: what scripts name is kept for when there is no network after a visit to practice, but the
// search only once somebody has used it.
const MODULES = ["index", "query", "result"]

/** Loads lunr and the modules only now: most visits never search. @returns {Promise<(pages, isWhole) => (query) => Object[]>} */
const load = async () => {
  const listen = self.addEventListener
  self.addEventListener = () => {}
  self.importScripts(new URL(new URLSearchParams(location.search).get("lunr"), location))
  self.addEventListener = listen
  const [{ indexOf }, { read, rank }, { result }] = await Promise.all(MODULES.map(name => import(`./${name}.js`)))
  return (pages, isWhole) => {
    const index = indexOf(self.lunr, pages)
    return query => {
      const asked = read(query, index)
      return rank(asked, index).map(page => [result(page, asked, index, isWhole)])
    }
  }
}

const file = async number => (await fetch(new URL(`../../../search/said-${number}.json`, location))).json()

/** The pages with what they say; as they were where there is no network. */
const whole = async ({ config, docs }) => {
  try {
    const said = (await Promise.all(Array.from({ length: config.said }, (_, number) => file(number)))).flat()
    return docs.map((page, number) => {
      const [names, ...texts] = said[number]
      return { ...page, names, parts: page.parts.map(([heading], part) => [heading, texts[part]]) }
    })
  } catch {
    return docs
  }
}

let search
let last = null  // what was asked last

const answer = query => self.postMessage({ type: RESULT, data: { items: search(query) } })

self.addEventListener("message", async ({ data: { type, data } }) => {
  if (type === SETUP) {
    const over = await load()
    search = over(data.docs, false)
    self.postMessage({ type: READY })
    search = over(await whole(data), true)
    if (last !== null) answer(last)
  } else if (type === QUERY) {
    last = data
    answer(data)
  }
})
