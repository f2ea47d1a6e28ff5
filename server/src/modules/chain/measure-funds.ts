import { labelChain } from "../../kernel/contracts/by-chain.ts";
import { type Measured, measured } from "../../kernel/contracts/measured.ts";
import type { Gauge } from "../../kernel/contracts/module.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import type { Parts } from "./context.ts";

/** Holdings of the operator on a chain, in whole units. */
interface ChainFunds {
  key: ChainKey;
  /** In the native coin of the chain. */
  relayerGas: number;
  balances: readonly { holder: "collection" | "swap_pool"; token: string; amount: number }[];
}

export type MeasuredFunds = Measured<readonly ChainFunds[]>;

const EVERY_MILLISECONDS = 60_000;
const MICRO = 1_000_000;

/** Measures the funds on every chain that is open and not parked; a chain that does not answer is left out. */
export function measureFunds({ chains }: Pick<Parts, "chains">): MeasuredFunds {
  return measured("measure-chain-funds", EVERY_MILLISECONDS, async () => {
    const opened = chains.keys.flatMap((key) => chains.at(key) ?? []);
    const found = await Promise.allSettled(opened.map(readFunds));
    return found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  });
}

async function readFunds({ chain, sender, collection }: OpenedChain): Promise<ChainFunds> {
  const { number } = await chain.head();
  const { swapPool } = chain.crossChain;
  const holders = [
    { holder: "collection" as const, address: collection.address },
    ...(swapPool === undefined ? [] : [{ holder: "swap_pool" as const, address: swapPool }]),
  ];
  const addresses = holders.map(({ address }) => address);
  const [gas, usdc, eurc] = await Promise.all([
    sender.gasBalance(),
    chain.balances("USDC", addresses, number),
    chain.balances("EURC", addresses, number),
  ]);
  const balances = holders.flatMap(({ holder }, index) => [
    { holder, token: "USDC", amount: Number(usdc[index] ?? 0n) / MICRO },
    { holder, token: "EURC", amount: Number(eurc[index] ?? 0n) / MICRO },
  ]);
  return { key: chain.key, relayerGas: Number.parseFloat(gas), balances };
}

export function fundsGauges({ chains, chainFunds }: Pick<Parts, "chains" | "chainFunds">): readonly Gauge[] {
  const labels = ({ key }: ChainFunds) => ({ network: key.environment, ...labelChain(chains, key) });
  const latest = () => chainFunds.latest() ?? [];
  return [
    {
      name: "wayfare_relayer_gas",
      help: "The relayer's balance for gas, in whole units of the chain's native coin. If it is below the cost of the next transactions, nothing is sent.",
      labelNames: ["network", "chain"],
      read: () => latest().map((funds) => ({ labels: labels(funds), value: funds.relayerGas })),
    },
    {
      name: "wayfare_operator_balance",
      help: "Balances of the collection wallet and of the swap pool, in whole tokens.",
      labelNames: ["network", "chain", "holder", "token"],
      read: () =>
        latest().flatMap((funds) =>
          funds.balances.map(({ holder, token, amount }) => ({
            labels: { ...labels(funds), holder, token },
            value: amount,
          })),
        ),
    },
  ];
}
