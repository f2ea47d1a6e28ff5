import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/** Longer than any whole request without a document. */
const LONG_TEXT = 256 * 1024;

/** SHA-256 over the canonical JSON of a request. Documents are hashed separately, so that they need not be copied into JSON. */
export function requestHash(request: unknown): string {
  return hash("sha256", canonicalJson(request, standInFor), "base64url");
}

const standInFor = (member: unknown): unknown =>
  typeof member === "string" && member.length > LONG_TEXT ? { sha256: hash("sha256", member, "base64url") } : member;
