// The worker that keeps pages for when there is no network: docs/offline.js says how.

import { address } from "./address.js"

const { serviceWorker } = navigator

const firstWorker = async () => {
  if (!serviceWorker) throw new Error("This browser has no service workers here.")
  // The worker of practice alone, which was here before that of the whole site.
  const scope = address("practice/").href
  const found = await serviceWorker.getRegistration(scope)
  if (found?.scope === scope) await found.unregister()
  // Its two files are of one release: none of them from what the browser has kept for itself.
  const registration = await serviceWorker.register(address("offline.js"), { scope: address(""), updateViaCache: "none" })
  const one = registration.installing ?? registration.waiting ?? registration.active
  while (!["activated", "redundant"].includes(one.state)) await new Promise(resolve => one.addEventListener("statechange", resolve, { once: true }))
  return one
}

const worker = new Promise(resolve => {
  if (document.readyState === "complete") resolve()
  else addEventListener("load", () => resolve(), { once: true })
}).then(firstWorker)

/**
 * Ask the worker to do something.
 *
 * @param {"opened"|"keep"|"look"|"more"|"remove"} action
 * @returns {Promise<{failed: ?string, kept: ?{bytes: number, rest: number, missing: number}}>} the name of what failed, and what is kept
 *   then, as `state` of docs/offline-store.js has it.
 * @throws there is no worker: some private windows refuse, and addresses without https.
 */
export const ask = async action => {
  const first = await worker
  const answered = new AbortController()
  const { data } = await new Promise(resolve => {
    const send = to => {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener("message", resolve)
      port1.start()
      to.postMessage(action, [port2])
    }
    send(first)
    // The one that was asked has a successor, and may have ended before it was done.
    serviceWorker.addEventListener("controllerchange", () => send(serviceWorker.controller), { signal: answered.signal })
  })
  answered.abort()
  return data
}
