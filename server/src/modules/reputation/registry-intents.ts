import { createHash } from "node:crypto";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";

/** The purposes of chain transactions to the registries: the names of the tools. */
export const FEEDBACK_PURPOSE = "give_feedback";
export const REQUEST_PURPOSE = "request_validation";
export const ANSWER_PURPOSE = "submit_validation_response";
export type RegistryPurpose = typeof FEEDBACK_PURPOSE | typeof REQUEST_PURPOSE | typeof ANSWER_PURPOSE;

/** Links a chain transaction and its record in both directions. */
export function buildIntentKey(purpose: RegistryPurpose, recordId: string): string {
  return `${purpose}:${recordId}`;
}

export function parseRecordId({
  purpose,
  idempotencyKey,
}: Pick<ChainTransaction, "purpose" | "idempotencyKey">): string {
  return idempotencyKey.slice(purpose.length + 1);
}

/** SHA-256 of the canonical JSON: members sorted by name, without spaces. */
export function hashContent(content: Readonly<Record<string, string | number | null>>): Hex {
  return `0x${createHash("sha256").update(canonicalJson(content)).digest("hex")}`;
}
