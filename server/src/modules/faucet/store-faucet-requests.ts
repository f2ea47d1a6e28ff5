import { type Selectable, sql } from "kysely";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { FaucetRequestTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TestGift } from "../../ports/test-faucet.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "faucet.faucetRequests": FaucetRequests;
  }
}

export interface FaucetRequest extends TestGift {
  state: FaucetRequestTable["state"];
  tenantId: string;
  askedAt: Temporal.Instant;
  againAt: Temporal.Instant;
  /** The last block before the request; undefined: the chain could not be asked. */
  afterBlock: bigint | undefined;
  transactionHash: Hex | undefined;
}

/** The latest request for each address. One that may have been answered with money is followed by no other before its time. */
export interface FaucetRequests {
  find(gift: TestGift): Promise<FaucetRequest | undefined>;
  /** Stores the request as asked, before it is sent. Undefined: an earlier one forbids it. */
  ask(
    gift: TestGift,
    request: { tenantId: string; againAt: Temporal.Instant; afterBlock: bigint | undefined },
  ): Promise<FaucetRequest | undefined>;
  /** False: another request has followed. */
  end(
    request: FaucetRequest,
    end: { state: "unknown" | "given" | "refused"; againAt?: Temporal.Instant; transactionHash?: Hex },
  ): Promise<boolean>;
}

export function createFaucetRequests(db: Queryable, clock: Clock): FaucetRequests {
  const now = (): string => clock.now().toString();
  const select = () => db.selectFrom("faucetRequest").selectAll();
  return {
    async find({ blockchain, token, address }) {
      const row = await select()
        .where("blockchain", "=", blockchain)
        .where("token", "=", token)
        .where("address", "=", address)
        .executeTakeFirst();
      return row === undefined ? undefined : toRequest(row);
    },

    async ask({ blockchain, token, address }, { tenantId, againAt, afterBlock }) {
      const asked = { state: "asked" as const, tenantId, askedAt: now(), againAt: againAt.toString() };
      const change = { ...asked, afterBlock: afterBlock ?? null, transactionHash: null };
      // Old requests tell nothing any more.
      await db
        .deleteFrom("faucetRequest")
        .where("againAt", "<", sql<Temporal.Instant>`${now()}::timestamptz - interval '1 day'`)
        .execute();
      const row = await db
        .insertInto("faucetRequest")
        .values({ blockchain, token, address, ...change })
        .onConflict((conflict) =>
          conflict
            .columns(["blockchain", "token", "address"])
            .doUpdateSet(change)
            .where("faucetRequest.againAt", "<=", sql<Temporal.Instant>`${now()}::timestamptz`),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toRequest(row);
    },

    async end({ blockchain, token, address, askedAt }, { state, againAt, transactionHash }) {
      const row = await db
        .updateTable("faucetRequest")
        .set({
          state,
          ...(againAt === undefined ? {} : { againAt: againAt.toString() }),
          ...(transactionHash === undefined ? {} : { transactionHash }),
        })
        .where("blockchain", "=", blockchain)
        .where("token", "=", token)
        .where("address", "=", address)
        .where("askedAt", "=", sql<Temporal.Instant>`${askedAt.toString()}::timestamptz`)
        .returning("address")
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function toRequest(row: Selectable<FaucetRequestTable>): FaucetRequest {
  return withoutNulls(row);
}
