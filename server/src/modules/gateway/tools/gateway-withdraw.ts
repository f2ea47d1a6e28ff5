import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { newId } from "../../../domain/ids.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import { lacksBalance } from "../../ledger/index.ts";
import { ChainResult, chainProvenance, requireMoving, sendOutErrors, TokenAmount } from "../../treasury/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { GatewayChain, noGateway, requireGateway, resolveGatewayChain } from "../gateway-chains.ts";
import { lacksGas } from "../withdrawals/require-gas.ts";
import { type GatewayWithdrawal, withdrawalStates } from "../withdrawals/withdrawals.ts";

const WAIT_MILLISECONDS = 5_000;
const DEVELOPMENT_SECONDS_PER_BLOCK = 0.5;

const Output = ChainResult.extend({
  withdrawalId: z.string(),
  chain: GatewayChain,
  amount: DecimalAmount,
  status: z.enum(withdrawalStates).describe("waiting: the delay has begun; completed: in your wallet"),
  withdrawableAtBlock: z.string().nullable(),
  delayBlocks: z.string(),
  expectedBy: z.string().describe("About when it is in your wallet"),
  txHashes: z.array(z.string()).readonly(),
  failure: z.string().nullable(),
});

const errors = {
  chain_not_available: noGateway,
  insufficient_balance: "The Gateway has less available on this chain. See gateway_balance.",
  settlement_stopped: sendOutErrors.settlement_stopped,
  already_withdrawing:
    "A withdrawal from this chain is under way; another one would begin its delay again. Wait for it.",
  nothing_withdrawing: "You have never withdrawn from the Gateway on this chain. Name an amount.",
  wallet_lacks_gas: lacksGas,
} as const;

export const gatewayWithdraw = defineTool({
  name: "gateway_withdraw",
  title: "Withdraw from the Gateway",
  summary:
    "Take USDC out of the Gateway into your wallet on that chain, after a delay. Without amount: shows the last one.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["usableChains", "stores", "clock", "random", "gatewayGas"],
  input: z.strictObject({ chain: GatewayChain, amount: TokenAmount.optional() }),
  output: Output,
  errors,
  example: () => ({ chain: "Arc_Testnet", amount: "0.50" }) as const,

  plan({ chain: name, amount: decimal }) {
    if (decimal === undefined) return EMPTY_PLAN;
    const chain = resolveGatewayChain(name);
    const amount = parseDecimal(decimal);
    return {
      movements: [{ token: "USDC", chain, amount, from: "gateway", to: "treasury", isLater: true }],
      irreversible: [],
    };
  },

  probe: (input, ports) => check(ports, input, ports.caller.tenantId),

  async run(input, ports) {
    const { chain: name, amount: decimal } = input;
    const { stores, clock, caller } = ports;
    const { chain, wallet, followed, address } = await check(ports, input, caller.tenantId);
    const owner = { ...chain.key, tenantId: caller.tenantId };
    const id = followed?.id ?? (await begin(ports, owner, address, parseDecimal(decimal ?? "") ?? 0n));
    await stores.gatewayWithdrawals.wake(id);
    const found = await awaitDelay(ports, id);
    const { blocks, secondsPerBlock } = await chain.gateway.withdrawalDelay(wallet);
    const left = found.withdrawalBlock === null ? blocks : found.withdrawalBlock - (await chain.head()).number;
    const seconds = chain.environment === "sandbox" ? DEVELOPMENT_SECONDS_PER_BLOCK : secondsPerBlock;
    return {
      withdrawalId: id,
      chain: name,
      chainId: chain.chainId,
      amount: formatDecimal(found.amount),
      status: found.state,
      withdrawableAtBlock: found.withdrawalBlock?.toString() ?? null,
      delayBlocks: blocks.toString(),
      expectedBy: clock
        .now()
        .add({ seconds: Math.ceil(Math.max(0, Number(left)) * seconds) })
        .toString(),
      txHashes: found.hashes,
      failure: found.failure,
      ...chainProvenance(chain, clock),
    };
  },
});

/** Throws the refusals that come before anything is done. */
async function check(
  { usableChains, stores, gatewayGas }: Pick<Ports, "usableChains" | "stores" | "gatewayGas">,
  { chain: name, amount: decimal }: { chain: z.output<typeof GatewayChain>; amount?: string | undefined },
  tenantId: string,
) {
  const { chain } = await usableChains.open(name, tenantId);
  const { wallet } = requireGateway(chain);
  const { environment } = chain.key;
  const last = await stores.gatewayWithdrawals.findLast({ ...chain.key, tenantId });
  const isOpen = last?.state === "requested" || last?.state === "waiting";
  if (isOpen && decimal !== undefined) {
    const extra = { withdrawalId: last.id, amount: formatDecimal(last.amount) };
    throw new Failure("already_withdrawing", { detail: errors.already_withdrawing, extra });
  }
  if (last === undefined && decimal === undefined) {
    throw new Failure("nothing_withdrawing", { detail: errors.nothing_withdrawing });
  }
  await requireMoving(stores.boundChains, chain.key);
  const { available = 0n } = (await stores.ledger.inGateway({ tenantId, environment })).get(chain.key.chain) ?? {};
  const amount = parseDecimal(decimal ?? "0") ?? 0n;
  if (amount > available) throw lacksBalance("USDC", available, amount, `Your money in the Gateway on ${name}`);
  const { address } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
  if (isOpen || decimal !== undefined) await gatewayGas.require(chain, address);
  return { chain, wallet, followed: decimal === undefined ? last : undefined, address };
}

/** Stores it, and sets the money aside in the same transaction. Throws `insufficient_balance`. */
async function begin(
  { stores, clock, random }: Pick<Ports, "stores" | "clock" | "random">,
  owner: Pick<GatewayWithdrawal, "environment" | "chain" | "tenantId">,
  address: GatewayWithdrawal["address"],
  amount: bigint,
): Promise<string> {
  const id = newId("gwd_", clock.now().epochMilliseconds, random);
  await stores.transaction(async ({ gatewayWithdrawals, gatewayBooks }) => {
    if (!(await gatewayWithdrawals.insert({ ...owner, id, address, amount }))) {
      throw new Failure("already_withdrawing", { detail: errors.already_withdrawing });
    }
    const available = await gatewayBooks.reserve({ ...owner, token: "USDC" }, amount, id);
    if (available < amount) throw lacksBalance("USDC", available, amount, "Your money in the Gateway on this chain");
  });
  return id;
}

/** Until the delay has begun, or for as long as a caller waits. */
async function awaitDelay({ stores }: Pick<Ports, "stores">, id: string): Promise<GatewayWithdrawal> {
  const until = performance.now() + WAIT_MILLISECONDS;
  for (;;) {
    const found = await stores.gatewayWithdrawals.get(id);
    if (found === undefined) throw new Error(`the withdrawal ${id} is gone`);
    if (found.state !== "requested" || performance.now() > until) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
