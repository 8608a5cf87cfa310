// The token of the server that served this page: whoever has it can run programs.
//
// The printed address has a key that gets the token once. It is kept in `sessionStorage`, so it ends with the tab, and
// a tab that has it gives it to another one of this origin that asks.

import { Refused } from "../programs/programs.js"

const TOKEN = "torch-warmup-live-token"
const PATIENCE = 300  // milliseconds that another tab has to answer

/** What a reader can do where there is no token. */
export const ASK = "This tab has no key, or an old one: each address works once, for a minute. In the terminal of `make live`, press Enter and open the new address."

const channel = new BroadcastChannel(TOKEN)
channel.addEventListener("message", ({ data }) => {
  const kept = sessionStorage.getItem(TOKEN)
  if (data.ask && kept) channel.postMessage({ token: kept })
})

// Exchange the key in the address, and take it away from there.
const exchanged = async () => {
  const found = /^#key=([\w-]+)$/.exec(location.hash)
  if (!found) return
  history.replaceState(null, "", location.pathname + location.search)
  const response = await fetch("/jupyter/key", { method: "POST", body: found[1], redirect: "error" }).catch(() => null)
  if (response?.ok) sessionStorage.setItem(TOKEN, (await response.json()).token)
}

const fromAnotherTab = () => new Promise(resolve => {
  const end = () => {
    channel.removeEventListener("message", take)
    resolve()
  }
  const take = ({ data }) => {
    if (!data.token) return
    sessionStorage.setItem(TOKEN, data.token)
    end()
  }
  channel.addEventListener("message", take)
  channel.postMessage({ ask: true })
  setTimeout(end, PATIENCE)
})

const ready = exchanged()

/**
 * The token, from this tab or another one.
 *
 * @returns {Promise<string>}
 * @throws {Refused} neither has it.
 */
export const token = async () => {
  await ready
  if (!sessionStorage.getItem(TOKEN)) await fromAnotherTab()
  const kept = sessionStorage.getItem(TOKEN)
  if (!kept) throw new Refused(ASK)
  return kept
}
