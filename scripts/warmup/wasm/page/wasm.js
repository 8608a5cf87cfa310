// Programs run in this browser.

import { show } from "../programs/programs.js"
import { Browser } from "./browser.js"

show(new Browser())
