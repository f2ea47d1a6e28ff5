import type { Hex, TokenSymbol } from "../domain/tokens.ts";
import type { Environment } from "./identity.ts";

/** A gift of the public faucet of the test networks. It has no key that would tell a repetition from a second one. */
export interface TestGift {
  address: Hex;
  /** As the faucet names its networks. */
  blockchain: string;
  token: TokenSymbol;
}

/**
 * - `accepted`: it gives, and the transaction follows.
 * - `not_sent`: the faucet never saw the request.
 * - `too_often`: it gives nothing to this address, or to this key, for a while.
 * - `denied`: it does not accept the operator's key.
 * - `refused`: it gives nothing for another reason.
 * - `unknown`: it may have given or not, as its answer was lost or says neither.
 */
export type TestGiftAnswer =
  | { kind: "accepted" }
  | { kind: "not_sent" | "unknown"; cause: unknown }
  | { kind: "too_often"; retryAfterSeconds: number | undefined }
  | { kind: "denied" | "refused"; cause: unknown };

/** Never rejects. Asks once: a repetition could be a second gift. */
export interface TestFaucet {
  give(gift: TestGift): Promise<TestGiftAnswer>;
}

export interface TestFaucetByEnvironment {
  /** Undefined: the operator has configured none, or the environment's chains have their own. */
  of(environment: Environment): TestFaucet | undefined;
}
