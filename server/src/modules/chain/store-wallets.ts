import { sql } from "kysely";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { newId } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Signer } from "../../ports/signer.ts";
import type { Vault } from "../../ports/vault.ts";
import type { Wallet, WalletKind, Wallets } from "../../ports/wallets.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "chain.wallets": Wallets;
  }
}

interface WalletStorage {
  db: Queryable;
  vault: Vault;
  clock: Clock;
}

const columns = ["id", "network", "kind", "tenantId", "address"] as const;

const HEX = /^0x[0-9a-f]+$/;

/** Joins the caller's transaction when `db` is one. The network must be bound (`bound-chains.ts`). */
export function createWallets(
  storage: WalletStorage,
): Wallets & { adopt(network: Environment, kind: "relayer", privateKey: Hex): Promise<Wallet> } {
  const { db } = storage;

  async function find(network: Environment, kind: WalletKind, tenantId: string | null): Promise<Wallet | undefined> {
    return await db
      .selectFrom("wallet")
      .select(columns)
      .where("network", "=", network)
      .where("kind", "=", kind)
      .where("tenantId", tenantId === null ? "is" : "=", tenantId)
      .executeTakeFirst();
  }

  /** Whoever is first decides about the key. */
  async function insert(
    network: Environment,
    kind: WalletKind,
    tenantId: string | null,
    privateKey: Hex,
  ): Promise<Wallet> {
    const id = newId("wal_", storage.clock.now().epochMilliseconds);
    await db
      .insertInto("wallet")
      .values({
        id,
        network,
        kind,
        tenantId,
        address: lowerHex(privateKeyToAddress(privateKey)),
        encryptedKey: storage.vault.encrypt(privateKey, contextOf(id)),
        createdAt: storage.clock.now().toString(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const wallet = await find(network, kind, tenantId);
    if (wallet === undefined) throw new Error(`the address of the ${kind} wallet belongs to another wallet`);
    return wallet;
  }

  return {
    async ensure(network: Environment, kind: WalletKind, tenantId: string | null = null) {
      return (await find(network, kind, tenantId)) ?? (await insert(network, kind, tenantId, generatePrivateKey()));
    },

    /** The operator's own key. The one that is stored answers, which may be another. */
    async adopt(network, kind, privateKey) {
      return (await find(network, kind, null)) ?? (await insert(network, kind, null, privateKey));
    },

    findTreasury: (network, tenantId) => find(network, "treasury", tenantId),

    async list(network) {
      return await db.selectFrom("wallet").select(columns).where("network", "=", network).orderBy("id").execute();
    },

    async findByAddress(network, addresses) {
      if (addresses.length === 0) return new Map();
      const rows = await db
        .selectFrom("wallet")
        .select(columns)
        .where("network", "=", network)
        .where("address", "in", [...new Set(addresses)])
        .execute();
      return new Map(rows.map((row) => [row.address, row]));
    },

    tenantsWithout: (network, limit) => tenantsWithout(db, network, limit),

    tenantsWithoutTransaction: (network, keyPrefix, limit) => tenantsWithoutTransaction(db, network, keyPrefix, limit),
  };
}

async function tenantsWithout(db: Queryable, network: Environment, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("tenant")
    .select("id")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("wallet")
            .select("wallet.id")
            .whereRef("wallet.tenantId", "=", "tenant.id")
            .where("wallet.network", "=", network),
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
  network: Environment,
  keyPrefix: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ tenantId: string }>`
    select tenant_id from wallet where network = ${network} and kind = 'treasury' and not exists (
      select from chain_transaction as stored
      where stored.network = wallet.network and stored.idempotency_key = ${keyPrefix}::text || wallet.tenant_id)
    order by tenant_id limit ${limit}`.execute(db);
  return rows.map((row) => row.tenantId);
}

export function createSigner({ db, vault }: Pick<WalletStorage, "db" | "vault">): Signer {
  return {
    async privateKeyOf(walletId) {
      const row = await db
        .selectFrom("wallet")
        .select("encryptedKey")
        .where("id", "=", walletId)
        .executeTakeFirstOrThrow();
      return lowerHex(vault.decrypt(row.encryptedKey, contextOf(walletId)));
    },
  };
}

function contextOf(walletId: string): string {
  return `wallet:${walletId}`;
}

function lowerHex(text: string): Hex {
  const lower = text.toLowerCase();
  // Said without the text, which may be a key.
  if (!HEX.test(lower)) throw new Error("not hexadecimal");
  return `0x${lower.slice(2)}`;
}
