import { defineModule } from "./context.ts";
import { drip } from "./drip-operation.ts";
import * as faucetRequests from "./migrations/0129-faucet-requests.ts";
import { createFaucetRequests } from "./store-faucet-requests.ts";
import { faucetDrip } from "./tools/faucet-drip.ts";

export const faucetModule = defineModule({
  name: "faucet",
  tools: [faucetDrip],
  stores: ({ db, clock }) => ({ faucetRequests: createFaucetRequests(db, clock) }),
  migrations: { "0129-faucet-requests": faucetRequests },
  chainOperations: [drip],
});
