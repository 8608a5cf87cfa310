// Programs run in a kernel of the server that served this page.

import { show } from "../programs/programs.js"
import { Kernel } from "./kernel.js"

show(new Kernel())
