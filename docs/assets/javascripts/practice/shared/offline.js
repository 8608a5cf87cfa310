// Has all practice pages kept for when there is no network, unless the browser asks to save data.

import { ask } from "../../shared/worker.js"

/** What is kept once this visit's release is, or what was kept before; rejected where there is no worker. */
export const visit = ask(navigator.connection?.saveData ? "look" : "keep")

visit.then(({ failed }) => {
  for (const box of document.querySelectorAll("[data-offline]")) box.hidden = Boolean(failed)
}, () => { /* the pages need the network then */ })
