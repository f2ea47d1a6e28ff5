import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { postMany } from "../post-many.ts";

const CALLS = 100;
/** The limit a minute that the harness starts the service with. A slow machine meets it twice. */
const REQUESTS = 20;

/** Guest links and claim codes by guessing. */
export const claimCodes: Attack = {
  name: "wrong claim codes",
  hosts: ["app"],
  guard: "claim-limit",
  bounds: { memoryMegabytes: 96, waitingRequests: 60, outsideCalls: { tripLookUps: (2 * REQUESTS) / CALLS } },
  async begin(target) {
    const { problems } = await postMany(CALLS, () => ({
      url: `${target.urls.app}/api/claims/0x${randomBytes(32).toString("hex")}`,
      body: JSON.stringify({
        linkSecret: randomBytes(32).toString("base64url"),
        guestWallet: `0x${randomBytes(20).toString("hex")}`,
        claimCode: "123456",
      }),
    }));
    return { calls: CALLS, problems, end: async () => undefined };
  },
};
