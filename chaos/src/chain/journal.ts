import type { Hex, TokenSymbol } from "../../../server/src/domain/tokens.ts";
import type { Answer } from "../call.ts";

/**
 * One order that a caller wants carried out once. Its mark on the chain is nobody else's: the amount is its own or, of a drip, the
 * recipient, so that the chain shows what became of it without asking the service.
 */
export interface Operation {
  number: number;
  tool: "send_tokens" | "settle_split" | "faucet_drip";
  token: TokenSymbol;
  /** The treasury that pays; of a drip, nobody. */
  from: Hex;
  to: Hex;
  /** Undefined for a drip, as the faucet decides. */
  amount: bigint | undefined;
  /** All answers to callers. */
  answers: Outcome[];
}

export type Outcome =
  | { kind: "done"; result: unknown }
  /** Refused for good: the caller takes it that nothing has moved. */
  | { kind: "failed"; code: string }
  /** The caller knows nothing yet. */
  | { kind: "open"; code: string };

export function toOutcome(answer: Answer): Outcome {
  if (answer.kind === "ok") return { kind: "done", result: answer.result };
  return { kind: answer.kind === "refused" && !answer.retryable ? "failed" : "open", code: answer.code };
}

export const NOBODY: Hex = "0x0000000000000000000000000000000000000000";

export const describe = ({ tool, number, token, amount, to }: Operation): string =>
  `${tool} ${number} (${amount ?? "a drip"} ${token} to ${to})`;
