// Programs run in a kernel of the server that served this page.

import { show } from "../programs/programs.js"
import { Kernel, takeToken } from "./kernel.js"

takeToken()
show(new Kernel())
