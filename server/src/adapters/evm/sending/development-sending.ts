import { setTimeout as delay } from "node:timers/promises";
import type { LocalAccount, PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { reach } from "../client.ts";
import { type NativeAmount, nativeAmount } from "../native.ts";
import { broadcast } from "./broadcast.ts";
import { createFeeReader } from "./fees.ts";

export interface Step {
  name: string;
  /** Undefined: creates a contract. */
  to: Hex | undefined;
  data: Hex;
  gas: bigint;
  value?: NativeAmount;
}

/** Transactions of the development chain's own accounts. */
export interface Sending {
  readonly chainId: number;
  readNonce(address: Hex): Promise<number>;
  readBalance(address: Hex): Promise<NativeAmount>;
  hasCode(address: Hex): Promise<boolean>;
  /**
   * Sends the steps in order, with nonces from this one on, without waiting in between: dependent steps follow in the same
   * block. Resolves when transactions with these nonces are in blocks, whether or not they had an effect.
   */
  send(account: LocalAccount, nonce: number, steps: readonly Step[]): Promise<void>;
}

export const DEPLOY_GAS = 5_000_000n;
const POLL_MILLISECONDS = 20;
const NOTHING = nativeAmount(0n);

export async function openSending(client: PublicClient, deadline: number): Promise<Sending> {
  const chainId = await reach(() => client.getChainId());
  const readFees = createFeeReader(client);
  const readNonce: Sending["readNonce"] = (address) => reach(() => client.getTransactionCount({ address }));

  async function sign(account: LocalAccount, nonce: number, { to, data, gas, value = NOTHING }: Step): Promise<Hex> {
    const fees = await readFees();
    return await account.signTransaction({
      type: "eip1559",
      chainId,
      nonce,
      ...(to === undefined ? {} : { to }),
      data,
      gas,
      value: value.wei,
      maxFeePerGas: fees.maxFeePerGas.wei * 2n,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas.wei,
    });
  }

  return {
    chainId,
    readNonce,
    readBalance: async (address) => nativeAmount(await reach(() => client.getBalance({ address }))),
    hasCode: async (address) => ((await reach(() => client.getCode({ address }))) ?? "0x") !== "0x",
    async send(account, nonce, steps) {
      const last = nonce + steps.length - 1;
      const raws = await Promise.all(steps.map((step, index) => sign(account, nonce + index, step)));
      const answers = await Promise.all(raws.map((raw) => broadcast(client, raw)));
      for (const [index, { name }] of steps.entries()) {
        const answer = answers[index];
        // Underpriced: the same step is already pending, sent before a crash.
        if (answer?.kind === "refused") throw new Error(`the development chain refuses ${name}: ${answer.reason}`);
        if (answer?.kind === "unfunded") throw new Error(`there is no gas for ${name} on the development chain`);
      }
      while ((await readNonce(account.address)) <= last) {
        if (performance.now() > deadline) {
          throw new Error(`the development chain does not take up ${steps.map(({ name }) => name).join(", ")}`);
        }
        await delay(POLL_MILLISECONDS);
      }
    },
  };
}
