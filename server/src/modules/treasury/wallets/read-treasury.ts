import { z } from "zod";
import { nameChain } from "../../../domain/chains/named-chains.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import type { TokenSymbol } from "../../../domain/tokens.ts";
import { ChainName } from "../../../ports/chain/chain-key.ts";
import type { Environment } from "../../../ports/identity.ts";
import { ChainResult, chainProvenance } from "../chain-result.ts";
import type { Ports, Stores } from "../context.ts";
import { OpenWithdrawal } from "../over-chains/open-withdrawals.ts";
import { TransferAnswer } from "../over-chains/transfer-answer.ts";
import { OTHER_CHAINS_NOTE } from "./describe-wallet.ts";

const Amounts = z.object({ USDC: DecimalAmount, EURC: DecimalAmount });

const SHOWN = {
  transferId: true,
  status: true,
  from: true,
  to: true,
  token: true,
  amountSent: true,
  expectedBy: true,
  waiting: true,
} as const;

export const TreasuryAnswer = ChainResult.extend({
  address: z.string(),
  balances: Amounts.describe("Wallet balance according to the chain"),
  available: Amounts.describe("Free to spend, excluding held and outgoing amounts"),
  held: Amounts.describe("Covers bookings whose outcome is not known yet"),
  outgoing: Amounts.describe("Outgoing in transactions that are not confirmed yet"),
  otherChains: z
    .array(
      z.object({
        chain: ChainName,
        address: z.string().nullable(),
        available: Amounts,
        held: Amounts,
        outgoing: Amounts,
      }),
    )
    .readonly()
    .optional()
    .describe("Your wallets on further chains"),
  otherChainsNote: z.string().optional(),
  gateway: z
    .array(
      z.object({
        chain: ChainName,
        available: DecimalAmount,
        inFlight: DecimalAmount.describe("Set aside for transfers and withdrawals that have just begun"),
        withdrawing: DecimalAmount,
      }),
    )
    .readonly()
    .optional()
    .describe("Your USDC in the Gateway according to our books; gateway_balance compares them with the Gateway"),
  withdrawals: z
    .array(OpenWithdrawal)
    .readonly()
    .optional()
    .describe("Withdrawals from the Gateway that have not ended"),
  inFlight: z
    .array(TransferAnswer.pick(SHOWN))
    .readonly()
    .optional()
    .describe("Transfers between chains that have not ended, oldest first"),
});

/** The wallets of a tenant: by the chain and, for those of further chains, by the books. */
export async function readTreasury(
  ports: Pick<Ports, "chain" | "usableChains" | "transfersOverChains" | "openWithdrawals" | "stores" | "clock">,
  tenantId: string,
) {
  const { chain, usableChains, transfersOverChains, openWithdrawals, stores, clock } = ports;
  const { key } = chain;
  const { address } = await stores.wallets.ensure(key, "treasury", tenantId);
  const head = await chain.head();
  const read = async (token: TokenSymbol) => {
    const [[onChain = 0n], books] = await Promise.all([
      chain.balances(token, [address], head.number),
      stores.ledger.balance({ ...key, tenantId, token }),
    ]);
    return { onChain, ...books };
  };
  const { environment } = key;
  const [usdc, eurc, withWallet, inFlight, gateway, withdrawals] = await Promise.all([
    read("USDC"),
    read("EURC"),
    usableChains.listWithWallet(tenantId),
    transfersOverChains.listOpen({ tenantId, environment }),
    readGateway(stores, { tenantId, environment }),
    openWithdrawals.list({ tenantId, environment }),
  ]);
  const others = withWallet.filter((name) => name !== key.chain);
  const both = (name: keyof typeof usdc) => ({ USDC: formatDecimal(usdc[name]), EURC: formatDecimal(eurc[name]) });
  return {
    address,
    chainId: chain.chainId,
    balances: both("onChain"),
    available: both("available"),
    held: both("held"),
    outgoing: both("outgoing"),
    ...(others.length === 0 ? {} : { otherChains: await readOtherWallets(stores, environment, tenantId, others) }),
    ...(usableChains.opensMore ? { otherChainsNote: OTHER_CHAINS_NOTE } : {}),
    ...(gateway.length === 0 ? {} : { gateway }),
    ...(withdrawals.length === 0 ? {} : { withdrawals }),
    ...(inFlight.length === 0 ? {} : { inFlight }),
    ...chainProvenance(chain, clock),
  };
}

async function readGateway({ ledger }: Pick<Stores, "ledger">, tenant: { tenantId: string; environment: Environment }) {
  return [...(await ledger.inGateway(tenant))].flatMap(([chain, { available, reserved, withdrawing }]) =>
    available + reserved + withdrawing === 0n
      ? []
      : [
          {
            chain: nameChain(chain),
            available: formatDecimal(available),
            inFlight: formatDecimal(reserved),
            withdrawing: formatDecimal(withdrawing),
          },
        ],
  );
}

/** By the service's ledger, which answers also while a chain does not. */
async function readOtherWallets(
  { wallets, ledger }: Pick<Stores, "wallets" | "ledger">,
  environment: Environment,
  tenantId: string,
  chains: readonly string[],
) {
  return await Promise.all(
    chains.map(async (chain) => {
      const wallet = await wallets.findTreasury({ environment, chain }, tenantId);
      const [usdc, eurc] = await Promise.all([
        ledger.balance({ environment, chain, tenantId, token: "USDC" }),
        ledger.balance({ environment, chain, tenantId, token: "EURC" }),
      ]);
      const both = (name: keyof typeof usdc) => ({ USDC: formatDecimal(usdc[name]), EURC: formatDecimal(eurc[name]) });
      const amounts = { available: both("available"), held: both("held"), outgoing: both("outgoing") };
      return { chain: nameChain(chain), address: wallet?.address ?? null, ...amounts };
    }),
  );
}
