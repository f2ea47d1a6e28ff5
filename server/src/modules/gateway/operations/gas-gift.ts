import { z } from "zod";
import { StoredAddress, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";

/** Native coin of a development chain for a wallet that must send a transaction itself. Nothing: it only makes a block. */
export const gasGift = defineChainOperation({
  kind: "gateway_gas",
  input: z.strictObject({ token: StoredToken, to: StoredAddress, wei: StoredInteger }),
  encode: ({ input: { to, wei } }) => ({ to, data: "0x", value: wei }),
  gasCeiling: () => ({ gas: 21_000n }),
  outcome: { tookEffect: (_input, { isEmpty }) => !isEmpty },
});
