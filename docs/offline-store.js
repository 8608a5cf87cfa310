// What docs/offline.js has kept, and how it keeps more.
//
// A release is what offline.json lists (scripts/warmup/exports/offline.py): `files`, which are kept after a visit to practice,
// and `more`, the rest of the site, which a reader may ask for; of each its hash and its size, and one hash over all. A cache
// holds files of one release. It is complete once it holds all of `files`. Before that it has the pages that were opened:
// each has a list in the form of `files`, which is put into the cache once all that it lists is there.

{
  const ROOT = registration.scope
  const MANIFEST = new URL("offline.json", ROOT).href
  const RELEASE = new URL("offline-release.json", ROOT).href
  const LISTS = new URL("offline/", ROOT).href
  const LIST = "page.json"
  const NOT_HERE = new URL("offline.html", ROOT).href
  // All sites of a host share its caches.
  const PREFIX = `torch-warmup ${ROOT} `
  // Below this address a cache notes which open pages it is the source of, because the worker forgets when it rests.
  const PINNED = `${MANIFEST}?page=`
  const AT_ONCE = 4  // of six connections that a browser has to a host without HTTP/2: pages need some
  const STEP = 500_000  // bytes
  const OLDER = 2  // releases of which pages that were opened stay when one of a newer release is

  const plain = url => url.split(/[?#]/)[0]  // an interview's address differs by its query only

  const isPage = address => /(^|\/|\.html)$/.test(address)

  /** The address of a page that may be asked for by other names: `/plan`, `/plan/index.html`. */
  const pageOf = url => plain(url).replace(/(\/index\.html|\/)?$/, "/")

  const listOf = page => LISTS + page.slice(ROOT.length) + LIST

  /** What the network has now; null where it has no release. @throws there is no network. */
  const published = async (address, signal) => {
    const response = await fetch(address, { cache: "no-store", signal })
    return response.ok ? response.json() : null
  }

  // Where the browser refuses storage, or its storage is broken, nothing is kept, and pages come from the network.
  const names = async () => (await caches.keys().catch(() => [])).filter(name => name.startsWith(PREFIX))
  const open = name => caches.open(name).catch(() => null)

  /** The cache of this name if it is complete: the manifest is the last thing that is put into it. */
  const complete = async name => {
    if (!(await names()).includes(name)) return null
    const cache = await open(name)
    return await cache?.match(MANIFEST) ? cache : null
  }

  /** The complete ones, the newest first. */
  const allComplete = async () => {
    const found = []
    for (const name of (await names()).reverse()) found.push(await complete(name))
    return found.filter(Boolean)
  }

  const find = (cache, url) => cache?.match(plain(url), { ignoreVary: true })
  const manifestOf = async cache => (await cache.match(MANIFEST))?.json()

  /** The lists of pages that were opened. */
  const listsIn = async cache => (await cache.keys()).map(({ url }) => url).filter(url => url.startsWith(LISTS))

  /** Whether a cache may be the source of a page: it has all that the page loads. */
  const canShow = async (cache, page) => Boolean(await cache.match(MANIFEST) ?? await cache.match(listOf(page)))

  // What a host says of a page that must hold also where the page is kept: who may frame it, and who gets a hold of it.
  const SAID = ["Content-Type", "Content-Security-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Referrer-Policy", "X-Content-Type-Options"]

  /**
   * The response without how long the host says that it is good: for so long a tab would take it from its memory, also into
   * a page of another release, and ask nobody.
   */
  const unremembered = ({ body, status, headers }) => new Response(body, { status, headers: {
    ...Object.fromEntries(SAID.filter(name => headers.has(name)).map(name => [name, headers.get(name)])), "Cache-Control": "no-cache" } })

  /** @throws there is no network, or it has another file. */
  const verified = async (address, integrity, signal, cache = "no-cache") => {
    const response = await fetch(new URL(address, ROOT), { cache, integrity, signal })
    if (!response.ok) throw new TypeError(`${response.status} ${address}`)
    return unremembered(response)
  }

  /** Whether a page is open whose source is this cache. */
  const isOpen = async cache => {
    let found = false
    for (const { url } of await cache.keys()) {
      if (!url.startsWith(PINNED)) continue
      if (await clients.get(url.slice(PINNED.length))) found = true
      else await cache.delete(url)
    }
    return found
  }

  /** What of these files is not in the cache: pairs of an address and [hash, bytes]. */
  const missing = async (cache, files) => {
    const there = new Set((await cache.keys()).map(({ url }) => url))
    return Object.entries(files).filter(([address]) => !there.has(new URL(address, ROOT).href))
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
    const cache = await caches.open(name)  // with pages of this release that were opened
    try {
      await fill(cache, await missing(cache, { ...made.files, ...Object.fromEntries(wanted) }), (address, integrity) =>
        had[address]?.[0] === integrity ? before.match(new URL(address, ROOT)) : null)
      await cache.put(MANIFEST, Response.json(made))
    } catch (error) {
      if (error.name === "QuotaExceededError" || !(await listsIn(cache)).length) await caches.delete(name)
      throw error
    }
  }

  /**
   * Keep a page that was opened, with what it loads.
   *
   * @param {?Cache} before an older one that has the page: from it comes what has not changed.
   * @returns {Promise<?string>} the cache's name; null where the network has no list of such a page.
   */
  const keepPage = async (page, before = null) => {
    const list = await published(listOf(page))
    if (!list) return null
    const name = PREFIX + list.release
    const cache = await caches.open(name)
    try {
      const old = await before?.match(listOf(page))
      const had = old ? (await old.json()).files : {}
      // The browser has just loaded most of it for the page: what has the right hash is good, whatever its age.
      const known = (address, integrity) => had[address]?.[0] === integrity ? before.match(new URL(address, ROOT))
        : verified(address, integrity, undefined, "force-cache").catch(() => null)
      const left = await missing(cache, list.files)
      for (const isTurn of [false, true]) await fill(cache, left.filter(([address]) => isPage(address) === isTurn), known)
      for (const shown of [page, pageOf(NOT_HERE)]) await cache.put(listOf(shown), Response.json(list))
    } catch (error) {
      if (!await complete(name) && !(await listsIn(cache)).length) await caches.delete(name)
      throw error
    }
    return name
  }

  /** Forget this page in older caches, and those that are of no use then. */
  const forgetOlder = async (name, page) => {
    let count = 0
    for (const other of (await names()).reverse()) {
      const cache = await caches.open(other)
      const inUse = await isOpen(cache)
      if (other === name || await complete(other)) continue
      for (const url of [page, listOf(page)]) await cache.delete(url)
      const left = (await listsIn(cache)).filter(list => list !== listOf(pageOf(NOT_HERE)))
      if ((!left.length || ++count > OLDER) && !inUse) await caches.delete(other)
    }
  }

  /** Bring the pages that were opened from an older cache into a complete one. */
  const carry = async (before, files) => {
    for (const list of await listsIn(before)) {
      const address = list.slice(LISTS.length, -LIST.length)
      if (!files[address] && list !== listOf(pageOf(NOT_HERE))) await keepPage(ROOT + address, before)
    }
  }

  const actions = {
    /** Keep the page that asks. @param {string} url its address */
    opened: async url => {
      const page = pageOf(url)
      const [newest] = await allComplete()
      if (newest && (await manifestOf(newest)).files[page.slice(ROOT.length)]) return  // `keep` renews these, all at once
      const name = await keepPage(page)
      if (name) await forgetOlder(name, page)
    },
    /** Keep what the network has now, then forget other releases. */
    keep: async () => {
      const name = PREFIX + (await published(RELEASE)).release
      if (!await complete(name)) await renew(name)
      const { files } = await manifestOf(await complete(name))
      for (const other of await names()) {
        const cache = await caches.open(other)
        if (await isOpen(cache) || other === name) continue
        const isDone = await carry(cache, files).then(() => true, () => false)  // or the next visit goes on
        if (isDone) await caches.delete(other)
      }
    },
    /** Load nothing. @throws what the network has now is not kept. */
    look: async () => {
      if (!await complete(PREFIX + (await published(RELEASE)).release)) throw new DOMException("", "SaveData")
    },
    /** Keep the next part of the whole site: short, because browsers end a worker that takes minutes. */
    more: async () => {
      const [cache] = await allComplete()
      const left = await missing(cache, (await manifestOf(cache)).more)
      const parts = left.filter(([address]) => !isPage(address))  // all of them before the pages that need them
      let bytes = 0
      await fill(cache, (parts.length ? parts : left).filter(([, [, size]]) => (bytes += size) - size < STEP))
    },
    /** Forget what was kept because somebody asked for it, and the pages that were opened. */
    remove: async () => {
      for (const name of await names()) {
        const cache = await caches.open(name)
        const made = await manifestOf(cache)
        for (const address of Object.keys(made?.more ?? {})) await cache.delete(new URL(address, ROOT))
        for (const list of await listsIn(cache)) await cache.delete(list)
        if (!made && !await isOpen(cache)) await caches.delete(name)
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

  self.store = {
    ROOT, MANIFEST, RELEASE, NOT_HERE, PREFIX, PINNED,
    plain, pageOf, published, names, open, complete, find, manifestOf, canShow, unremembered, verified, actions, state,
  }
}
