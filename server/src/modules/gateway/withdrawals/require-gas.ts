import { Failure } from "../../../domain/errors.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { Parts } from "../context.ts";
import { WITHDRAWAL_GAS } from "./carry-out.ts";

declare module "../../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "gateway.gatewayGas": GatewayGas;
  }
}

interface GatewayGas {
  /** Throws `wallet_lacks_gas`, or `chain_not_available` where the wallet's gas would be missing in the books. */
  require(chain: Pick<Chain, "key" | "nativeToken">, wallet: Hex): Promise<void>;
}

export const lacksGas =
  "The wallet itself must send the withdrawal, and needs gas for it. Send it the chain's native coin, as the answer says; then call again.";

const TRANSACTIONS = 2n;

export function createGatewayGas({ chains }: Pick<Parts, "chains">): GatewayGas {
  return {
    async require({ key, nativeToken }, address) {
      const opened = chains.at(key);
      // A development chain's relayer gives it.
      if (opened === undefined || !opened.isLive) return;
      if (nativeToken !== undefined) {
        throw new Failure("chain_not_available", {
          detail: `On this chain gas is paid in ${nativeToken}, which the ledger cannot follow: send the money to another chain with gateway_transfer. Nothing was done.`,
        });
      }
      const missing = await opened.sender.lackedForGas(address, WITHDRAWAL_GAS * TRANSACTIONS);
      if (missing === 0n) return;
      throw new Failure("wallet_lacks_gas", { detail: lacksGas, extra: { address, missingWei: missing.toString() } });
    },
  };
}
