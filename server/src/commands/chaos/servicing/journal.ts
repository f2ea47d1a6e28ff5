import type { Answer, CallRequest, Client } from "../client.ts";

/** A user of a tenant. */
export interface Traveler {
  client: Client;
  tenantId: string;
  userId: string;
}

/** What costs or makes something, with the argument that is its natural identity. */
export const SUBJECT_OF: Readonly<Record<string, string>> = {
  book_flight: "offerId",
  confirm_order_change: "changeId",
  confirm_cancel_order: "cancellationId",
  book_stay: "quoteId",
};

/** An effect that a caller wants once, however often it asks. */
export interface Intent {
  sequence: number;
  traveler: Traveler;
  request: CallRequest;
  /** Offer, change, cancellation or quote. */
  subject: string;
  answers: Answer[];
}

export const describe = ({ request, subject, sequence }: Intent): string =>
  `${request.tool} ${subject} of sequence ${sequence}`;

export function isFinal(answer: Answer): boolean {
  return answer.kind === "ok" || (answer.kind === "refused" && !answer.retryable);
}

/** Results that the caller was given. */
export function resultsOf({ answers }: Intent): unknown[] {
  return answers.flatMap((answer) => (answer.kind === "ok" ? [answer.result] : []));
}

/** Undefined unless the last word was that it is not done, and no earlier one that it is. */
export function refusalOf(intent: Intent): string | undefined {
  const last = intent.answers.at(-1);
  return last?.kind === "refused" && !last.retryable && resultsOf(intent).length === 0 ? last.code : undefined;
}
