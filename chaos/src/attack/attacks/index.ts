import type { Attack } from "../attack.ts";
import { headerFlood } from "./header-flood.ts";
import { pipelining } from "./pipelining.ts";
import { refusedKeys } from "./refused-keys.ts";

export const attacks: readonly Attack[] = [pipelining, headerFlood, refusedKeys];
