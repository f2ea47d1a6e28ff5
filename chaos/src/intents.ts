import type { ToolMap } from "../../server/src/modules/index.ts";
import type { Answer, CallRequest } from "./call.ts";
import type { Client } from "./client.ts";

/** A user of a tenant. */
export interface Traveler {
  client: Client;
  tenantId: string;
  /** Undefined: the key's service account. */
  userId: string | undefined;
}

/** An effect that a caller wants once, however often it asks. */
export interface Intent {
  sequence: number;
  traveler: Traveler;
  request: CallRequest;
  /** The subject of the effect, such as the offer to book. */
  subject: string;
  answers: Answer[];
}

export const describe = ({ request, subject, sequence }: Intent): string =>
  `${request.tool} ${subject} of sequence ${sequence}`;

/** Results that the caller was given. */
export function listResults({ answers }: Intent): unknown[] {
  return answers.flatMap((answer) => (answer.kind === "ok" ? [answer.result] : []));
}

/** Undefined unless the last word was that it is not done, and no earlier one that it is. */
export function findRefusal(intent: Intent): string | undefined {
  const last = intent.answers.at(-1);
  return last?.kind === "refused" && !last.retryable && listResults(intent).length === 0 ? last.code : undefined;
}

/** Asks until the answer is final. */
export interface Asker {
  ask<Name extends keyof ToolMap>(
    tool: Name,
    args: ToolMap[Name]["input"],
    /** Idempotency-Key. */
    key?: string,
  ): Promise<{ result: ToolMap[Name]["output"] } | { refused: string }>;
  /** Waits, but not when the sequence only goes over what it was answered before. */
  rest(milliseconds: number): Promise<void>;
}
