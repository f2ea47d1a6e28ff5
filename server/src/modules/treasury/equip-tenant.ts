import type { Micro } from "../../domain/money.ts";
import { tokenSymbols } from "../../domain/tokens.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { ChainTransactions, Wallets } from "../chain/index.ts";
import { mint } from "./mint-operation.ts";

interface Equipment {
  wallets: Wallets;
  chainTransactions: ChainTransactions;
}

/**
 * Gives a new tenant a treasury on the development chain and test money, the same amount of each token. Runs in the transaction
 * that creates the tenant; the submitter mints the money.
 */
export async function equipTenant(
  { wallets, chainTransactions }: Equipment,
  tenantId: string,
  amount: Micro,
): Promise<ChainTransaction[]> {
  const wallet = await wallets.ensure("sandbox", "treasury", tenantId);
  const mints: ChainTransaction[] = [];
  for (const token of amount > 0n ? tokenSymbols : []) {
    mints.push(
      await chainTransactions.enqueue({
        environment: "sandbox",
        idempotencyKey: `development-money:${tenantId}:${token}`,
        tenantId,
        callId: null,
        purpose: "development_money",
        operation: mint.of({ token, to: wallet.address, amount }),
        result: undefined,
      }),
    );
  }
  return mints;
}
