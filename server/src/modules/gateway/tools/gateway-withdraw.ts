import { z } from "zod";
import { nameInAnswers } from "../../../domain/chains/named-chains.ts";
import { Failure } from "../../../domain/errors.ts";
import { newId } from "../../../domain/ids.ts";
import { formatDecimal, type Micro, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import { ChainName } from "../../../ports/chain/chain-key.ts";
import { lacksBalance } from "../../ledger/index.ts";
import { ChainResult, chainProvenance, requireMoving, sendOutErrors, TokenAmount } from "../../treasury/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { AskedGatewayChain, GatewayChain, noGateway, requireGateway, resolveGatewayChain } from "../gateway-chains.ts";
import { lacksGas } from "../withdrawals/require-gas.ts";
import { type GatewayWithdrawal, withdrawalStates } from "../withdrawals/withdrawals.ts";

type Chain = Awaited<ReturnType<Ports["usableChains"]["open"]>>["chain"];

const WAIT_MILLISECONDS = 5_000;
const DEVELOPMENT_SECONDS_PER_BLOCK = 0.5;

const Output = ChainResult.extend({
  withdrawalId: z.string(),
  chain: ChainName,
  amount: DecimalAmount,
  status: z.enum(withdrawalStates).describe("waiting: the delay has begun; completed: the money is in your wallet"),
  withdrawableAtBlock: z.string().nullable(),
  delayBlocks: z.string(),
  expectedBy: z.string().describe("Approximate time of arrival in your wallet"),
  txHashes: z.array(z.string()).readonly(),
  failure: z.string().nullable(),
});

/** Kept with the call. */
const Stored = z.object({ withdrawalId: z.string(), chain: GatewayChain });

const errors = {
  chain_not_available: noGateway,
  insufficient_balance: "The Gateway has less than this available on this chain. See gateway_balance.",
  settlement_stopped: sendOutErrors.settlement_stopped,
  already_withdrawing:
    "A withdrawal from this chain is already in progress; another one would restart its delay. Wait for it.",
  nothing_withdrawing: "You have never withdrawn from the Gateway on this chain. Name an amount.",
  wallet_lacks_gas: lacksGas,
} as const;

export const gatewayWithdraw = defineTool({
  name: "gateway_withdraw",
  title: "Withdraw from the Gateway",
  summary:
    "Withdraw USDC from the Gateway to your wallet on that chain, after a delay. Without amount: shows the last withdrawal.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["usableChains", "stores", "clock", "random", "gatewayGas"],
  input: z.strictObject({ chain: AskedGatewayChain, amount: TokenAmount.optional() }),
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

  async complete(stored, { usableChains, stores, clock, caller }) {
    const { withdrawalId, chain: name } = Stored.parse(stored);
    const { chain } = await usableChains.open(name, caller.tenantId);
    return await describe(chain, name, clock, await requireStored(stores, withdrawalId));
  },

  async run(input, ports) {
    const { chain: name, amount: decimal } = input;
    const { stores, clock, caller, call } = ports;
    const { chain, followed, address } = await check(ports, input, caller.tenantId);
    const wish = { chain, name, address, tenantId: caller.tenantId, amount: parseDecimal(decimal ?? "") ?? 0n };
    const id = followed?.id ?? (await begin(ports, wish, call.id));
    await stores.gatewayWithdrawals.wake(id);
    return await describe(chain, name, clock, await awaitDelay(stores, id));
  },
});

async function describe(
  chain: Chain,
  name: z.output<typeof GatewayChain>,
  clock: Ports["clock"],
  { id, amount, state, withdrawalBlock, hashes, failure }: GatewayWithdrawal,
): Promise<z.input<typeof Output>> {
  const { blocks, secondsPerBlock } = await chain.gateway.withdrawalDelay(requireGateway(chain).wallet);
  const left = withdrawalBlock === null ? blocks : withdrawalBlock - (await chain.head()).number;
  const seconds = chain.environment === "sandbox" ? DEVELOPMENT_SECONDS_PER_BLOCK : secondsPerBlock;
  const wait = { seconds: Math.ceil(Math.max(0, Number(left)) * seconds) };
  return {
    withdrawalId: id,
    chain: nameInAnswers(name),
    chainId: chain.chainId,
    amount: formatDecimal(amount),
    status: state,
    withdrawableAtBlock: withdrawalBlock?.toString() ?? null,
    delayBlocks: blocks.toString(),
    expectedBy: clock.now().add(wait).toString(),
    txHashes: hashes,
    failure,
    ...chainProvenance(chain, clock),
  };
}

/** Throws the refusals that come before anything is done. */
async function check(
  { usableChains, stores, gatewayGas }: Pick<Ports, "usableChains" | "stores" | "gatewayGas">,
  { chain: name, amount: decimal }: { chain: z.output<typeof GatewayChain>; amount?: string | undefined },
  tenantId: string,
) {
  const { chain } = await usableChains.open(name, tenantId);
  requireGateway(chain);
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
  if (amount > available) throw lacksDeposit(chain.key.chain, name, available, amount);
  const { address } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
  if (isOpen || decimal !== undefined) await gatewayGas.require(chain, address);
  return { chain, followed: decimal === undefined ? last : undefined, address };
}

const lacksDeposit = (chain: string, name: string, available: Micro, amount: Micro): Failure =>
  lacksBalance({ token: "USDC", chain }, available, amount, `Your money in the Gateway on ${name}`);

interface Wish {
  chain: Chain;
  name: z.output<typeof GatewayChain>;
  address: GatewayWithdrawal["address"];
  tenantId: string;
  amount: Micro;
}

/** Stores it, sets the money aside and records the call as done, in one transaction. Throws `insufficient_balance`. */
async function begin(
  { stores, clock, random }: Pick<Ports, "stores" | "clock" | "random">,
  { chain: { key }, name, tenantId, address, amount }: Wish,
  callId: string,
): Promise<string> {
  const id = newId("gwd_", clock.now().epochMilliseconds, random);
  const owner = { ...key, tenantId };
  await stores.transaction(async ({ gatewayWithdrawals, gatewayBooks, effects }) => {
    if (!(await gatewayWithdrawals.insert({ ...owner, id, address, amount }))) {
      throw new Failure("already_withdrawing", { detail: errors.already_withdrawing });
    }
    const available = await gatewayBooks.reserve({ ...owner, token: "USDC" }, amount, id);
    if (available < amount) throw lacksDeposit(key.chain, name, available, amount);
    await effects.open(callId);
    await effects.done(callId, { withdrawalId: id, chain: name });
  });
  return id;
}

type WithdrawalStores = Pick<Ports["stores"], "gatewayWithdrawals">;

async function requireStored({ gatewayWithdrawals }: WithdrawalStores, id: string): Promise<GatewayWithdrawal> {
  const found = await gatewayWithdrawals.get(id);
  if (found === undefined) throw new Error(`the withdrawal ${id} is gone`);
  return found;
}

/** Until the delay has begun, or for as long as a caller waits. */
async function awaitDelay(stores: WithdrawalStores, id: string): Promise<GatewayWithdrawal> {
  const until = performance.now() + WAIT_MILLISECONDS;
  for (;;) {
    const found = await requireStored(stores, id);
    if (found.state !== "requested" || performance.now() > until) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
