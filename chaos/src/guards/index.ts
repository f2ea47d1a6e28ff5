import { fileURLToPath } from "node:url";
import type { Decorators } from "../../../server/src/decorate.ts";
import { withoutChainLookUp } from "./chain.ts";
import { withoutPaidClaim } from "./payments.ts";
import { withoutServicingLookup } from "./supplier.ts";
import { withoutDurableFlush, withoutIdempotency } from "./usage.ts";

const LATE_DEVNET = fileURLToPath(new URL("./late-devnet.ts", import.meta.url));

/** The service without one of its guards, by the guard's name: a run against it must fail. */
export const withoutGuard: Readonly<Record<string, () => Decorators>> = {
  idempotency: () => ({ calls: withoutIdempotency }),
  "durable-flush": () => ({ calls: withoutDurableFlush }),
  "chain-look-up": withoutChainLookUp,
  "chain-log": () => ({ devnetProgram: LATE_DEVNET }),
  "paid-claim": () => ({ stores: withoutPaidClaim }),
  "servicing-lookup": () => ({ supplier: withoutServicingLookup }),
};
