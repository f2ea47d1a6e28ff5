import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi, parseAbiParameters } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { WatchedChain, WatchedChains } from "../chains.ts";
import type { Secrets } from "../settings.ts";
import type { Store, StoredTransfer } from "../store.ts";

const ABI = parseAbi([
  "function isTransferSpecHashUsed(bytes32 transferSpecHash) view returns (bool)",
  "function gatewayBurn(bytes calldataBytes, bytes signature)",
]);
const BURN = parseAbiParameters("bytes[] intents, bytes[] signatures, uint256[][] fees");
const PAUSE_MILLISECONDS = 100;
const PAUSE_AFTER_FAILURE_MILLISECONDS = 2_000;
const BURN_GAS = 500_000n;
const TIP_WEI = 1_000_000_000n;

/**
 * Burns what was minted, from the deposit on the source chain. A kill at any moment loses nothing and burns nothing twice: the wallet
 * contract knows which transfers it has burned, and is asked first.
 */
export function startBurns(parts: { store: Store; chains: WatchedChains; secrets: Secrets; say(line: string): void }) {
  const { store, chains, secrets, say } = parts;
  const operator = privateKeyToAccount(secrets.keys.testnet.gateway);
  /** The block of the destination up to which a transfer was not minted. */
  const looked = new Map<string, bigint>();
  let isStopping = false;
  let isWoken = false;
  let endRest = (): void => undefined;

  const find = (name: string): WatchedChain => {
    const chain = chains.find((one) => one.name === name);
    if (chain === undefined) throw new Error(`the chain ${name} of a transfer is not configured`);
    return chain;
  };
  const isUsed = (chain: WatchedChain, address: Hex, specHash: Hex): Promise<boolean> =>
    chain.client.readContract({ address, abi: ABI, functionName: "isTransferSpecHashUsed", args: [specHash] });

  async function lookForMint({ id, destination, specHash, lastBlock }: StoredTransfer): Promise<void> {
    const chain = find(destination);
    const head = await chain.client.getBlockNumber();
    // Without a new block there is no mint: a parked chain stays parked.
    if (looked.get(id) === head) return;
    if (await isUsed(chain, chain.gatewayMinter, specHash)) store.setTransferState(id, "minted");
    else if (head > lastBlock) store.setTransferState(id, "expired");
    looked.set(id, head);
  }

  async function burn({ id, source, specHash, intent, intentSignature, fee }: StoredTransfer): Promise<void> {
    const chain = find(source);
    if (!(await isUsed(chain, chain.gatewayWallet, specHash))) {
      const calldata = encodeAbiParameters(BURN, [[intent], [intentSignature], [[fee]]]);
      const signature = await operator.signMessage({ message: { raw: keccak256(calldata) } });
      await send(chain, encodeFunctionData({ abi: ABI, functionName: "gatewayBurn", args: [calldata, signature] }));
      if (!(await isUsed(chain, chain.gatewayWallet, specHash))) throw new Error(`the burn of ${id} was reverted`);
    }
    store.setTransferState(id, "burned");
    looked.delete(id);
  }

  async function send({ client, gatewayWallet }: WatchedChain, data: Hex): Promise<void> {
    const [chainId, nonce, block] = await Promise.all([
      client.getChainId(),
      client.getTransactionCount({ address: operator.address }),
      client.getBlock(),
    ]);
    const raw = await operator.signTransaction({
      type: "eip1559",
      chainId,
      nonce,
      to: gatewayWallet,
      data,
      gas: BURN_GAS,
      maxFeePerGas: (block.baseFeePerGas ?? 0n) * 2n + TIP_WEI,
      maxPriorityFeePerGas: TIP_WEI,
    });
    const hash = await client.sendRawTransaction({ serializedTransaction: raw });
    await client.waitForTransactionReceipt({ hash, pollingInterval: PAUSE_MILLISECONDS, timeout: 10_000 });
  }

  async function runOnce(): Promise<"idle" | "open" | "failed"> {
    const open = [...store.listTransfers("attested"), ...store.listTransfers("minted")];
    let outcome: "idle" | "open" | "failed" = open.length === 0 ? "idle" : "open";
    for (const transfer of open) {
      if (isStopping) return "idle";
      try {
        if (transfer.state === "attested") await lookForMint(transfer);
        else await burn(transfer);
      } catch (error) {
        outcome = "failed";
        const [reason] = String(error instanceof Error ? error.message : error).split("\n");
        say(
          `transfer ${transfer.id} on ${transfer.state === "attested" ? transfer.destination : transfer.source}: ${reason}`,
        );
      }
    }
    return outcome;
  }

  /** Until something new is attested, or for so long. */
  const rest = async (milliseconds: number | undefined): Promise<void> => {
    if (!isWoken) {
      await new Promise<void>((resolve) => {
        const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds);
        endRest = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    isWoken = false;
  };
  const wake = (): void => {
    isWoken = true;
    endRest();
  };

  const running = (async () => {
    while (!isStopping) {
      const outcome = await runOnce();
      if (isStopping) return;
      await rest({ idle: undefined, open: PAUSE_MILLISECONDS, failed: PAUSE_AFTER_FAILURE_MILLISECONDS }[outcome]);
    }
  })();

  return {
    wake,
    async stop(): Promise<void> {
      isStopping = true;
      wake();
      await running;
    },
  };
}
