import { z } from "zod";
import { findNamedChain } from "../../../domain/chains/named-chains.ts";
import { Failure } from "../../../domain/errors.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount, Hash } from "../../../domain/schemas.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { ChainReceipt, TokenMovement } from "../../../ports/chain/chain.ts";
import { type ChainKey, nameEvmChain } from "../../../ports/chain/chain-key.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Environment } from "../../../ports/identity.ts";
import { ChainResult, chainProvenance } from "../chain-result.ts";
import { defineTool, type Ports } from "../context.ts";
import { TransferAnswer } from "../over-chains/transfer-answer.ts";

const TRANSFER_ID = /^(?:ctx|xfr)_[0-9A-Z]{26}$/;

const State = z.enum(["queued", "sent", "confirmed", "reverted"]);
const Direction = z.enum(["in", "out", "other"]);

declare module "../../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    /** Made by the module of the orders: the treasury only names them. */
    "treasury.paidOrders": {
      /** The order that a transaction with this idempotency key pays or refunds, at the booking or by a change or cancellation. */
      find(
        owner: { tenantId: string; environment: Environment },
        idempotencyKey: string,
      ): Promise<{ bookingId: string; orderId: string | undefined } | undefined>;
    };
  }
}

export const readTransaction = defineTool({
  name: "read_transaction",
  title: "Read a transaction",
  summary: "Show a transaction's state, block, booking, and the USDC and EURC it moved, or a transfer between chains.",
  area: "treasury",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["chain", "usableChains", "transfersOverChains", "paidOrders", "stores", "clock"],
  input: z
    .strictObject({
      txHash: Hash.optional().describe("txHash from an answer"),
      transferId: z
        .string()
        .refine((text) => TRANSFER_ID.test(text), {
          message: "must be ctx_ or xfr_ and 26 characters; for a withdrawal from the Gateway, use gateway_withdraw",
        })
        .optional()
        .describe("transactionId that an error named, ctx_…; or xfr_…"),
    })
    .refine(({ txHash, transferId }) => (txHash === undefined) !== (transferId === undefined), {
      message: "must have either txHash or transferId",
    }),
  output: ChainResult.extend({
    transferId: z.string().nullable().describe("null: the transaction is not yours"),
    txHash: z.string().nullable().describe("null: it is not signed yet"),
    state: State.describe("queued: stored and will be sent; reverted: it had no effect"),
    purpose: z.string().nullable().describe("Its purpose, such as the tool's name"),
    blockNumber: z.string().nullable(),
    blockTime: z.string().nullable().describe("Time of its block; null: not in a block yet"),
    bookingId: z
      .string()
      .nullable()
      .describe("The booking that it pays or refunds (bkg_…), or whose escrow step it is (0x…)"),
    orderId: z.string().optional().describe("The order that it pays or refunds, also for a change or cancellation"),
    tripId: z.string().nullable(),
    confirmations: z
      .int()
      .optional()
      .describe("Number of blocks from its own to the latest; omitted: its chain was not queried"),
    confirmationsNeeded: z.int(),
    transfers: z
      .array(
        z.object({
          token: z.string(),
          amount: DecimalAmount,
          from: z.string(),
          to: z.string(),
          direction: Direction.describe("Seen from your treasury wallet"),
        }),
      )
      .optional(),
    transfer: TransferAnswer.optional().describe(
      "Progress of xfr_…; the other members then describe its latest transaction",
    ),
  }),
  errors: {
    chain_not_available: "The chain of your transaction is not answering at the moment. Call again later.",
    transaction_not_found:
      "The chain has no such confirmed transaction, and you have none pending with this hash. Check the hash; if it was just sent, call again shortly.",
  },
  example: (_today, { txHash }) => ({ txHash }),

  async run(input, ports) {
    const { chain: home, transfersOverChains, stores, clock, caller, fail } = ports;
    const { tenantId } = caller;
    if (input.transferId?.startsWith("xfr_") === true) {
      const transfer = await transfersOverChains.find(caller, input.transferId);
      if (transfer === undefined) throw fail("transaction_not_found");
      return {
        ...describeTransfer(transfer),
        ...(await readLatest(ports, transfer)),
        confirmationsNeeded: home.confirmations,
        ...chainProvenance(home, clock),
      };
    }
    const own = await findOwn(ports, home.key, tenantId, input);
    const chain = own === undefined ? await findChain(ports, input.txHash) : await openChain(ports, own.chain);
    const { key, chainId } = chain;
    const txHash = own?.hash ?? (input.txHash === undefined ? undefined : lowerCase(input.txHash));
    if (own === undefined && input.transferId !== undefined) throw fail("transaction_not_found");
    const [receipt, head, wallet] = await Promise.all([
      txHash === undefined ? undefined : chain.receipt(txHash),
      chain.head(),
      stores.wallets.findTreasury(key, tenantId),
    ]);
    if (own === undefined && receipt === undefined) throw fail("transaction_not_found");
    return {
      transferId: own?.id ?? null,
      txHash: txHash ?? null,
      state: transactionState(own, receipt),
      purpose: own?.purpose ?? null,
      ...(await describePurpose(own, ports)),
      ...(await describeReceipt(chain, receipt, head.number, wallet?.address)),
      confirmationsNeeded: chain.confirmations,
      chainId,
      ...chainProvenance(chain, clock),
    };
  },
});

async function openChain({ chain: home, usableChains }: Pick<Ports, "chain" | "usableChains">, name: string) {
  return name === home.key.chain ? home : (await usableChains.open(name)).chain;
}

/** The chain that has a transaction which is not the service's, such as one that a wallet has sent itself. Default: the home chain. */
async function findChain(
  ports: Pick<Ports, "chain" | "usableChains"> & { caller: { tenantId: string } },
  txHash: string | undefined,
) {
  const { chain: home, usableChains, caller } = ports;
  if (txHash === undefined || (await home.receipt(lowerCase(txHash))) !== undefined) return home;
  for (const name of await usableChains.listWithWallet(caller.tenantId)) {
    const chain = await openChain(ports, name);
    if (chain !== home && (await chain.receipt(lowerCase(txHash))) !== undefined) return chain;
  }
  return home;
}

async function findOwn(
  { stores: { chainTransactions }, usableChains }: Pick<Ports, "stores" | "usableChains">,
  { environment, chain: home }: ChainKey,
  tenantId: string,
  { txHash, transferId }: { txHash?: string | undefined; transferId?: string | undefined },
): Promise<ChainTransaction | undefined> {
  const isOwn = (found: ChainTransaction | undefined) =>
    found?.tenantId === tenantId && found.environment === environment;
  if (transferId !== undefined) {
    const found = await chainTransactions.get(transferId);
    return isOwn(found) ? found : undefined;
  }
  const chains = new Set([home, ...(await usableChains.listWithWallet(tenantId))]);
  const found = await Promise.all(
    [...chains].map((chain) => chainTransactions.findByHash({ environment, chain }, lowerCase(txHash ?? ""))),
  );
  return found.find(isOwn);
}

async function describeReceipt(
  chain: Pick<Ports["chain"], "confirmations" | "block">,
  receipt: ChainReceipt | undefined,
  head: bigint,
  wallet: Hex | undefined,
) {
  const above = receipt === undefined ? -1n : head - receipt.block.number;
  const block = receipt === undefined ? undefined : await chain.block(receipt.block.number);
  return {
    blockNumber: receipt?.block.number.toString() ?? null,
    blockTime: block?.at.toString() ?? null,
    confirmations: above < 0n ? 0 : Number(above) + chain.confirmations,
    transfers: (receipt?.movements ?? []).map(({ token, amount, from, to }) => ({
      token,
      amount: formatDecimal(amount),
      from,
      to,
      direction: movementDirection({ from, to }, wallet),
    })),
  };
}

/** The latest transaction of a transfer, as its chain shows it. Nothing where that does not answer: no chain is started for it. */
async function readLatest(
  { usableChains, stores, caller: { tenantId } }: Pick<Ports, "usableChains" | "stores"> & { caller: Caller },
  { txHashes }: TransferAnswer,
) {
  const latest = txHashes.findLast(({ txHash }) => txHash !== null);
  const known = latest && findNamedChain(latest.chain);
  if (!latest?.txHash || known === undefined) return {};
  try {
    const { chain } = usableChains.at(nameEvmChain(known.chainId));
    const [receipt, head] = await Promise.all([chain.receipt(lowerCase(latest.txHash)), chain.head()]);
    const wallet = await stores.wallets.findTreasury(chain.key, tenantId);
    return receipt === undefined ? {} : await describeReceipt(chain, receipt, head.number, wallet?.address);
  } catch (error) {
    if (error instanceof Failure) return {};
    throw error;
  }
}

/** By our own records: its chains may not answer now. */
function describeTransfer(transfer: TransferAnswer) {
  const { transferId, status, kind, txHashes, to } = transfer;
  const ended = { completed: "confirmed", failed: "reverted" } as const;
  return {
    transferId,
    txHash: txHashes.findLast(({ txHash }) => txHash !== null)?.txHash ?? null,
    state: status === "completed" || status === "failed" ? ended[status] : ("sent" as const),
    purpose: kind,
    blockNumber: null,
    blockTime: null,
    bookingId: null,
    tripId: null,
    transfer,
    chainId: to.chainId,
  };
}

const Named = z.object({
  tripId: z.string().optional(),
  action: z.object({ bookingId: z.string().optional() }).optional(),
});

/** The booking, the order and the trip of a transaction of ours. A supplier's booking is found by the transaction's key. */
async function describePurpose(
  own: ChainTransaction | undefined,
  { paidOrders, caller }: Pick<Ports, "paidOrders"> & { caller: Caller },
) {
  const { tripId, action } = Named.parse(own?.operation ?? {});
  const order = own === undefined ? undefined : await paidOrders.find(caller, own.idempotencyKey);
  return {
    bookingId: order?.bookingId ?? action?.bookingId ?? null,
    ...(order?.orderId === undefined ? {} : { orderId: order.orderId }),
    tripId: tripId ?? null,
  };
}

function transactionState(own: ChainTransaction | undefined, receipt: ChainReceipt | undefined): z.infer<typeof State> {
  if (own === undefined) return receipt?.succeeded === true ? "confirmed" : "reverted";
  return own.state === "signed" ? "sent" : own.state;
}

function movementDirection(
  { from, to }: Pick<TokenMovement, "from" | "to">,
  own: Hex | undefined,
): z.infer<typeof Direction> {
  if (to === own) return "in";
  return from === own ? "out" : "other";
}

/** Lower-cases a hash that the schema has validated. */
function lowerCase(hash: string): Hex {
  return `0x${hash.slice(2).toLowerCase()}`;
}
