import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { final, planOrRefusal, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import { isServiceContract } from "../chain-contracts.ts";
import { ChainWrite, chainProvenance } from "../chain-result.ts";
import { defineTool, type Ports } from "../context.ts";
import { Recipient, readAddress, requireAddress, TokenAmount } from "../input.ts";
import { requireUnblocked, sendOut, sendOutErrors } from "../send-out.ts";
import { split } from "../split-operation.ts";
import { BASIS_POINTS, splitParts } from "../split-parts.ts";
import { toToolAnswer } from "../tool-answer.ts";

const Output = ChainWrite.extend({
  from: z.string(),
  supplier: z.string(),
  grossUsdc: DecimalAmount,
  supplierUsdc: DecimalAmount.describe("Gross minus the other two, exact to the micro-unit"),
  commissionUsdc: DecimalAmount.describe("Your commission, which stays in your treasury wallet. Rounded down"),
  serviceFeeUsdc: DecimalAmount.describe("The service's fee. Rounded down"),
});

const Bps = z
  .number()
  .refine((bps) => Number.isInteger(bps) && bps >= 0 && bps <= BASIS_POINTS, {
    message: "must be a whole number from 0 to 10000",
  })
  // The interface gives no bounds, which the library would add.
  .meta({ type: "integer" });

const NO_SPLITTER = "This network has no splitter contract. Use send_tokens.";

export const settleSplit = defineTool({
  name: "settle_split",
  title: "Settle with a split",
  summary: "Pay a booking's gross amount in USDC and divide it between supplier, your commission and the service fee.",
  advice: "Use it for a booking outside a trip's escrow; in escrow, use settle_booking. 100 basis points are 1 %.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z
    .strictObject({
      gross: TokenAmount,
      supplier: Recipient,
      commissionBps: Bps.default(1_000).describe("0..10000, and not over 10000 with serviceFeeBps"),
      serviceFeeBps: Bps.default(100).describe("0..10000"),
    })
    .superRefine(({ commissionBps, serviceFeeBps }, context) => {
      // A value that is too large by itself is already refused.
      if (commissionBps + serviceFeeBps <= BASIS_POINTS || Math.max(commissionBps, serviceFeeBps) > BASIS_POINTS)
        return;
      const message = "must not be over 10000 together with serviceFeeBps";
      context.addIssue({ code: "custom", path: ["commissionBps"], message });
    }),
  output: Output,
  errors: { ...sendOutErrors, chain_not_available: NO_SPLITTER },
  example: () => ({ gross: "250.00", supplier: "0x00000000000000000000000000000000000a11ce" }),

  plan: ({ gross, supplier, commissionBps, serviceFeeBps }, { chain, stores, caller }) =>
    planOrRefusal(async () => {
      requireSplitter(chain);
      const own = await stores.wallets.findTreasury(chain.key, caller.tenantId);
      await requireSupplier({ chain, stores }, own?.address, requireAddress(supplier));
      const parts = splitParts(parseDecimal(gross) ?? 0n, commissionBps, serviceFeeBps);
      return {
        movements: usdcMovements(
          [parts.supplier, "treasury", requireAddress(supplier), "cost"],
          [parts.serviceFee, "treasury", "collection", "service_fee"],
        ),
        comesBack: { token: "USDC", amount: parts.commission },
        irreversible: [final("the payment")],
      };
    }),

  probe: ({ supplier }, { chain }) => requireUnblocked(chain, "USDC", requireAddress(supplier)),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call }) {
    const { commissionBps, serviceFeeBps } = input;
    const supplier = readAddress(input.supplier);
    const gross = parseDecimal(input.gross);
    if (supplier === undefined || gross === undefined) throw new Error("the schema has let a bad value through");
    requireSplitter(chain);
    const { address: from } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
    await requireSupplier({ chain, stores }, from, supplier);
    await requireUnblocked(chain, "USDC", supplier);
    const parts = splitParts(gross, commissionBps, serviceFeeBps);
    const answer = await sendOut(
      { chain, submission, stores },
      {
        tenantId,
        callId: call.id,
        idempotencyKey: `settle_split:${call.id}`,
        purpose: "settle_split",
        operation: split,
        input: { token: "USDC", from, supplier, gross, commissionBps, serviceFeeBps },
        result: {
          from,
          supplier,
          grossUsdc: formatDecimal(gross),
          supplierUsdc: formatDecimal(parts.supplier),
          commissionUsdc: formatDecimal(parts.commission),
          serviceFeeUsdc: formatDecimal(parts.serviceFee),
          ...chainProvenance(chain, clock),
        },
      },
    );
    return toToolAnswer(answer, Output);
  },
});

function requireSplitter({ splitter }: Chain): void {
  if (splitter === undefined) throw new Failure("chain_not_available", { detail: NO_SPLITTER });
}

async function requireSupplier(
  sources: Pick<Ports, "chain" | "stores">,
  own: Hex | undefined,
  supplier: Hex,
): Promise<void> {
  if (supplier !== own && !(await isServiceContract(sources, supplier))) return;
  const message = "is not a supplier: it is your own wallet or one of the network's contracts";
  throw invalidInput([{ path: "supplier", message }]);
}
