import { z } from "zod";
import { invalidInput } from "../../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { type Hex, tokenSymbols } from "../../../domain/tokens.ts";
import { final, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import { isServiceContract } from "../chain-contracts.ts";
import { ChainWrite, chainProvenance } from "../chain-result.ts";
import { defineTool, type Ports } from "../context.ts";
import { Recipient, readAddress, requireAddress, Token, TokenAmount } from "../input.ts";
import { requireUnblocked, sendOut, sendOutErrors } from "../send-out.ts";
import { toToolAnswer } from "../tool-answer.ts";
import { transfer } from "../transfer-operation.ts";

const Output = ChainWrite.extend({
  from: z.string(),
  to: z.string(),
  amount: DecimalAmount,
  token: z.enum(tokenSymbols),
});

export const sendTokens = defineTool({
  name: "send_tokens",
  title: "Send tokens",
  titles: {
    en: "Send money",
    de: "Geld senden",
    fr: "Envoyer de l’argent",
    es: "Enviar dinero",
    pt: "Enviar dinheiro",
    "pt-BR": "Enviar dinheiro",
    ja: "送金",
  },
  summary: "Send USDC or EURC from your treasury wallet to an address, and wait for confirmation.",
  advice:
    "It cannot be undone: show recipient and amount first. Repeating the call sends again, unless it has the same idempotency key. It never exchanges tokens.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z.strictObject({ to: Recipient, amount: TokenAmount, token: Token }),
  output: Output,
  errors: sendOutErrors,
  example: () => ({ to: "0x00000000000000000000000000000000000a11ce", amount: "1.50" }),
  gives: ({ txHash }) => ({ txHash }),

  plan: ({ to, amount, token }, { chain, stores, caller }) =>
    planOrRefusal(async () => {
      requireToken(chain, token);
      const own = await stores.wallets.findTreasury(chain.key, caller.tenantId);
      await requireRecipient({ chain, stores }, own?.address, requireAddress(to));
      return {
        movements: [{ token, amount: parseDecimal(amount), from: "treasury", to: requireAddress(to) }],
        irreversible: [final("the transfer")],
      };
    }),

  probe: ({ to, token }, { chain }) => requireUnblocked(chain, token, requireAddress(to)),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call }) {
    const { token } = input;
    const to = readAddress(input.to);
    const amount = parseDecimal(input.amount);
    if (to === undefined || amount === undefined) throw new Error("the schema has let a bad value through");
    const { address: from } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
    await requireRecipient({ chain, stores }, from, to);
    await requireUnblocked(chain, token, to);
    const answer = await sendOut(
      { chain, submission, stores },
      {
        tenantId,
        callId: call.id,
        idempotencyKey: `send_tokens:${call.id}`,
        purpose: "send_tokens",
        operation: transfer,
        input: { token, from, to, amount },
        result: { from, to, amount: formatDecimal(amount), token, ...chainProvenance(chain, clock) },
      },
    );
    return toToolAnswer(answer, Output);
  },
});

async function requireRecipient(
  sources: Pick<Ports, "chain" | "stores">,
  own: Hex | undefined,
  to: Hex,
): Promise<void> {
  if (to === own) throw invalidInput([{ path: "to", message: "is your own treasury wallet; name another address" }]);
  if (!(await isServiceContract(sources, to))) return;
  throw invalidInput([
    { path: "to", message: "is one of the network's contracts, which would keep the money forever" },
  ]);
}
