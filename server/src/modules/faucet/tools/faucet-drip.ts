import { z } from "zod";
import { findNamedChain, withSpellings } from "../../../domain/chains/named-chains.ts";
import { Failure } from "../../../domain/errors.ts";
import type { Micro } from "../../../domain/money.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "../../../domain/tokens.ts";
import { final } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { TestGift } from "../../../ports/test-faucet.ts";
import { mint } from "../../chain/index.ts";
import {
  ChainResult,
  chainProvenance,
  FreeRecipient,
  requireAddress,
  requireMoving,
  requireUnblocked,
  sendOut,
  sendOutErrors,
  Token,
  toToolAnswer,
} from "../../treasury/index.ts";
import { defineTool, type Ports, type Stores } from "../context.ts";
import { drip } from "../drip-operation.ts";
import { askPublicFaucet, checkPublicFaucet, publicFaucetErrors } from "../public-faucet.ts";

const HUB = "ARC-TESTNET";
/** The same as the faucet of the first development chain gives, and as often. */
const FURTHER_DRIP: Micro = 20_000_000n;
const WINDOW_SECONDS = 7_200;

// The faucet's money does not come from a wallet.
const { insufficient_balance: _, ...sendErrors } = sendOutErrors;

const errors = {
  ...sendErrors,
  chain_not_available:
    "There is no faucet on this chain, or the chain is not answering. Use ARC-TESTNET with a sandbox key.",
  faucet_cooldown: "This address received this token recently. Call again after the number of seconds in the answer.",
  ...publicFaucetErrors,
} as const;

const Output = ChainResult.extend({
  to: z.string(),
  token: z.enum(tokenSymbols),
  blockchain: z.string(),
  status: z
    .enum(["confirmed", "requested"])
    .describe("requested: a public faucet sends it, but its transfer has not been seen yet"),
  txHash: z.string().nullable().describe("null: not known"),
});

export const faucetDrip = defineTool({
  name: "faucet_drip",
  title: "Drip from the faucet",
  summary: "Send development USDC or EURC to an address, for testing. It is worth nothing.",
  advice: "Only on test networks.",
  area: "treasury",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "usableChains", "testFaucet", "stores", "clock"],
  input: z.strictObject({
    address: FreeRecipient.describe("0x address of a wallet or contract"),
    blockchain: withSpellings(z.enum([HUB, "ETH-SEPOLIA", "AVAX-FUJI", "MATIC-AMOY"]).default(HUB)),
    token: Token,
  }),
  output: Output,
  errors,
  example: () => ({ address: "0x00000000000000000000000000000000000a11ce" }),

  // The faucet's money has no owner.
  plan: () => ({ movements: [], irreversible: [final("the faucet's gift")] }),

  async probe({ address, token, blockchain }, ports) {
    const { stores, clock, caller } = ports;
    if (ports.testFaucet.of(caller.environment) !== undefined) {
      await checkPublicFaucet(ports, { address: requireAddress(address), token, blockchain }, caller.tenantId);
      return;
    }
    const { chain } = await openFaucet(ports, blockchain);
    await checkDrip({ chain, stores, clock }, { to: requireAddress(address), token });
    await requireMoving(stores.boundChains, chain.key);
  },

  async run(input, ports) {
    const { stores, clock, caller, call } = ports;
    const { token, blockchain } = input;
    const to = requireAddress(input.address);
    const faucet = ports.testFaucet.of(caller.environment);
    if (faucet !== undefined) {
      const gift = { address: to, token, blockchain };
      const { transactionHash } = await askPublicFaucet({ ...ports, faucet }, gift, caller.tenantId);
      return describeGift(gift, transactionHash, clock);
    }
    const { chain, submission } = await openFaucet(ports, blockchain);
    await checkDrip({ chain, stores, clock }, { to, token });
    const asked = {
      tenantId: caller.tenantId,
      callId: call.id,
      purpose: "faucet_drip",
      result: { to, token, blockchain, ...chainProvenance(chain, clock) },
    };
    if (chain.faucet === undefined) {
      const idempotencyKey = nameWindow({ to, token }, clock).key;
      const request = { ...asked, idempotencyKey, operation: mint, input: { token, to, amount: FURTHER_DRIP } };
      return toToolAnswer(await sendOut({ chain, submission, stores }, request), Output);
    }
    const request = { ...asked, idempotencyKey: `faucet_drip:${call.id}`, operation: drip, input: { token, to } };
    const answer = await sendOut({ chain, submission, stores }, request).catch(async (error: unknown) => {
      // Another drip to this address was in a block first.
      if (error instanceof Failure && error.code === "transfer_reverted") await requireCooled(chain, token, to);
      throw error;
    });
    return toToolAnswer(answer, Output);
  },
});

/** A gift of the public faucet on the test network of this name. */
function describeGift({ address: to, token, blockchain }: TestGift, transactionHash: Hex | undefined, clock: Clock) {
  const network = findNamedChain(blockchain);
  if (network === undefined) throw new Error(`there is no network ${blockchain}`);
  return {
    to,
    token,
    blockchain,
    status: transactionHash === undefined ? ("requested" as const) : ("confirmed" as const),
    txHash: transactionHash ?? null,
    chainId: network.chainId,
    source: "public faucet",
    sourceLevel: "live" as const,
    asOf: clock.now().toString(),
    sandbox: false,
  };
}

/** The development chain of this name. A further one starts when it is first used. */
async function openFaucet(
  {
    chain,
    submission,
    usableChains,
    caller,
  }: Pick<Ports, "chain" | "submission" | "usableChains"> & { caller: Caller },
  blockchain: string,
): Promise<Pick<Ports, "chain" | "submission">> {
  if (chain.environment === "production") throw withoutFaucet(blockchain);
  return blockchain === HUB ? { chain, submission } : await usableChains.open(blockchain, caller.tenantId);
}

function withoutFaucet(blockchain: string): Failure {
  return new Failure("chain_not_available", { detail: errors.chain_not_available, extra: { blockchain } });
}

interface Drip {
  to: Hex;
  token: TokenSymbol;
}

async function checkDrip(
  { chain, stores, clock }: Pick<Ports, "chain" | "clock"> & { stores: Stores },
  { to, token }: Drip,
): Promise<void> {
  await requireUnblocked(chain, token, to);
  if (chain.faucet !== undefined) return await requireCooled(chain, token, to);
  const { key, secondsLeft } = nameWindow({ to, token }, clock);
  const earlier = await stores.chainTransactions.findByKey(chain.key, key);
  if (earlier?.state === "confirmed") throw cooling(secondsLeft);
}

/** A further development chain has no faucet of its own: what is given in this window has this key, and so is given once. */
function nameWindow({ to, token }: Drip, clock: Clock): { key: string; secondsLeft: number } {
  const seconds = Math.floor(clock.now().epochMilliseconds / 1000);
  const window = Math.floor(seconds / WINDOW_SECONDS);
  return { key: `faucet_drip:${token}:${to}:${window}`, secondsLeft: (window + 1) * WINDOW_SECONDS - seconds };
}

async function requireCooled(chain: Chain, token: TokenSymbol, to: Hex): Promise<void> {
  const waitSeconds = await chain.faucetWaitSeconds(token, to);
  if (waitSeconds > 0) throw cooling(waitSeconds);
}

function cooling(waitSeconds: number): Failure {
  return new Failure("faucet_cooldown", {
    detail: errors.faucet_cooldown,
    extra: { waitSeconds },
    retryAfterSeconds: waitSeconds,
  });
}
