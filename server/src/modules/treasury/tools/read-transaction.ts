import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount, Hash } from "../../../domain/schemas.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { ChainReceipt, TokenMovement } from "../../../ports/chain/chain.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { ChainTransactions } from "../../chain/index.ts";
import { ChainResult, chainProvenance } from "../chain-result.ts";
import { defineTool } from "../context.ts";

const TRANSFER_ID = /^ctx_[0-9A-Z]{26}$/;

const State = z.enum(["queued", "sent", "confirmed", "reverted"]);
const Direction = z.enum(["in", "out", "other"]);

export const readTransaction = defineTool({
  name: "read_transaction",
  title: "Read a transaction",
  summary:
    "Show a transaction's state, block, confirmations, and the USDC and EURC that it moved. Give its hash, or the transferId from a call.",
  area: "treasury",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["chain", "usableChains", "stores", "clock"],
  input: z
    .strictObject({
      txHash: Hash.optional().describe("txHash of an answer"),
      transferId: z
        .string()
        .refine((text) => TRANSFER_ID.test(text), { message: "must be ctx_ and 26 characters" })
        .optional()
        .describe("transactionId that an error named, ctx_…"),
    })
    .refine(({ txHash, transferId }) => (txHash === undefined) !== (transferId === undefined), {
      message: "must have either txHash or transferId",
    }),
  output: ChainResult.extend({
    transferId: z.string().nullable().describe("null: the transaction is not yours"),
    txHash: z.string().nullable().describe("null: it is not signed yet"),
    state: State.describe("queued: stored, it will be sent; reverted: it had no effect"),
    purpose: z.string().nullable().describe("Its purpose, such as the tool's name"),
    blockNumber: z.string().nullable(),
    confirmations: z.int().describe("Blocks with and above its own"),
    confirmationsNeeded: z.int(),
    transfers: z.array(
      z.object({
        token: z.string(),
        amount: DecimalAmount,
        from: z.string(),
        to: z.string(),
        direction: Direction.describe("As your treasury wallet sees it"),
      }),
    ),
  }),
  errors: {
    chain_not_available: "The chain of your transaction does not answer at the moment. Call again later.",
    transaction_not_found:
      "The chain has no such confirmed transaction, and you have none pending with this hash. Check the hash; if it was just sent, call again shortly.",
  },
  example: (_today, { txHash }) => ({ txHash }),

  async run(input, { chain: home, usableChains, stores, clock, caller: { tenantId }, fail }) {
    const own = await findOwn(stores.chainTransactions, home.key, tenantId, input);
    const chain = own === undefined || own.chain === home.key.chain ? home : (await usableChains.open(own.chain)).chain;
    const { key, chainId } = chain;
    const txHash = own?.hash ?? (input.txHash === undefined ? undefined : lowerCase(input.txHash));
    if (own === undefined && input.transferId !== undefined) throw fail("transaction_not_found");
    const [receipt, head, wallet] = await Promise.all([
      txHash === undefined ? undefined : chain.receipt(txHash),
      chain.head(),
      stores.wallets.findTreasury(key, tenantId),
    ]);
    if (own === undefined && receipt === undefined) throw fail("transaction_not_found");
    const above = receipt === undefined ? -1n : head.number - receipt.block.number;
    return {
      transferId: own?.id ?? null,
      txHash: txHash ?? null,
      state: transactionState(own, receipt),
      purpose: own?.purpose ?? null,
      blockNumber: receipt?.block.number.toString() ?? null,
      confirmations: above < 0n ? 0 : Number(above) + chain.confirmations,
      confirmationsNeeded: chain.confirmations,
      transfers: (receipt?.movements ?? []).map(({ token, amount, from, to }) => ({
        token,
        amount: formatDecimal(amount),
        from,
        to,
        direction: movementDirection({ from, to }, wallet?.address),
      })),
      chainId,
      ...chainProvenance(chain, clock),
    };
  },
});

async function findOwn(
  chainTransactions: ChainTransactions,
  { environment, chain }: ChainKey,
  tenantId: string,
  { txHash, transferId }: { txHash?: string | undefined; transferId?: string | undefined },
): Promise<ChainTransaction | undefined> {
  const found =
    transferId === undefined
      ? await chainTransactions.findByHash({ environment, chain }, lowerCase(txHash ?? ""))
      : await chainTransactions.get(transferId);
  return found?.tenantId === tenantId && found.environment === environment ? found : undefined;
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
