// Has the practice pages kept for when there is no network (docs/practice/offline.js). Some private windows refuse.

import { address } from "../../shared/address.js"

const { serviceWorker } = navigator
if (serviceWorker) {
  serviceWorker.addEventListener("message", () => {
    for (const box of document.querySelectorAll("[data-offline]")) box.hidden = false
  })
  // On a first visit, and after one with another worker, the one that answers is not there yet when the page asks.
  serviceWorker.addEventListener("controllerchange", () => serviceWorker.controller?.postMessage("keep"))
  addEventListener("load", async () => {
    try {
      const { active } = await serviceWorker.register(address("practice/offline.js"), { scope: address("practice/") })
      active?.postMessage("keep")
    } catch { /* the pages need the network then */ }
  })
}
