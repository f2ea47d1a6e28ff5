import { decodeEventLog, getAbiItem, type Log, type PublicClient, toEventSelector } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { gatewayWalletAbi } from "../../../generated/contracts/gateway-wallet.ts";
import type { GatewayEvent, GatewayReader } from "../../../ports/chain/gateway-reader.ts";
import { reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { readLogs } from "./movements.ts";

interface GatewayReaderOptions {
  client: PublicClient;
  /** USDC. */
  token: Hex;
  /** The latest confirmed block. */
  headNumber(): Promise<bigint>;
}

const MEASURED_BLOCKS = 100n;
const BALANCES = ["availableBalance", "withdrawingBalance", "withdrawalBlock"] as const;
const EVENTS = (["Deposited", "WithdrawalInitiated", "WithdrawalCompleted", "GatewayBurned"] as const).map((name) =>
  toEventSelector(getAbiItem({ abi: gatewayWalletAbi, name })),
);

export function createGatewayReader({ client, token, headNumber }: GatewayReaderOptions): GatewayReader {
  return {
    deposits: (address, depositors, blockNumber) =>
      reach(async () => {
        const contracts = depositors.flatMap((depositor) =>
          BALANCES.map((functionName) => ({
            address,
            abi: gatewayWalletAbi,
            functionName,
            args: [token, depositor] as const,
          })),
        );
        if (contracts.length === 0) return [];
        const amounts = await client.multicall({
          contracts,
          allowFailure: false,
          deployless: true,
          batchSize: 0,
          blockNumber,
        });
        return depositors.map((_, index) => {
          const [available = 0n, withdrawing = 0n, withdrawalBlock = 0n] = amounts.slice(index * BALANCES.length);
          return { available, withdrawing, withdrawalBlock };
        });
      }),

    withdrawalDelay: (address) =>
      reach(async () => {
        const call = { address, abi: gatewayWalletAbi, functionName: "withdrawalDelay" } as const;
        const [blocks, last] = await Promise.all([client.readContract(call), client.getBlock({ blockTag: "latest" })]);
        const span = last.number < MEASURED_BLOCKS ? last.number : MEASURED_BLOCKS;
        if (span === 0n) return { blocks, secondsPerBlock: 0 };
        const first = await client.getBlock({ blockNumber: last.number - span });
        return { blocks, secondsPerBlock: Number(last.timestamp - first.timestamp) / Number(span) };
      }),

    events: (address, fromBlock, toBlock) =>
      reach(async () => {
        const logs = await readLogs(client, { address, topics: [EVENTS] }, fromBlock, toBlock);
        return logs.flatMap((log) => readEvent(log, token) ?? []);
      }),

    hasCode: (address) => reach(async () => (await client.getCode({ address })) !== undefined),

    isDone: (address, specHash) =>
      reach(async () =>
        client.readContract({
          address,
          abi: gatewayWalletAbi,
          functionName: "isTransferSpecHashUsed",
          args: [specHash],
          blockNumber: await headNumber(),
        }),
      ),
  };
}

/** Undefined: it is about another token. */
function readEvent({ topics, data, transactionHash, logIndex, blockNumber }: Log, usdc: Hex): GatewayEvent | undefined {
  if (transactionHash === null || logIndex === null || blockNumber === null) return undefined;
  const event = decodeEventLog({ abi: gatewayWalletAbi, topics, data });
  const place = { transactionHash: lowerHex(transactionHash), logIndex, blockNumber };
  switch (event.eventName) {
    case "Deposited": {
      const { token, depositor, sender, value } = event.args;
      if (lowerHex(token) !== usdc) return undefined;
      return { kind: "deposited", depositor: lowerHex(depositor), sender: lowerHex(sender), value, ...place };
    }
    case "WithdrawalInitiated":
    case "WithdrawalCompleted": {
      const { token, depositor, value } = event.args;
      if (lowerHex(token) !== usdc) return undefined;
      const kind = event.eventName === "WithdrawalInitiated" ? "withdrawal_initiated" : "withdrawal_completed";
      return { kind, depositor: lowerHex(depositor), value, ...place };
    }
    case "GatewayBurned": {
      const { token, depositor, transferSpecHash, value, fee, fromAvailable, fromWithdrawing } = event.args;
      if (lowerHex(token) !== usdc) return undefined;
      const specHash = lowerHex(transferSpecHash);
      const amounts = { value, fee, fromAvailable, fromWithdrawing };
      return { kind: "burned", depositor: lowerHex(depositor), specHash, ...amounts, ...place };
    }
    default:
      return undefined;
  }
}
