import { setTimeout as delay } from "node:timers/promises";
import type { LocalAccount, PublicClient } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { broadcast } from "./broadcast.ts";
import { reach } from "./client.ts";
import { createFeeReader } from "./fees.ts";
import { type NativeAmount, nativeAmount } from "./native.ts";

export interface Step {
  name: string;
  /** Undefined: a contract is made. */
  to: Hex | undefined;
  data: Hex;
  gas: bigint;
}

/** Transactions of the development chain's own accounts, one after another. */
export interface Sending {
  readonly chainId: number;
  nonceOf(address: Hex): Promise<number>;
  balanceOf(address: Hex): Promise<NativeAmount>;
  hasCode(address: Hex): Promise<boolean>;
  /** Resolves when a transaction with that nonce is in a block, and throws when this one is there without effect. */
  send(account: LocalAccount, nonce: number, transaction: Step & { value: NativeAmount }): Promise<void>;
}

export const DEPLOY_GAS = 5_000_000n;
const POLL_MS = 20;

export async function openSending(client: PublicClient, deadline: number): Promise<Sending> {
  const chainId = await reach(() => client.getChainId());
  const readFees = createFeeReader(client);
  const nonceOf: Sending["nonceOf"] = (address) => reach(() => client.getTransactionCount({ address }));
  return {
    chainId,
    nonceOf,
    balanceOf: async (address) => nativeAmount(await reach(() => client.getBalance({ address }))),
    hasCode: async (address) => ((await reach(() => client.getCode({ address }))) ?? "0x") !== "0x",
    async send(account, nonce, { name, to, data, gas, value }) {
      const fees = await readFees();
      const raw = await account.signTransaction({
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
      const answer = await broadcast(client, raw);
      // Underpriced: the same step waits there already, sent before a crash.
      if (answer.kind === "refused") throw new Error(`the development chain refuses ${name}: ${answer.reason}`);
      if (answer.kind === "unfunded") throw new Error(`there is no gas for ${name} on the development chain`);
      while ((await nonceOf(account.address)) <= nonce) {
        if (performance.now() > deadline) throw new Error(`the development chain does not take up ${name}`);
        await delay(POLL_MS);
      }
    },
  };
}
