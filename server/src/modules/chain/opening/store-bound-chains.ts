import type { Selectable } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChainNetworkTable } from "../../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import type { BoundChain, ChainContracts } from "../../../ports/chain/bound-chains.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import { nameEvmChain } from "../../../ports/chain/chain-key.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import { appendAudit } from "../../identity/index.ts";
import { createChainMemory } from "../chain-memory.ts";
import type { BoundChains } from "./bound-chains.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "chain.boundChains": BoundChains;
  }
}

const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
const Contracts = z.object({
  tokens: z.object({ USDC: Address, EURC: Address.exactOptional() }),
  splitter: Address.exactOptional(),
  faucet: Address.exactOptional(),
  paymentBatch: Address.exactOptional(),
  escrow: Address.exactOptional(),
  escrowSince: z.int().exactOptional(),
  eurcSince: z.int().exactOptional(),
  agentRegistries: z
    .object({ forwarder: Address, identity: Address, reputation: Address, validation: Address.exactOptional() })
    .exactOptional(),
  crossChain: z
    .object({
      bridge: z
        .object({ transmitter: Address, messenger: Address, signedBurns: Address.exactOptional() })
        .exactOptional(),
      gateway: z.object({ wallet: Address, minter: Address }).exactOptional(),
      swapPool: Address.exactOptional(),
    })
    .exactOptional(),
});

export function createBoundChains(db: Queryable, clock: Clock, { homes } = createChainMemory()): BoundChains {
  const now = (): string => clock.now().toString();
  async function get({ environment, chain }: ChainKey): Promise<BoundChain | undefined> {
    const row = await db
      .selectFrom("chainNetwork")
      .selectAll()
      .where("environment", "=", environment)
      .where("chain", "=", chain)
      .executeTakeFirst();
    return row === undefined ? undefined : toBoundChain(row);
  }

  async function findHome(environment: Environment): Promise<BoundChain | undefined> {
    const row = await db
      .selectFrom("chainNetwork")
      .selectAll()
      .where("environment", "=", environment)
      .where("isHome", "=", true)
      .executeTakeFirst();
    return row === undefined ? undefined : toBoundChain(row);
  }

  return {
    get,
    findHome,

    async isStopped({ environment, chain }) {
      const row = await db
        .selectFrom("chainNetwork")
        .select("stoppedBecause")
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .executeTakeFirst();
      return row !== undefined && row.stoppedBecause !== null;
    },

    listIndexed: (environment) => listIndexed(db, environment),

    async requireHome(environment) {
      const known = homes.get(environment);
      if (known !== undefined) return known;
      const home = await findHome(environment);
      if (home === undefined) throw new Error(`the ${environment} environment has no chain`);
      const key = { environment, chain: home.chain };
      if (!db.isTransaction) homes.set(environment, key);
      return key;
    },

    async bind(environment, { chainId, genesisHash, head, isHome }) {
      const chain = nameEvmChain(chainId);
      await db
        .insertInto("chainNetwork")
        .values({
          environment,
          chain,
          isHome,
          chainId: BigInt(chainId),
          genesisHash,
          indexedNumber: head.number,
          indexedHash: head.hash,
          stoppedBecause: null,
          updatedAt: now(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const stored = isHome ? await findHome(environment) : await get({ environment, chain });
      if (stored === undefined) throw new Error(`the chain of ${environment} was stored and is gone`);
      return stored;
    },

    async setContracts({ environment, chain }, contracts) {
      await db
        .updateTable("chainNetwork")
        .set({ contracts: JSON.stringify(contracts), updatedAt: now() })
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .execute();
    },

    async advance({ environment, chain, indexed: from, furtherEscrows }, to) {
      const row = await db
        .updateTable("chainNetwork")
        .set({ indexedNumber: to.number, indexedHash: to.hash, updatedAt: now() })
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("indexedNumber", "=", from.number)
        .where("indexedHash", "=", from.hash)
        .where("furtherEscrows", "=", furtherEscrows)
        .returning("environment")
        .executeTakeFirst();
      return row !== undefined;
    },

    stop: (chain, reason) =>
      db.isTransaction
        ? stopChain(db, clock, chain, reason)
        : db.transaction().execute((transaction) => stopChain(transaction, clock, chain, reason)),

    resume: (chain) => resumeChain(db, now(), chain),
    compareAgain: (chain) => compareAgain(db, chain),
  };
}

async function resumeChain(db: Queryable, updatedAt: string, { environment, chain }: ChainKey): Promise<boolean> {
  const row = await db
    .updateTable("chainNetwork")
    .set({ stoppedBecause: null, updatedAt })
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("stoppedBecause", "is not", null)
    .returning("environment")
    .executeTakeFirst();
  return row !== undefined;
}

/** Tells of the change that it does not make. */
async function compareAgain(db: Queryable, { environment, chain }: ChainKey): Promise<void> {
  await db
    .updateTable("chainNetwork")
    .set(({ ref }) => ({ stoppedBecause: ref("stoppedBecause") }))
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .execute();
}

async function listIndexed(db: Queryable, environment: Environment): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db
    .selectFrom("chainNetwork")
    .select(["chain", "indexedNumber"])
    .where("environment", "=", environment)
    .execute();
  return new Map(rows.map(({ chain, indexedNumber }) => [chain, indexedNumber]));
}

async function stopChain(
  db: Queryable,
  clock: Clock,
  { environment, chain }: ChainKey,
  reason: string,
): Promise<boolean> {
  const row = await db
    .updateTable("chainNetwork")
    .set({ stoppedBecause: reason, updatedAt: clock.now().toString() })
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("stoppedBecause", "is", null)
    .returning("isHome")
    .executeTakeFirst();
  if (row === undefined) return false;
  const details = { stoppedBecause: reason, ...(row.isHome ? {} : { chain }) };
  const entry = { environment, actor: "job:chain", action: "chain.stop", subjectId: environment, details };
  await appendAudit(db, entry, clock);
  return true;
}

function toBoundChain(row: Selectable<ChainNetworkTable>): BoundChain {
  const { indexedNumber, indexedHash, ...network } = withoutNulls(row);
  return {
    ...network,
    chainId: Number(row.chainId),
    contracts: readContracts(row.contracts),
    indexed: { number: indexedNumber, hash: indexedHash },
  };
}

function readContracts(value: unknown): ChainContracts | undefined {
  const read = Contracts.safeParse(value);
  return read.success ? read.data : undefined;
}
