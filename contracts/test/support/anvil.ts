import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Address, createWalletClient, defineChain, type Hex, http, publicActions } from "viem";
import { mnemonicToAccount } from "viem/accounts";

export const CHAIN_ID = 5_042_002;
// The account that anvil funds at its start.
const RELAYER = mnemonicToAccount("test test test test test test test test test test test junk");

export interface Anvil {
  url: string;
  stop(): Promise<void>;
}

/** A fresh chain on a port of the system's choosing. */
export async function startAnvil(program: string): Promise<Anvil> {
  const child = spawn(program, ["--host", "127.0.0.1", "--port", "0", "--chain-id", String(CHAIN_ID)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string | undefined>((resolve) => {
    // Reads on after the address: a full pipe would stop anvil.
    lines.on("line", (line) => {
      const address = /^Listening on (\S+:\d+)/.exec(line)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
    lines.once("close", () => resolve(undefined));
    child.once("error", () => resolve(undefined));
  });
  if (url === undefined) throw new Error("anvil did not start");
  return { url, stop };
}

/** Reads the chain and writes to it as the relayer. */
export function connect(url: string) {
  const chain = defineChain({
    id: CHAIN_ID,
    name: "test",
    nativeCurrency: { name: "USDC", symbol: "USDC", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const client = createWalletClient({ chain, transport: http(), account: RELAYER, pollingInterval: 20 }).extend(
    publicActions,
  );
  /** Waits for a transaction and fails if it was reverted. */
  const settle = async (hash: Hex | Promise<Hex>) => {
    const receipt = await client.waitForTransactionReceipt({ hash: await hash });
    if (receipt.status !== "success") throw new Error(`reverted: ${receipt.transactionHash}`);
    return receipt;
  };
  const deploy = async (parameters: Parameters<typeof client.deployContract>[0]): Promise<Address> => {
    const { contractAddress } = await settle(client.deployContract(parameters));
    if (!contractAddress) throw new Error("nothing was deployed");
    return contractAddress;
  };
  return { client, settle, deploy, relayer: RELAYER.address };
}
