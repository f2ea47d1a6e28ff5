import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../../domain/errors.ts";
import type { Micro } from "../../../domain/money.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "../../../domain/tokens.ts";
import type { BoundChain } from "../../../ports/chain/bound-chains.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Stores } from "../context.ts";

interface AllowingPorts {
  chain: Chain;
  stores: Pick<Stores, "boundChains" | "furtherEscrows" | "wallets">;
}

interface Allowance {
  tenantId: string;
  address: Hex;
}

const ATTEMPTS = 20;
const PAUSE_MILLISECONDS = 500;
const MOST_UNREAD_BLOCKS = 2_000n;

/**
 * Allows a tenant to prefund trips in another escrow contract, by an operator's decision, and has the ledger follow the contract. Safe to
 * repeat, and in several processes at once. Throws Failure `conflict` with the reason for a contract that cannot be allowed.
 */
export async function allowEscrow(
  ports: AllowingPorts,
  { tenantId, address }: Allowance,
): Promise<"allowed" | "known"> {
  const { chain, stores } = ports;
  const { key } = chain;
  if (address === chain.escrow?.address) {
    throw refuse(`${address} is this network's own escrow, which every tenant can use already.`);
  }
  const known = await stores.furtherEscrows.find(key, address);
  if (known !== undefined && known.tenantId !== tenantId) throw usedByAnother(address);
  const found = await chain.probeEscrow(address, await readRoles(ports));
  if (known !== undefined) {
    return (await stores.furtherEscrows.setRevoked(key, known, false)) ? "allowed" : "known";
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await delay(PAUSE_MILLISECONDS);
    const bound = await stores.boundChains.get(key);
    if (bound === undefined) throw new Error(`the chain ${key.chain} is not bound`);
    if (!(await isReadFor(chain, bound, address))) continue;
    const balances = await readBalances(chain, bound, address);
    if (await stores.furtherEscrows.add(bound, { tenantId, address, ...found, balances })) return "allowed";
    const added = await stores.furtherEscrows.find(key, address);
    if (added === undefined) continue;
    if (added.tenantId === tenantId) return "known";
    throw usedByAnother(address);
  }
  throw refuse(
    "The ledger has not read the latest blocks, in which money moved into or out of this contract. Run the command again while the service is running.",
  );
}

/** Forbids the tenant new trips in the contract. False: it was forbidden before. */
export async function revokeEscrow(
  { furtherEscrows }: Pick<Stores, "furtherEscrows">,
  chain: ChainKey,
  allowance: Allowance,
): Promise<boolean> {
  const { tenantId, address } = allowance;
  const known = await furtherEscrows.find(chain, address);
  if (known?.tenantId !== tenantId) {
    throw new Failure("not_found", {
      detail: `The tenant ${tenantId} has no further escrow ${address} on this network.`,
    });
  }
  return await furtherEscrows.setRevoked(chain, allowance, true);
}

/** The service sends as the relayer, and its fees go to the collection wallet. */
async function readRoles({ chain, stores }: AllowingPorts): Promise<{ operator: Hex; serviceFeeRecipient: Hex }> {
  const wallets = await stores.wallets.list(chain.key);
  const relayer = wallets.find(({ kind }) => kind === "relayer");
  const collection = wallets.find(({ kind }) => kind === "collection");
  if (relayer !== undefined && collection !== undefined) {
    return { operator: relayer.address, serviceFeeRecipient: collection.address };
  }
  throw refuse("The service has no wallets on this network yet: they come with its first start.");
}

/** Whether the ledger has read every block in which money moved into or out of the contract so far. */
async function isReadFor(chain: Chain, { indexed }: BoundChain, address: Hex): Promise<boolean> {
  const head = await chain.head();
  if (head.number <= indexed.number) return true;
  if (head.number - indexed.number > MOST_UNREAD_BLOCKS) return false;
  const movements = await chain.movements(indexed.number + 1n, head.number);
  return !movements.some(({ from, to }) => from === address || to === address);
}

async function readBalances(
  chain: Chain,
  { indexed }: BoundChain,
  address: Hex,
): Promise<Readonly<Record<TokenSymbol, Micro>>> {
  const balances: Record<TokenSymbol, Micro> = { USDC: 0n, EURC: 0n };
  for (const token of tokenSymbols) balances[token] = (await chain.balances(token, [address], indexed.number))[0] ?? 0n;
  return balances;
}

const refuse = (detail: string) => new Failure("conflict", { detail });
const usedByAnother = (address: Hex) =>
  refuse(`${address} is an escrow of another tenant. Deploy one for this tenant.`);
