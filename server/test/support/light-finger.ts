import { generatePrivateKey } from "viem/accounts";
import { z } from "zod";
import type { Decorators } from "../../src/decorate.ts";
import type { Hex } from "../../src/domain/tokens.ts";
import type { Tool } from "../../src/kernel/contracts/tool.ts";
import type { Parts } from "../../src/kernel/contracts/whole.ts";
import { mint } from "../../src/modules/chain/development/mint-operation.ts";
import { payment } from "../../src/modules/payments/settling/payment-operation.ts";
import type { StoredOperation } from "../../src/ports/chain/chain-operation.ts";
import { type Buyer, createBuyer, decode } from "./paid.ts";
import { sandboxChain } from "./sandbox-chain.ts";
import type { TestService } from "./service.ts";

const PATIENCE_MILLISECONDS = 60_000;
const lower = (hex: string): Hex => `0x${hex.slice(2).toLowerCase()}`;
const Hexadecimal = z.templateLiteral([z.literal("0x"), z.string()]).transform(lower);
const Signed = z.object({
  payload: z.object({
    signature: Hexadecimal,
    authorization: z.object({
      from: Hexadecimal,
      to: Hexadecimal,
      value: z.coerce.bigint(),
      validAfter: z.coerce.bigint(),
      validBefore: z.coerce.bigint(),
      nonce: Hexadecimal,
    }),
  }),
});

/**
 * A wallet that has exactly the price of a call and spends it elsewhere while the call runs: the call succeeds, and its payment
 * cannot be fetched. `tool` is what its calls call.
 */
export function createLightFinger(tool: Tool) {
  const parts: { stores?: Parts["stores"]; submitters?: Parts["submitters"] } = {};
  const meanwhile: { happens: () => Promise<void> } = { happens: async () => undefined };

  const decorate: Decorators = {
    stores: (stores) => {
      parts.stores = stores;
      return stores;
    },
    submitters: (submitters) => {
      parts.submitters = submitters;
      return submitters;
    },
  };

  /** Happens on the chain, and is of no call. */
  async function carryOut(operation: StoredOperation): Promise<void> {
    const transaction = await parts.stores?.chainTransactions.enqueue({
      ...sandboxChain,
      idempotencyKey: crypto.randomUUID(),
      tenantId: null,
      callId: null,
      purpose: "test",
      operation,
      result: undefined,
    });
    const submission = parts.submitters?.home("sandbox");
    submission?.wake();
    const end = await submission?.waitForEnd(transaction?.id ?? "", PATIENCE_MILLISECONDS);
    if (end?.state !== "confirmed") throw new Error(`it was not carried out: ${end?.state}`);
  }

  return {
    decorate,
    tool: {
      ...tool,
      async run(...call: Parameters<Tool["run"]>) {
        await meanwhile.happens();
        return await tool.run(...call);
      },
    },
    async open(service: TestService): Promise<{ buyer: Buyer; refill: () => Promise<void> }> {
      const buyer = createBuyer(service, generatePrivateKey());
      const amount = tool.price;
      const refill = () => carryOut(mint.of({ token: "USDC", to: lower(buyer.address), amount }));
      await refill();
      const elsewhere = { authorization: { to: "0x000000000000000000000000000000000000dEaD" } };
      const { payload } = Signed.parse(decode(await buyer.sign(tool.name, elsewhere)));
      const { value, ...authorization } = payload.authorization;
      meanwhile.happens = () =>
        carryOut(payment.of({ token: "USDC", amount: value, ...authorization, signature: payload.signature }));
      return { buyer, refill };
    },
  };
}
