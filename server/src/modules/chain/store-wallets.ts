import { sql } from "kysely";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { newId } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Signer } from "../../ports/chain/signer.ts";
import type { Wallet, WalletKind } from "../../ports/chain/wallets.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import type { Wallets } from "./wallets.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "chain.wallets": Wallets;
  }
}

interface WalletStorage {
  db: Queryable;
  vault: Vault;
  clock: Clock;
}

const columns = ["id", "environment", "kind", "tenantId", "address"] as const;

const HEX = /^0x[0-9a-f]+$/;

/** Joins the caller's transaction if `db` is one. The chain must be bound (`bound-chains.ts`). */
export function createWallets(
  storage: WalletStorage,
): Wallets & { adopt(environment: Environment, kind: "relayer", privateKey: Hex): Promise<Wallet> } {
  const { db } = storage;

  async function find(
    environment: Environment,
    kind: WalletKind,
    tenantId: string | null,
  ): Promise<Wallet | undefined> {
    return await db
      .selectFrom("wallet")
      .select(columns)
      .where((where) => where.and({ environment, kind }))
      .where("tenantId", tenantId === null ? "is" : "=", tenantId)
      .executeTakeFirst();
  }

  /** The first process decides the key. */
  async function insert(
    environment: Environment,
    kind: WalletKind,
    tenantId: string | null,
    privateKey: Hex,
  ): Promise<Wallet> {
    const id = newId("wal_", storage.clock.now().epochMilliseconds);
    await db
      .insertInto("wallet")
      .values({
        id,
        environment,
        kind,
        tenantId,
        address: lowerHex(privateKeyToAddress(privateKey)),
        encryptedKey: storage.vault.encrypt(privateKey, sealingContext(id)),
        createdAt: storage.clock.now().toString(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const wallet = await find(environment, kind, tenantId);
    if (wallet === undefined) throw new Error(`the address of the ${kind} wallet belongs to another wallet`);
    return wallet;
  }

  return {
    async ensure(environment: Environment, kind: WalletKind, tenantId: string | null = null) {
      return (
        (await find(environment, kind, tenantId)) ?? (await insert(environment, kind, tenantId, generatePrivateKey()))
      );
    },

    /** Stores the operator's own key, unless there is one already; returns the stored one. */
    async adopt(environment, kind, privateKey) {
      return (await find(environment, kind, null)) ?? (await insert(environment, kind, null, privateKey));
    },

    findTreasury: (environment, tenantId) => find(environment, "treasury", tenantId),

    async list(environment) {
      return await db
        .selectFrom("wallet")
        .select(columns)
        .where("environment", "=", environment)
        .orderBy("id")
        .execute();
    },

    async findByAddress(environment, addresses) {
      if (addresses.length === 0) return new Map();
      const rows = await db
        .selectFrom("wallet")
        .select(columns)
        .where("environment", "=", environment)
        .where("address", "in", [...new Set(addresses)])
        .execute();
      return new Map(rows.map((row) => [row.address, row]));
    },

    tenantsWithout: (environment, limit) => tenantsWithout(db, environment, limit),

    tenantsWithoutTransaction: (environment, keyPrefix, limit) =>
      tenantsWithoutTransaction(db, environment, keyPrefix, limit),
  };
}

async function tenantsWithout(db: Queryable, environment: Environment, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("tenant")
    .select("id")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("wallet")
            .select("wallet.id")
            .whereRef("wallet.tenantId", "=", "tenant.id")
            .where("wallet.environment", "=", environment),
        ),
      ),
    )
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

async function tenantsWithoutTransaction(
  db: Queryable,
  environment: Environment,
  keyPrefix: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ tenantId: string }>`
    select tenant_id from wallet where network = ${environment} and kind = 'treasury' and not exists (
      select from chain_transaction as stored
      where stored.network = wallet.network and stored.idempotency_key = ${keyPrefix}::text || wallet.tenant_id)
    order by tenant_id limit ${limit}`.execute(db);
  return rows.map((row) => row.tenantId);
}

export function createSigner({ db, vault }: Pick<WalletStorage, "db" | "vault">): Signer {
  return {
    async readPrivateKey(walletId) {
      const row = await db
        .selectFrom("wallet")
        .select("encryptedKey")
        .where("id", "=", walletId)
        .executeTakeFirstOrThrow();
      return lowerHex(vault.decrypt(row.encryptedKey, sealingContext(walletId)));
    },
  };
}

function sealingContext(walletId: string): string {
  return `wallet:${walletId}`;
}

function lowerHex(text: string): Hex {
  const lower = text.toLowerCase();
  // Omits the text, which may be a key.
  if (!HEX.test(lower)) throw new Error("not hexadecimal");
  return `0x${lower.slice(2)}`;
}
