// A service worker that lets pages open without a network, and never mixes two releases of the site.
//
// A page has one source for as long as it is open: the network, or one cache (docs/offline-store.js), which holds files of
// one release. From a cache it comes while there is no network, or none that answers soon, as in a tunnel, or while the
// network has just that release and the cache is complete; a page of another release takes no file from a cache, even when
// the network fails.
//
// A new release is noticed because its hash is asked for with each page that is opened. The worker's own address
// and text say nothing of the release: a worker that had to be replaced first would have to wait until the pages of
// the one before are closed, or take over pages of another release.

importScripts("offline-store.js")

const { ROOT, RELEASE, NOT_HERE, PREFIX, PINNED, plain, pageOf, published, names, open, complete, find, manifestOf, canShow, unremembered, verified, actions, state } = self.store

// Who has searched once with a network can search without one.
const OF_SEARCH = /\/search[/.]/
// What is of the release of its page; the rest are data and downloads.
const PARTS = ["script", "style", "worker", "image", "font"]
const PATIENCE = 3_000  // milliseconds in which the network must answer where a page is kept

// The others are none of a release's. `make serve` leaves one of them without an answer until there is an edit: asked for
// from here, it would stay open after its page is gone, until a browser has as many as it allows and opens no page more.
const isFile = url => /(\/|\.\w+)$/.test(plain(url))

// A file that the browser has kept for itself may be of another release than the page: ask whether it is the newest.
const fromNetwork = (request, signal) => fetch(request, { cache: "no-cache", signal })

/** A file of the cache's release that the cache does not have; null where the network has no such one. */
const ofRelease = async (cache, url) => {
  const made = await manifestOf(cache)
  const address = plain(url).slice(ROOT.length)
  const [integrity] = made?.files[address] ?? made?.more[address] ?? []
  return integrity ? verified(address, integrity).catch(() => null) : null
}

/** Whether the network has the release of this cache. */
const isPublished = name => published(RELEASE).then(now => name === PREFIX + now?.release, () => false)


// ---------- The source of each open page ----------

const sources = new Map()  // by a page's id: the name of its cache, or null for the network

const sourceOf = async id => {
  if (!sources.has(id)) {
    let source = null
    for (const name of await names()) {
      if (await (await open(name))?.match(PINNED + id)) source = name
    }
    if (!sources.has(id)) sources.set(id, source)
  }
  return sources.get(id)
}

const pin = (event, name) => {
  sources.set(event.resultingClientId, name)
  const note = async () => (await open(name))?.put(PINNED + event.resultingClientId, new Response())
  event.waitUntil(note().catch(() => {}))  // where storage is full, the worker may forget
}

/** The page as the network has it, and the name of the cache of that release if it comes from there. @throws there is no network. */
const newest = async (request, signal) => {
  const now = await published(RELEASE, signal)
  const name = now && PREFIX + now.release
  const cache = now && await complete(name)
  const page = cache && (await find(cache, request.url) ?? await ofRelease(cache, request.url))
  return page ? { page, name } : { page: await fromNetwork(request, signal), name: null }
}

/** The page from the newest cache that has it, whatever the network has; null where none does. */
const newestKept = async url => {
  const folder = pageOf(url)
  for (const name of (await names()).reverse()) {
    const cache = await open(name)
    if (!cache || !await canShow(cache, folder)) continue
    const page = await find(cache, url)
    if (page) return { page, name }
    // As hosts do, or the page's links would lead elsewhere.
    if (await find(cache, folder)) return { page: Response.redirect(folder + new URL(url).search), name: null }
  }
  return null
}

const openPage = async event => {
  const { request } = event
  sources.set(event.resultingClientId, null)
  const end = new AbortController()
  const late = new Promise(resolve => setTimeout(resolve, PATIENCE, null))
  const asked = newest(request, end.signal)
  const soon = await Promise.race([asked, late]).catch(() => null)
  try {
    const kept = soon ? null : await newestKept(request.url)
    if (kept) end.abort()
    const { page, name } = kept ?? await asked
    if (name) pin(event, name)
    return page
  } catch (error) {
    if (!await newestKept(NOT_HERE)) throw error
    // Without the key of `make live`, which is no server's business before it is exchanged.
    return Response.redirect(`${NOT_HERE}?page=${encodeURIComponent(request.url.replace(/#key=.*/, ""))}`)
  }
}

const openPart = async event => {
  const { request, clientId, resultingClientId } = event
  const name = await sourceOf(clientId)
  const cache = name && await open(name)
  if (resultingClientId && name) pin(event, name)  // the worker in which a page searches
  const kept = cache && await find(cache, request.url)
  // A worker takes its address, where the search has a setting, from its file; a new one takes that of the request.
  if (kept) return plain(request.url) === request.url ? kept : new Response(kept.body, kept)
  const found = cache && OF_SEARCH.test(plain(request.url)) && await ofRelease(cache, request.url)
  if (found) event.waitUntil(cache.put(plain(request.url), found.clone()).catch(() => {}))
  if (found) return found
  if (!PARTS.includes(request.destination)) return fromNetwork(request)
  return name && !await isPublished(name) ? Response.error() : unremembered(await fromNetwork(request))
}

// Whether a page may be framed is its host's to say, each time: what is kept may be from before it said so.
const FRAMES = ["iframe", "frame", "fencedframe", "embed", "object"]

addEventListener("fetch", event => {
  const { request } = event
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin || !isFile(request.url) && request.mode !== "navigate") return
  if (FRAMES.includes(request.destination)) return
  event.respondWith(request.mode === "navigate" ? openPage(event) : openPart(event))
})


let last = Promise.resolve()

// A page asks for one of the actions, with a port for the answer: what is kept then, and the name of what failed.
addEventListener("message", event => {
  const { data, source, ports: [port] } = event
  last = last.then(() => actions[data](source.url)).then(() => null, error => error.name)
    .then(async failed => port.postMessage({ failed, kept: await state() })).catch(() => {})
  event.waitUntil(last)
})

addEventListener("install", () => skipWaiting())
addEventListener("activate", event => event.waitUntil(Promise.all([
  clients.claim(),
  // Of this worker's predecessors, which kept practice alone.
  caches.keys().then(all => Promise.all(all
    .filter(name => name === "torch-warmup-practice" || name.startsWith(`torch-warmup ${ROOT}practice/ `))
    .map(name => caches.delete(name)))),
])))
