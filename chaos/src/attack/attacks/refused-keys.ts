import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { postMany } from "../post-many.ts";

const CALLS = 100;
/** The limit a minute that the harness starts the service with. A slow machine meets it twice. */
const REFUSALS = 20;

/** Keys of the right form that nobody has. */
export const refusedKeys: Attack = {
  name: "refused keys",
  hosts: ["app", "edge"],
  guard: "refusal-limit",
  bounds: { memoryMegabytes: 96, waitingRequests: 100, outsideCalls: { keyLookUps: (2 * REFUSALS) / CALLS } },
  async begin(target, host) {
    const path = host === "app" ? "/api/agent/dispatch" : "/mcp";
    const body = JSON.stringify({ tool: "timezone_brief", args: {} });
    const { problems } = await postMany(CALLS, () => ({
      url: `${target.urls[host]}${path}`,
      headers: { authorization: `Bearer ak_${randomBytes(20).toString("hex")}` },
      body,
    }));
    return { calls: CALLS, problems, end: async () => undefined };
  },
};
