import { z } from "zod";
import { nameInAnswers } from "../../../domain/chains/named-chains.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { ChainName } from "../../../ports/chain/chain-key.ts";
import {
  ChainWrite,
  chainProvenance,
  sendOut,
  sendOutErrors,
  TokenAmount,
  toToolAnswer,
} from "../../treasury/index.ts";
import { defineTool } from "../context.ts";
import { AskedGatewayChain, noGateway, requireGateway, resolveGatewayChain } from "../gateway-chains.ts";
import { deposit } from "../operations/deposit.ts";

const WAIT_MILLISECONDS = 25_000;

const Output = ChainWrite.extend({ chain: ChainName, from: z.string(), amount: DecimalAmount });

export const gatewayDeposit = defineTool({
  name: "gateway_deposit",
  title: "Deposit into the Gateway",
  summary: "Move USDC from your wallet on a chain into the Gateway. gateway_transfer deposits any shortfall itself.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["usableChains", "stores", "clock", "gatewayEvents"],
  input: z.strictObject({ chain: AskedGatewayChain, amount: TokenAmount }),
  output: Output,
  errors: { ...sendOutErrors, chain_not_available: noGateway },
  example: () => ({ chain: "Arc_Testnet", amount: "2.50" }) as const,

  // It stays the tenant's own.
  plan: ({ chain: name, amount }) => ({
    movements: [
      {
        token: "USDC",
        chain: resolveGatewayChain(name),
        amount: parseDecimal(amount),
        from: "treasury",
        to: "gateway",
      },
    ],
    irreversible: [],
  }),

  async run(input, { usableChains, stores, clock, gatewayEvents, caller: { tenantId }, call }) {
    const { chain, submission } = await usableChains.open(input.chain, tenantId);
    const { wallet } = requireGateway(chain);
    const amount = parseDecimal(input.amount);
    if (amount === undefined) throw new Error("the schema has let a bad amount through");
    const { address: from } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
    await gatewayEvents.begin(chain);
    const answer = await sendOut(
      { stores, chain, submission },
      {
        tenantId,
        callId: call.id,
        idempotencyKey: `gateway_deposit:${call.id}`,
        purpose: "gateway_deposit",
        operation: deposit,
        input: { token: "USDC", from, wallet, amount },
        result: {
          chain: nameInAnswers(input.chain),
          from,
          amount: formatDecimal(amount),
          ...chainProvenance(chain, clock),
        },
        waitMilliseconds: WAIT_MILLISECONDS,
      },
    );
    await gatewayEvents.catchUp(chain, answer.transaction.blockNumber);
    return toToolAnswer(answer, Output);
  },
});
