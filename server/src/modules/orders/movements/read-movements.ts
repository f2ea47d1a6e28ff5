import { z } from "zod";
import { nameChain } from "../../../domain/chains/named-chains.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { tokenSymbols } from "../../../domain/tokens.ts";
import { dayBounds, NextCursor, readPage } from "../../../kernel/contracts/page.ts";
import { ChainName } from "../../../ports/chain/chain-key.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Ports, Reads } from "../context.ts";
import type { WalletMovement } from "../wallet-movements.ts";
import { amountWithOthers, describeMovement, MovementKind, MovementState, sayMovement } from "./describe-movement.ts";

const LONGEST_TEXT = 500;

/** The form of a list's cursor. */
export const MOVEMENT_CURSOR = /^\d{1,18}$/;

export const MovementsAnswer = z.object({
  movements: z
    .array(
      z.object({
        id: z.string(),
        at: z.string(),
        direction: z.enum(["in", "out"]),
        kind: MovementKind,
        text: wordsOfOthers("Its purpose: the flight, stay or step of a trip", LONGEST_TEXT),
        token: z.enum(tokenSymbols),
        amount: DecimalAmount,
        fee: DecimalAmount.optional().describe("Part of the amount charged by the bridge or the Gateway"),
        pot: z.literal("gateway").optional().describe("Paid from your money in the Gateway, not from the wallet"),
        isBetweenOwn: z
          .literal(true)
          .optional()
          .describe("Between your wallets and your money in the Gateway: pageSums count its fee only"),
        counterpart: z
          .string()
          .nullable()
          .describe(
            "collection: the service; trip_budget: the escrow; treasury: your wallet on another chain; gateway; swap_pool; or an address",
          ),
        state: MovementState,
        orderId: z.string().nullable(),
        bookingId: z.string().nullable().describe("Booking of the order (bkg_…) or in escrow (0x…)"),
        tripId: z.string().nullable(),
        transferId: z.string().nullable().describe("For read_transaction; null: not sent by you"),
        txHash: z.string().nullable().describe("null: not signed yet"),
        chain: ChainName.optional().describe("If you have wallets on several"),
      }),
    )
    .readonly(),
  pageSums: z
    .array(z.object({ token: z.enum(tokenSymbols), in: DecimalAmount, out: DecimalAmount }))
    .describe(
      "Totals on this page of what came from others and what went to them, without reverted movements. An order that a trip's budget paid has only its payment and returns here: ask by tripId for what it cost",
    ),
  nextCursor: NextCursor,
});

export const StatementAnswer = MovementsAnswer.extend({
  balances: z
    .array(z.object({ token: z.enum(tokenSymbols), amount: DecimalAmount, chain: ChainName.optional() }))
    .nullable()
    .describe(
      "By the books in the wallets after the newest movement here, which is the newest of all: with each movement subtracted, those before the others. null: the list begins with an earlier one, or is of one order or trip",
    ),
});

interface AskedMovements {
  limit?: string | number;
  cursor?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  orderId?: string | undefined;
  tripId?: string | undefined;
}

/** One page of what came to and left a tenant's wallets. */
export async function readMovements(
  { reads, usableChains }: { reads: Reads; usableChains: Pick<Ports["usableChains"], "listWithWallet"> },
  { tenantId, environment }: { tenantId: string; environment: Environment },
  { cursor, from, to, orderId, tripId, ...page }: AskedMovements,
) {
  const chains = await usableChains.listWithWallet(tenantId);
  const { shown, nextCursor } = await readPage(
    page,
    (limit) =>
      reads(tenantId, ({ walletMovements }) =>
        walletMovements.list(
          tenantId,
          { environment, chains },
          { limit, before: cursor, ...dayBounds({ from, to }), orderId, tripId: tripId?.toLowerCase() },
        ),
      ),
    ({ id }) => id,
  );
  const movements = shown.map((movement) => ({
    ...describeMovement(movement),
    text: sayMovement(movement),
    amount: formatDecimal(movement.amount),
    ...(chains.length > 1 ? { chain: nameChain(movement.chain) } : {}),
  }));
  return { movements, pageSums: sumByToken(shown), nextCursor };
}

/** The same for people, who read it as a statement with balances. */
export async function readStatement(
  ports: Parameters<typeof readMovements>[0],
  owner: { tenantId: string; environment: Environment },
  asked: AskedMovements,
): Promise<z.output<typeof StatementAnswer>> {
  const page = await readMovements(ports, owner, asked);
  const [newest] = page.movements;
  const { cursor, to, orderId, tripId } = asked;
  const isNewest = [cursor, to, orderId, tripId].every((filter) => filter === undefined);
  if (!isNewest || newest === undefined) return { ...page, balances: null };
  const { tenantId, environment } = owner;
  const chains = await ports.usableChains.listWithWallet(tenantId);
  const balances = await ports.reads(tenantId, ({ walletMovements }) =>
    walletMovements.balancesAfter(tenantId, { environment, chains }, newest.id),
  );
  const shown = balances.map(({ chain, token, amount }) => ({
    token,
    amount: formatDecimal(amount),
    ...(chains.length > 1 ? { chain: nameChain(chain) } : {}),
  }));
  return { ...page, balances: shown };
}

function sumByToken(shown: readonly WalletMovement[]) {
  const counted = shown.filter((movement) => describeMovement(movement).state !== "reverted");
  return [...Map.groupBy(counted, ({ token }) => token)].map(([token, some]) => {
    const sum = (wanted: WalletMovement["direction"]) =>
      formatDecimal(
        some
          .filter(({ direction }) => direction === wanted)
          .reduce((total, movement) => total + amountWithOthers(movement), 0n),
      );
    return { token, in: sum("in"), out: sum("out") };
  });
}
