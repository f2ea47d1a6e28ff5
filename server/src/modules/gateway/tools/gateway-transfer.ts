import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { formatDecimal, type Micro, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { final, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import type { Environment } from "../../../ports/identity.ts";
import { describeTransfer, type Transfer } from "../../cross-chain/index.ts";
import { lacksBalance } from "../../ledger/index.ts";
import {
  ChainResult,
  chainProvenance,
  isServiceContract,
  Recipient,
  readAddress,
  requireUnblocked,
  sendOutErrors,
  TokenAmount,
  TransferAnswer,
} from "../../treasury/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { AskedGatewayChain, type GatewayChain, noGateway, resolveGatewayChain } from "../gateway-chains.ts";
import { expectSeconds, startTransfer } from "../transfers/start-transfer.ts";
import { readDetail } from "../transfers/transfer-detail.ts";
import { buildTerms } from "../transfers/transfer-kind.ts";

const WAIT_MILLISECONDS = 25_000;
/** Fees may rise between the estimate and the transfer. */
const FEE_MARGIN_DIVISOR = 10n;
const ZERO_SALT: Hex = `0x${"0".repeat(64)}`;

const Output = ChainResult.extend(TransferAnswer.shape).extend({
  recipient: z.string(),
  deposited: DecimalAmount.describe("Deposited from the wallet into the Gateway for this transfer"),
});
const Stored = z.object({ transferId: z.string() });

const errors = {
  chain_not_available: noGateway,
  amount_too_low: "The amount does not exceed the Gateway's fee. Nothing was done; send more.",
  insufficient_balance:
    "The Gateway and your wallet on the source chain together do not have enough. Add the missing amount.",
  recipient_blocked: sendOutErrors.recipient_blocked,
  settlement_stopped: sendOutErrors.settlement_stopped,
  transfer_refused:
    "The Gateway or the chain refused the transfer. Nothing was moved to the other chain; see gateway_balance.",
} as const;

export const gatewayTransfer = defineTool({
  name: "gateway_transfer",
  title: "Transfer through the Gateway",
  summary:
    "Send USDC from the Gateway on one chain to an address on another; deposits any shortfall from your wallet first.",
  advice: "The fee is added. Returns within 25 seconds; read_transaction follows it. It cannot be undone.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: [
    ...(["chain", "usableChains", "unifiedBalance", "stores", "clock", "random"] as const),
    ...(["transferWaits", "gatewayEvents"] as const),
  ],
  input: z
    .strictObject({
      from: AskedGatewayChain,
      to: AskedGatewayChain,
      amount: TokenAmount,
      recipient: Recipient.optional().describe("Default: your wallet there"),
    })
    .refine(({ from, to }) => from !== to, { path: ["to"], message: "must be a different chain" }),
  output: Output,
  errors,
  example: () => ({ from: "Base_Sepolia", to: "Arc_Testnet", amount: "3.00" }) as const,

  plan: ({ from, to, amount: decimal, recipient }, { stores, caller: { tenantId, environment } }) =>
    planOrRefusal(async () => {
      const chain = resolveGatewayChain(from);
      const amount = parseDecimal(decimal) ?? 0n;
      const wallet = await stores.wallets.findTreasury({ environment, chain }, tenantId);
      const own = await stores.wallets.findTreasury({ environment, chain: resolveGatewayChain(to) }, tenantId);
      const { available = 0n } = (await stores.ledger.inGateway({ tenantId, environment })).get(chain) ?? {};
      const missing = amount > available ? amount - available : 0n;
      const receiver = readAddress(recipient ?? "");
      const isOwn = receiver === undefined || receiver === own?.address;
      const token = "USDC" as const;
      return {
        movements: [
          // The wallet gets test money at its first use.
          ...(missing === 0n || wallet === undefined
            ? []
            : [
                {
                  token,
                  chain,
                  amount: missing,
                  from: "treasury",
                  to: "gateway",
                  hasFeeOnTop: true,
                  isPartOfNext: true,
                } as const,
              ]),
          {
            token,
            chain,
            toChain: resolveGatewayChain(to),
            amount,
            from: "gateway",
            to: isOwn ? "treasury" : receiver,
          },
        ],
        irreversible: [final("the transfer")],
      };
    }),

  async probe(input, ports) {
    await checkUsed(ports, input, ports.caller);
  },

  async arrival(input, ports) {
    const checked = await checkUsed(ports, input, ports.caller);
    if (checked === undefined) return undefined;
    const { source, amount, maxFee: fee, missing } = checked;
    const expectedBy = ports.clock.now().add({ seconds: expectSeconds(source, missing > 0n) });
    return { fee, amountReceived: amount, receivedToken: "USDC", expectedBy };
  },

  async complete(stored, ports) {
    const { transferId } = Stored.parse(stored);
    const transfer = await ports.stores.transfers.find(ports.caller, transferId);
    if (transfer === undefined) throw new Error(`there is no transfer ${transferId}`);
    return describe(ports, transfer);
  },

  async run(input, ports) {
    const { stores, transferWaits, caller, call } = ports;
    const { tenantId, environment } = caller;
    const { recipient, ...checked } = await check(ports, input, caller);
    // From now on the tenant uses that chain, too.
    const { chain: target } = await ports.usableChains.open(input.to, tenantId);
    const own = await stores.wallets.ensure(target.key, "treasury", tenantId);
    const request = { ...checked, recipient: recipient ?? own.address, tenantId, callId: call.id };
    const started = await startTransfer(ports, request);
    const read = () => stores.transfers.find({ tenantId, environment }, started.id);
    const isEnough = (found: Transfer | undefined) =>
      found === undefined || ["completed", "failed"].includes(found.status);
    const waited = { id: started.id, read, isEnough, milliseconds: WAIT_MILLISECONDS, signal: call.signal };
    const transfer = (await transferWaits.wait(waited)) ?? started;
    if (transfer.status === "failed") {
      const detail = transfer.waiting ?? errors.transfer_refused;
      throw ports.fail("transfer_refused", { detail, extra: { transferId: transfer.id } });
    }
    return describe(ports, transfer);
  },
});

function describe({ chain, clock }: Pick<Ports, "chain" | "clock">, transfer: Transfer): z.input<typeof Output> {
  return {
    ...describeTransfer(transfer),
    recipient: transfer.recipient,
    deposited: formatDecimal(readDetail(transfer).deposited),
    chainId: chain.chainId,
    ...chainProvenance(chain, clock),
  };
}

type CheckingPorts = Pick<Ports, "usableChains" | "unifiedBalance" | "stores">;

interface Asked {
  from: z.output<typeof GatewayChain>;
  to: z.output<typeof GatewayChain>;
  amount: string;
  recipient?: string | undefined;
}

/** Undefined: the tenant has not used the source. A chain is started by its first call, not by a preview. */
async function checkUsed(ports: CheckingPorts, input: Asked, caller: { tenantId: string; environment: Environment }) {
  const source = { environment: caller.environment, chain: resolveGatewayChain(input.from) };
  const wallet = await ports.stores.wallets.findTreasury(source, caller.tenantId);
  return wallet === undefined ? undefined : await check(ports, input, caller);
}

/** Throws the refusals that come before anything is done, and the tenant gets anything on the destination. */
async function check(
  { usableChains, unifiedBalance, stores }: CheckingPorts,
  input: Asked,
  { tenantId, environment }: { tenantId: string; environment: Environment },
) {
  const [source, target] = await Promise.all([usableChains.open(input.from, tenantId), usableChains.open(input.to)]);
  const operator = unifiedBalance.of(environment, source.network);
  if (operator === undefined || source.network !== target.network) {
    throw new Failure("chain_not_available", { detail: noGateway });
  }
  const { address: from } = await stores.wallets.ensure(source.chain.key, "treasury", tenantId);
  const own = await stores.wallets.findTreasury(target.chain.key, tenantId);
  const recipient = readAddress(input.recipient ?? own?.address ?? "");
  const amount = parseDecimal(input.amount) ?? 0n;
  if (recipient !== undefined) await requireReceiver(stores, source.chain, target.chain, recipient);
  // The fee is the same for every recipient.
  const fee = await operator.estimateFee(
    buildTerms({ source, target, from, recipient: recipient ?? from, value: amount, salt: ZERO_SALT }),
  );
  if (amount <= fee) {
    throw new Failure("amount_too_low", {
      detail: `The Gateway charges ${formatDecimal(fee)} USDC. Nothing was done; send more than that.`,
    });
  }
  const maxFee = fee + fee / FEE_MARGIN_DIVISOR;
  const purse = { ...source.chain.key, tenantId, token: "USDC" } as const;
  const missing = await requireMoney(stores, purse, { name: input.from, need: amount + maxFee });
  return { source, target, from, recipient, amount, maxFee, missing };
}

/** The part that the wallet pays. */
async function requireMoney(
  { ledger }: Pick<Ports["stores"], "ledger">,
  purse: { tenantId: string; environment: Environment; chain: string; token: "USDC" },
  { name, need }: { name: string; need: Micro },
): Promise<Micro> {
  const { available: deposited = 0n } = (await ledger.inGateway(purse)).get(purse.chain) ?? {};
  const { available } = await ledger.balance(purse);
  if (deposited + available < need) {
    throw lacksBalance(purse, deposited + available, need, `Your money in the Gateway and in your wallet on ${name}`);
  }
  return need > deposited ? need - deposited : 0n;
}

type Chain = Ports["chain"];

async function requireReceiver(stores: Ports["stores"], source: Chain, target: Chain, recipient: Hex): Promise<void> {
  const refuse = (message: string) => invalidInput([{ path: "recipient", message }]);
  if (await isServiceContract({ chain: target, stores }, recipient)) {
    throw refuse("is one of the network's contracts, which would keep the money forever");
  }
  await requireUnblocked(target, "USDC", recipient);
  const [isThere, isHere] = await Promise.all([target.gateway.hasCode(recipient), source.gateway.hasCode(recipient)]);
  if (isHere && !isThere) throw refuse("is a contract on the source chain that does not exist on the destination");
}
