// A service worker for the practice pages: always what the network has; without a network, what it had last.
// What is kept is chosen by the pages (keepOffline in page.js); here it is only brought up to date.

const CACHE = "torch-warmup-practice"

const fromNetwork = async (request, url) => {
  const response = await fetch(request)
  const cache = await caches.open(CACHE)
  if (response.ok && await cache.match(url)) await cache.put(url, response.clone())
  return response
}

addEventListener("install", () => skipWaiting())
addEventListener("activate", event => event.waitUntil(clients.claim()))
addEventListener("fetch", event => {
  const { request } = event
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return
  const url = request.url.split(/[?#]/)[0]  // an interview's address differs by its query only
  event.respondWith(fromNetwork(request, url).catch(async error => {
    const kept = await caches.match(url, { ignoreVary: true })
    if (kept) return kept
    throw error
  }))
})
