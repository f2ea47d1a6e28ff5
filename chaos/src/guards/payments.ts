import { randomBytes } from "node:crypto";
import type { Stores } from "../../../server/src/kernel/contracts/whole.ts";

/** Each claim is stored under a number of its own, so that none stands in another one's way. */
export function withoutPaidClaim(stores: Stores): Stores {
  const { payments } = stores;
  return {
    ...stores,
    payments: {
      ...payments,
      claim(payment, balance) {
        const nonce: `0x${string}` = `0x${randomBytes(32).toString("hex")}`;
        return payments.claim({ ...payment, signed: { ...payment.signed, nonce } }, balance);
      },
    },
  };
}
