// Has the page that is open kept for when there is no network.

import { ask } from "./shared/worker.js"

ask("opened").catch(() => { /* the page needs the network then */ })
