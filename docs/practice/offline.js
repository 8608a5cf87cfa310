// A service worker that lets the practice pages open without a network, and never mixes two releases of the site.
//
// A release is what offline.json lists (scripts/warmup/offline.py): the files that the pages need, each with its hash,
// and one hash over all. A cache holds one release, and is used only once it holds all of it. A page has one source
// for as long as it is open: the network, or one cache. From a cache it comes while there is no network, or while
// the network has just that release; a page from the network takes no file from a cache, even when the network fails.
//
// A new release is noticed because offline.json is asked for with each page that is opened. The worker's own address
// and text say nothing of the release: a worker that had to be replaced first would have to wait until the pages of
// the one before are closed, or take over pages of another release.

const MANIFEST = new URL("offline.json", registration.scope).href
// All sites of a host share its caches.
const PREFIX = `torch-warmup ${registration.scope} `
// Below this address a cache notes which open pages it is the source of, because the worker forgets when it rests.
const PINNED = `${MANIFEST}?page=`

const plain = url => url.split(/[?#]/)[0]  // an interview's address differs by its query only

// The others are none of a release's. `make serve` leaves one of them without an answer until there is an edit: asked for
// from here, it would stay open after its page is gone, until a browser has as many as it allows and opens no page more.
const isFile = url => /(\/|\.\w+)$/.test(plain(url))

/** What the network has now; null where it has no release. @throws there is no network. */
const published = async () => {
  const response = await fetch(MANIFEST, { cache: "no-store" })
  return response.ok ? response.json() : null
}

const names = async () => (await caches.keys()).filter(name => name.startsWith(PREFIX))

/** The cache of this name if it is complete: the manifest is the last thing that is put into it. */
const complete = async name => {
  if (!await caches.has(name)) return null
  const cache = await caches.open(name)
  return await cache.match(MANIFEST) ? cache : null
}

const newest = async () => {
  for (const name of (await names()).reverse()) {
    const cache = await complete(name)
    if (cache) return cache
  }
  return null
}

const find = (cache, request) => cache?.match(plain(request.url), { ignoreVary: true })

// A file that the browser has kept for itself may be of another release than the page: ask whether it is the newest.
const fromNetwork = request => fetch(request, { cache: "no-cache" })


// ---------- The source of each open page ----------

const sources = new Map()  // by a page's id: its cache, or null for the network

const sourceOf = async id => {
  if (!sources.has(id)) {
    let source = null
    for (const name of await names()) {
      const cache = await caches.open(name)
      if (await cache.match(PINNED + id)) source = cache
    }
    if (!sources.has(id)) sources.set(id, source)
  }
  return sources.get(id)
}

const openPage = async event => {
  const { request, resultingClientId: id } = event
  const fromCache = async cache => {
    const kept = await find(cache, request)
    if (kept) {
      sources.set(id, cache)
      event.waitUntil(cache.put(PINNED + id, new Response()).catch(() => {}))  // where storage is full, the worker may forget
    }
    return kept
  }
  sources.set(id, null)
  try {
    const now = await published()
    return now && await fromCache(await complete(PREFIX + now.release)) || await fromNetwork(request)
  } catch (error) {
    const kept = await fromCache(await newest())
    if (kept) return kept
    throw error
  }
}

const openPart = async ({ request, clientId }) =>
  await find(await sourceOf(clientId), request) ?? fromNetwork(request)

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

/** Keep what the network has now, then forget other releases. @throws not all of it could be kept. */
const keep = async () => {
  const { release, files } = await published()
  const name = PREFIX + release
  if (!await complete(name)) {
    const cache = await caches.open(name)
    try {
      // Fails as a whole, also where a file is not the one that the manifest means: while a release is being published,
      // or on `make serve`, which adds a script to each page.
      await cache.addAll(Object.entries(files).map(([address, integrity]) =>
        new Request(new URL(address, MANIFEST), { cache: "no-cache", integrity })))
      await cache.put(MANIFEST, Response.json({ release, files }))
    } catch (error) {
      await caches.delete(name)
      throw error
    }
  }
  for (const other of await names()) {
    const open = await isOpen(await caches.open(other))
    if (other !== name && !open) await caches.delete(other)
  }
}

let last = Promise.resolve()

// A page asks with each visit, and is told once all is kept.
addEventListener("message", event => {
  last = last.then(keep).then(() => event.source.postMessage("kept")).catch(() => {})  // the next visit tries again
  event.waitUntil(last)
})

addEventListener("install", () => skipWaiting())
addEventListener("activate", event => event.waitUntil(Promise.all([
  clients.claim(),
  caches.delete("torch-warmup-practice"),  // where this worker's predecessor mixed releases
])))
