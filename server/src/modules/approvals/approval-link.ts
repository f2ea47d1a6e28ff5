import { createHmac, timingSafeEqual } from "node:crypto";
import { APPROVE_PATH } from "../../domain/page-paths.ts";
import type { Vault } from "../../ports/vault.ts";

export interface LinkSubject {
  approvalId: string;
  personId: string;
}

/** A person's own link to one approval. It is signed, not stored. The first decision invalidates every link of the approval. */
export function buildApprovalLink(vault: Vault, origin: string, of: LinkSubject): string {
  return `${origin}${APPROVE_PATH}/${of.approvalId}/${encodeURIComponent(of.personId)}#${sign(vault, of)}`;
}

export function isSigned(vault: Vault, of: LinkSubject, secret: string): boolean {
  const expected = Buffer.from(sign(vault, of));
  const given = Buffer.from(secret);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function sign(vault: Vault, { approvalId, personId }: LinkSubject): string {
  const text = JSON.stringify([approvalId, personId]);
  return createHmac("sha256", vault.deriveKey("approval links")).update(text).digest("base64url");
}
