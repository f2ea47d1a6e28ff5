import type { Queryable } from "../../../platform/database/database.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { WalletMovement } from "../wallet-movements.ts";

/** Transfers between chains that movements belong to. */
export async function readTransfers(
  db: Queryable,
  tenantId: string,
  { environment }: { environment: Environment },
  ids: readonly string[],
): Promise<readonly NonNullable<WalletMovement["transfer"]>[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("crossChainTransfer")
    .select((transfer) => [
      "id",
      "feeMicro",
      "recipient",
      transfer
        .exists(
          transfer
            .selectFrom("wallet")
            .select("wallet.id")
            .whereRef("wallet.address", "=", "crossChainTransfer.recipient")
            .where("wallet.environment", "=", environment)
            .where("wallet.tenantId", "=", tenantId)
            .where("wallet.kind", "=", "treasury"),
        )
        .as("isToOwnWallet"),
    ])
    .where("environment", "=", environment)
    .where("tenantId", "=", tenantId)
    .where("id", "in", ids)
    .execute();
  return rows.map(({ id, feeMicro, recipient, isToOwnWallet }) => ({
    id,
    fee: feeMicro ?? undefined,
    recipient,
    isToOwnWallet: Boolean(isToOwnWallet),
  }));
}
