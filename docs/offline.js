// A service worker that lets pages open without a network, and never mixes two releases of the site.
//
// A release is what offline.json lists (scripts/warmup/exports/offline.py): `files`, which are kept after a visit to practice,
// and `more`, the rest of the site, which a reader may ask for; of each its hash and its size, and one hash over all. A cache
// holds one release, and is used only once it holds all of `files`. A page has one source for as long as it is open: the
// network, or one cache. From a cache it comes while there is no network, or none that answers soon, as in a tunnel, or
// while the network has just that release; a page of another release takes no file from a cache, even when the network fails.
//
// A new release is noticed because its hash is asked for with each page that is opened. The worker's own address
// and text say nothing of the release: a worker that had to be replaced first would have to wait until the pages of
// the one before are closed, or take over pages of another release.

const ROOT = registration.scope
const MANIFEST = new URL("offline.json", ROOT).href
const RELEASE = new URL("offline-release.json", ROOT).href
const NOT_HERE = new URL("offline.html", ROOT).href
// All sites of a host share its caches.
const PREFIX = `torch-warmup ${ROOT} `
// Below this address a cache notes which open pages it is the source of, because the worker forgets when it rests.
const PINNED = `${MANIFEST}?page=`
// Who has searched once with a network can search without one.
const OF_SEARCH = /\/search[/.]/
const AT_ONCE = 4  // of six connections that a browser has to a host without HTTP/2: pages need some
const STEP = 500_000  // bytes
const PATIENCE = 3_000  // milliseconds in which the network must answer where a page is kept

const plain = url => url.split(/[?#]/)[0]  // an interview's address differs by its query only

// The others are none of a release's. `make serve` leaves one of them without an answer until there is an edit: asked for
// from here, it would stay open after its page is gone, until a browser has as many as it allows and opens no page more.
const isFile = url => /(\/|\.\w+)$/.test(plain(url))

const isPage = address => /(^|\/|\.html)$/.test(address)

/** What the network has now; null where it has no release. @throws there is no network. */
const published = async (address, signal) => {
  const response = await fetch(address, { cache: "no-store", signal })
  return response.ok ? response.json() : null
}

// Where the browser refuses storage, or its storage is broken, nothing is kept, and pages come from the network.
const names = async () => (await caches.keys().catch(() => [])).filter(name => name.startsWith(PREFIX))

/** The cache of this name if it is complete: the manifest is the last thing that is put into it. */
const complete = async name => {
  if (!(await names()).includes(name)) return null
  const cache = await caches.open(name).catch(() => null)
  return await cache?.match(MANIFEST) ? cache : null
}

/** The complete ones, the newest first. */
const allComplete = async () => {
  const found = []
  for (const name of (await names()).reverse()) found.push(await complete(name))
  return found.filter(Boolean)
}

const find = (cache, request) => cache?.match(plain(request.url), { ignoreVary: true })
const manifestOf = async cache => (await cache.match(MANIFEST)).json()

// A file that the browser has kept for itself may be of another release than the page: ask whether it is the newest.
const fromNetwork = (request, signal) => fetch(request, { cache: "no-cache", signal })

/** @throws there is no network, or it has another file. */
const verified = async (address, integrity, signal) => {
  const response = await fetch(new URL(address, ROOT), { cache: "no-cache", integrity, signal })
  if (!response.ok) throw new TypeError(`${response.status} ${address}`)
  // Not how long the host says that it is good: for so long a tab would take it from its memory, also into the page of
  // a new release, and ask nobody.
  return new Response(response.body, { headers: { "Content-Type": response.headers.get("Content-Type") ?? "", "Cache-Control": "no-cache" } })
}

/** A file of the cache's release that the cache does not have; null where the network has no such one. */
const ofRelease = async (cache, request) => {
  const { files, more } = await manifestOf(cache)
  const address = plain(request.url).slice(ROOT.length)
  const [integrity] = files[address] ?? more[address] ?? []
  return integrity ? verified(address, integrity).catch(() => null) : null
}


// ---------- The source of each open page ----------

const sources = new Map()  // by a page's id: its cache, or null for the network

const sourceOf = async id => {
  if (!sources.has(id)) {
    let source = null
    for (const name of await names()) {
      const cache = await caches.open(name).catch(() => null)
      if (await cache?.match(PINNED + id)) source = cache
    }
    if (!sources.has(id)) sources.set(id, source)
  }
  return sources.get(id)
}

const pin = (event, cache) => {
  sources.set(event.resultingClientId, cache)
  event.waitUntil(cache.put(PINNED + event.resultingClientId, new Response()).catch(() => {}))  // where storage is full, the worker may forget
}

/** The page as the network has it, and the cache of that release if it comes from there. @throws there is no network. */
const newest = async (request, signal) => {
  const now = await published(RELEASE, signal)
  const cache = now && await complete(PREFIX + now.release)
  const page = cache && (await find(cache, request) ?? await ofRelease(cache, request))
  return page ? { page, cache } : { page: await fromNetwork(request, signal), cache: null }
}

/** The page from the newest cache that has it, whatever the network has; null where none does. */
const newestKept = async request => {
  for (const cache of await allComplete()) {
    const page = await find(cache, request)
    if (page) return { page, cache }
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
    const kept = soon ? null : await newestKept(request)
    if (kept) end.abort()
    const { page, cache } = kept ?? await asked
    if (cache) pin(event, cache)
    return page
  } catch (error) {
    if (!(await allComplete()).length) throw error
    return Response.redirect(`${NOT_HERE}?page=${encodeURIComponent(request.url)}`)
  }
}

const openPart = async event => {
  const { request, clientId, resultingClientId } = event
  const cache = await sourceOf(clientId)
  if (resultingClientId && cache) pin(event, cache)  // the worker in which a page searches
  const kept = await find(cache, request)
  // A worker takes its address, where the search has a setting, from its file; a new one takes that of the request.
  if (kept) return plain(request.url) === request.url ? kept : new Response(kept.body, kept)
  const found = cache && OF_SEARCH.test(plain(request.url)) && await ofRelease(cache, request)
  if (found) event.waitUntil(cache.put(plain(request.url), found.clone()).catch(() => {}))
  return found || fromNetwork(request)
}

addEventListener("fetch", event => {
  const { request } = event
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin || !isFile(request.url)) return
  event.respondWith(request.mode === "navigate" ? openPage(event) : openPart(event))
})


// ---------- Keeping a release ----------

/** Whether a page is open whose source is this cache. */
const isOpen = async cache => {
  let open = false
  for (const { url } of await cache.keys()) {
    if (!url.startsWith(PINNED)) continue
    if (await clients.get(url.slice(PINNED.length))) open = true
    else await cache.delete(url)
  }
  return open
}

/** What of `more` is not in the cache: pairs of an address and [hash, bytes]. */
const missing = async (cache, more) => {
  const there = new Set((await cache.keys()).map(({ url }) => url))
  return Object.entries(more).filter(([address]) => !there.has(new URL(address, ROOT).href))
}

/** Put these files into a cache. @param {function} known what else may have a file. @throws one of them could not be had. */
const fill = async (cache, entries, known = () => null) => {
  const end = new AbortController()
  const queue = entries.values()
  const putOneByOne = async () => {
    for (const [address, [integrity]] of queue) {
      if (end.signal.aborted) return
      await cache.put(new URL(address, ROOT), await known(address, integrity) ?? await verified(address, integrity, end.signal))
    }
  }
  // Fails as a whole, also where a file is not the one that the manifest means: while a release is being published,
  // or on `make serve`, which adds a script to each page.
  await Promise.all(Array.from({ length: AT_ONCE }, putOneByOne)).finally(() => end.abort())
}

/** Keep a release: as much of it as there is of the one before, from which comes what has not changed. */
const renew = async name => {
  const made = await published(MANIFEST)
  if (PREFIX + made.release !== name) throw new Error("A release is being published.")
  const [before] = await allComplete()
  const old = before ? await manifestOf(before) : { files: {}, more: {} }
  const left = before ? await missing(before, old.more) : []
  const had = { ...old.files, ...old.more }
  for (const [address] of left) delete had[address]
  const isWhole = before && !left.length
  const wanted = Object.entries(made.more).filter(([address]) => isWhole || had[address])
  const cache = await caches.open(name)
  try {
    await fill(cache, [...Object.entries(made.files), ...wanted], (address, integrity) =>
      had[address]?.[0] === integrity ? before.match(new URL(address, ROOT)) : null)
    await cache.put(MANIFEST, Response.json(made))
  } catch (error) {
    await caches.delete(name)
    throw error
  }
}

const actions = {
  /** Keep what the network has now, then forget other releases. */
  keep: async () => {
    const name = PREFIX + (await published(RELEASE)).release
    if (!await complete(name)) await renew(name)
    for (const other of await names()) {
      const open = await isOpen(await caches.open(other))
      if (other !== name && !open) await caches.delete(other)
    }
  },
  /** Keep the next part of the whole site: short, because browsers end a worker that takes minutes. */
  more: async () => {
    const [cache] = await allComplete()
    const left = await missing(cache, (await manifestOf(cache)).more)
    const parts = left.filter(([address]) => !isPage(address))  // all of them before the pages that need them
    let bytes = 0
    await fill(cache, (parts.length ? parts : left).filter(([, [, size]]) => (bytes += size) - size < STEP))
  },
  /** Forget what was kept because somebody asked for it. */
  remove: async () => {
    for (const cache of await allComplete()) {
      for (const address of Object.keys((await manifestOf(cache)).more)) await cache.delete(new URL(address, ROOT))
    }
  },
}

/** Bytes: of the whole site, of what is kept only if somebody asks for it, and what of that is missing; null before anything is kept. */
const state = async () => {
  const [cache] = await allComplete()
  if (!cache) return null
  const { files, more } = await manifestOf(cache)
  const sum = entries => entries.reduce((total, [, [, size]]) => total + size, 0)
  return { bytes: sum(Object.entries({ ...files, ...more })), rest: sum(Object.entries(more)), missing: sum(await missing(cache, more)) }
}

let last = Promise.resolve()

// A page asks for one of the actions, with a port for the answer: what is kept then, and the name of what failed.
addEventListener("message", event => {
  const { data, ports: [port] } = event
  last = last.then(actions[data]).then(() => null, error => error.name)
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
