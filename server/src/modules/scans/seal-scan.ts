import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";
import { randomBase62 } from "../../domain/ids.ts";
import { ScannedPerson, type ScanOwner } from "./scans.ts";

const PREFIX = "scn_";
/** 256 bits. */
const SECRET_LETTERS = 43;
export const SCAN_ID = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LETTERS}}$`);
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Uses the system's generator even where a seeded run repeats ids, since this id is a key. */
export function newScanId(): string {
  return `${PREFIX}${randomBase62(SECRET_LETTERS)}`;
}

/** The row's look-up key. It reveals nothing about the encryption key, as the id cannot be guessed. */
export function hashOfScanId(scanId: string): string {
  return hash("sha256", scanId, "hex");
}

/** Nonce, ciphertext and tag of AES-256-GCM, under a key derived from the scan's id. */
export function sealPerson(scanId: string, owner: ScanOwner, person: ScannedPerson): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", deriveKey(scanId), nonce).setAAD(sealingContext(owner));
  return Buffer.concat([nonce, cipher.update(JSON.stringify(person), "utf8"), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined: it was encrypted for another id, tenant or environment. */
export function openPerson(scanId: string, owner: ScanOwner, sealed: Buffer): ScannedPerson | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", deriveKey(scanId), sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(sealingContext(owner))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  const begun = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return ScannedPerson.parse(JSON.parse(Buffer.concat([begun, decipher.final()]).toString("utf8")));
  } catch {
    return undefined;
  }
}

function deriveKey(scanId: string): Buffer {
  return Buffer.from(hkdfSync("sha256", scanId, "", "wayfare document scan", KEY_BYTES));
}

function sealingContext({ tenantId, environment }: ScanOwner): Buffer {
  return Buffer.from(`document scan:${environment}:${tenantId}`);
}
