import { sql } from "kysely";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { newId } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Signer } from "../../ports/chain/signer.ts";
import type { Wallet, WalletKind } from "../../ports/chain/wallets.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import { type ChainMemory, createChainMemory } from "./chain-memory.ts";
import { findWalletOwner, type OwnedAddress, type Wallets } from "./wallets.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "chain.wallets": Wallets;
  }
}

interface WalletStorage {
  db: Queryable;
  vault: Vault;
  clock: Clock;
  memory?: Pick<ChainMemory, "wallets">;
}

const columns = ["id", "environment", "chain", "kind", "tenantId", "address"] as const;

const MOST_WALLETS = 10_000;
const HEX = /^0x[0-9a-f]+$/;

/** Joins the caller's transaction if `db` is one. The chain must be bound (`bound-chains.ts`). */
export function createWallets(
  storage: WalletStorage,
): Wallets & { adopt(chain: ChainKey, kind: "relayer", privateKey: Hex): Promise<Wallet> } {
  const { db, memory: { wallets } = createChainMemory() } = storage;

  async function find(key: ChainKey, kind: WalletKind, tenantId: string | null): Promise<Wallet | undefined> {
    const name = `${key.environment} ${key.chain} ${kind} ${tenantId ?? ""}`;
    const known = wallets.get(name);
    if (known !== undefined) return known;
    const wallet = await read(key, kind, tenantId);
    if (wallet === undefined || db.isTransaction) return wallet;
    if (wallets.size >= MOST_WALLETS) wallets.clear();
    wallets.set(name, wallet);
    return wallet;
  }

  async function read(
    { environment, chain }: ChainKey,
    kind: WalletKind,
    tenantId: string | null,
  ): Promise<Wallet | undefined> {
    return await db
      .selectFrom("wallet")
      .select(columns)
      .where("environment", "=", environment)
      .where("chain", "=", chain)
      .where("kind", "=", kind)
      .where("tenantId", tenantId === null ? "is" : "=", tenantId)
      .executeTakeFirst();
  }

  /** The first process decides the key. */
  async function insert(key: ChainKey, kind: WalletKind, tenantId: string | null, privateKey: Hex): Promise<Wallet> {
    const id = newId("wal_", storage.clock.now().epochMilliseconds);
    await db
      .insertInto("wallet")
      .values({
        id,
        environment: key.environment,
        chain: key.chain,
        kind,
        tenantId,
        address: lowerHex(privateKeyToAddress(privateKey)),
        encryptedKey: storage.vault.encrypt(privateKey, sealingContext(id)),
        createdAt: storage.clock.now().toString(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const wallet = await find(key, kind, tenantId);
    if (wallet === undefined) throw new Error(`the address of the ${kind} wallet belongs to another wallet`);
    return wallet;
  }

  return {
    async ensure(key: ChainKey, kind: WalletKind, tenantId: string | null = null) {
      return (await find(key, kind, tenantId)) ?? (await insert(key, kind, tenantId, generatePrivateKey()));
    },

    /** Stores the operator's own key, unless there is one already; returns the stored one. */
    async adopt(key, kind, privateKey) {
      return (await find(key, kind, null)) ?? (await insert(key, kind, null, privateKey));
    },

    findTreasury: (key, tenantId) => find(key, "treasury", tenantId),

    async listTreasuryChains(environment, tenantId) {
      // There are few chains: each is one look into the index.
      const { rows } = await sql<{ chain: string }>`
        select chain from chain_network as bound where network = ${environment} and exists (
          select from wallet where wallet.network = bound.network and wallet.chain = bound.chain and tenant_id = ${tenantId})
        order by is_home desc, chain`.execute(db);
      return rows.map(({ chain }) => chain);
    },

    async list({ environment, chain }) {
      return await db
        .selectFrom("wallet")
        .select(columns)
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .orderBy("id")
        .execute();
    },

    async findByAddress({ environment, chain }, addresses) {
      if (addresses.length === 0) return new Map();
      const rows = await db
        .selectFrom("wallet")
        .select(columns)
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("address", "in", [...new Set(addresses)])
        .execute();
      return new Map(rows.map((row) => [row.address, row]));
    },

    findOwners: (key, addresses) => findOwners(db, key, addresses),

    tenantsWithout: (key, limit) => tenantsWithout(db, key, limit),

    tenantsWithoutTransaction: (key, keyPrefix, limit) => tenantsWithoutTransaction(db, key, keyPrefix, limit),
  };
}

interface OwnerRow {
  address: Hex;
  kind: WalletKind | "escrow";
  tenantId: string | null;
  since: string;
}

async function findOwners(
  db: Queryable,
  { environment, chain }: ChainKey,
  addresses: readonly Hex[],
): Promise<ReadonlyMap<Hex, OwnedAddress>> {
  if (addresses.length === 0) return new Map();
  const asked = [...new Set(addresses)];
  const { rows } = await sql<OwnerRow>`
    ${prepared("find-owners")}
    select address, kind, tenant_id as "tenantId", '-1' as since from wallet
    where network = ${environment} and chain = ${chain} and address = any (${asked}::text[])
    union all
    select address, 'escrow', tenant_id, since_block::text from further_escrow
    where network = ${environment} and chain = ${chain} and address = any (${asked}::text[])`.execute(db);
  return new Map(
    rows.flatMap(({ address, kind, tenantId, since }) => {
      const owner = kind === "escrow" ? { kind, tenantId: tenantId ?? undefined } : findWalletOwner({ kind, tenantId });
      return owner === undefined ? [] : [[address, { owner, sinceBlock: BigInt(since) }] as const];
    }),
  );
}

async function tenantsWithout(
  db: Queryable,
  { environment, chain }: ChainKey,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("tenant")
    .select("id")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("wallet")
            .select("wallet.id")
            .whereRef("wallet.tenantId", "=", "tenant.id")
            .where("wallet.environment", "=", environment)
            .where("wallet.chain", "=", chain),
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
  { environment, chain }: ChainKey,
  keyPrefix: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ tenantId: string }>`
    select tenant_id from wallet
    where network = ${environment} and chain = ${chain} and kind = 'treasury' and not exists (
      select from chain_transaction as stored
      where stored.network = wallet.network and stored.chain = wallet.chain
        and stored.idempotency_key = ${keyPrefix}::text || wallet.tenant_id)
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
