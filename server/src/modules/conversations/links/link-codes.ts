import { createHmac } from "node:crypto";
import { Failure } from "../../../domain/errors.ts";
import type { RandomBytes } from "../../../domain/ids.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Vault } from "../../../ports/vault.ts";
import { composeMail, type Delivery, sendMessage, words } from "../../outbox/index.ts";
import type { Parts, Stores } from "../context.ts";
import type { ConversationOwner } from "../conversations.ts";
import type { ConversationLinks } from "./links.ts";

export interface LinkParts {
  stores: Stores;
  hasDuties: Parts["hasDuties"];
  vault: Vault;
  clock: Clock;
  random: RandomBytes;
  delivery: Delivery;
}

/** Without letters that look like digits. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_LETTERS = 8;
const LIFETIME = { minutes: 10 };
const MOST_ATTEMPTS = 5;
const ATTEMPTS_SECONDS = 600;

export interface IssuedCode {
  /** Undefined: it was mailed. */
  code: string | undefined;
  expiresAt: Temporal.Instant;
}

/** Issues a code that joins another key to this traveler. With an address the code is mailed there, and proves it. */
export async function issueCode(
  parts: LinkParts,
  owner: ConversationOwner,
  email: string | undefined,
): Promise<IssuedCode> {
  const { tenantId, environment, ownerId } = owner;
  await requireIssuable(parts, owner, email);
  const code = newCode(parts.random);
  const codeHash = hashCode(parts.vault, owner, code);
  const expiresAt = parts.clock.now().add(LIFETIME);
  await parts.stores.conversationLinks.storeCode({
    tenantId,
    environment,
    userId: ownerId,
    email,
    codeHash,
    expiresAt,
  });
  if (email === undefined) return { code, expiresAt };
  const letter = composeMail({
    to: { address: email },
    subject: "Your code",
    language: "en",
    parts: [
      words(`Your code is ${code}. It proves that this address is yours and is valid for 10 minutes.`),
      words("If you did not request it, ignore this email."),
    ],
  });
  const reason = { tenantId, environment, userId: ownerId, kind: "link_code", about: [codeHash] };
  await sendMessage(parts, { ...reason, carrier: "mail", letter, expiresAt });
  return { code: undefined, expiresAt };
}

async function requireIssuable(
  { hasDuties, delivery }: LinkParts,
  owner: ConversationOwner,
  email: string | undefined,
): Promise<void> {
  const refuse = (detail: string) => new Failure("conflict", { detail });
  if (email === undefined && owner.ownerId.startsWith("svc:")) {
    throw refuse(
      "These conversations belong to the key itself. Name the traveler as userId, or send an email address.",
    );
  }
  if (await hasDuties(owner, owner.ownerId)) {
    throw refuse("This person works for the tenant, so no other key may speak for them.");
  }
  if (email !== undefined && !delivery.carriers.has("mail")) {
    throw refuse("Email is off: the operator has no mail server. Request a code without an address.");
  }
}

/** Who uses a code. */
interface Redeemer extends ConversationOwner {
  /** The service account of an agent's key that names nobody: what a code joins to a traveler. */
  keyId: string | undefined;
  /** The key of the request, whichever it is: mails from the proved address have its scopes and limits. */
  provesWith: string;
}

/** Uses a code up. Returns the traveler to whom the caller's conversations belong from then on. */
export async function redeemCode(parts: LinkParts, redeemer: Redeemer, given: string): Promise<string> {
  const { stores, vault } = parts;
  const { tenantId, environment, ownerId, keyId } = redeemer;
  const attempts = await stores.conversationLinks.countAttempt(redeemer, keyId ?? ownerId, ATTEMPTS_SECONDS);
  if (attempts > MOST_ATTEMPTS) {
    const detail = "Too many codes were tried. Wait ten minutes, then request a new one.";
    throw new Failure("rate_limited", { detail, retryAfterSeconds: ATTEMPTS_SECONDS });
  }
  const codeHash = hashCode(vault, redeemer, given);
  return await stores.transaction(async ({ conversationLinks }) => {
    const code = await conversationLinks.takeCode(redeemer, codeHash);
    // A mailed code proves the address only for those who asked for it.
    if (code === undefined || (code.email !== undefined && code.userId !== ownerId)) throw noSuchCode();
    const travelerId = await findTraveler(conversationLinks, redeemer, code);
    if (travelerId === ownerId) return ownerId;
    if (keyId === undefined) throw belongsToAnother();
    const joined = await conversationLinks.join({ tenantId, environment, kind: "key", subject: keyId }, travelerId);
    if (joined !== travelerId) throw belongsToAnother();
    await conversationLinks.moveConversations(redeemer, keyId, travelerId);
    return travelerId;
  });
}

/** A proved address belongs to whoever proved it first. */
async function findTraveler(
  links: Pick<ConversationLinks, "join">,
  { tenantId, environment, ownerId, provesWith }: Redeemer,
  { userId, email }: { userId: string; email: string | undefined },
): Promise<string> {
  if (email === undefined) return userId;
  return await links.join({ tenantId, environment, kind: "email", subject: email }, ownerId, provesWith);
}

const noSuchCode = () =>
  new Failure("not_found", {
    detail:
      "This code is not valid: it was mistyped or already used, has expired, or belongs to someone else. Request a new one.",
  });

const belongsToAnother = () =>
  new Failure("conflict", {
    detail: "The caller's conversations already belong to another traveler. Remove that link first.",
  });

function newCode(random: RandomBytes): string {
  const letters = Array.from(random(CODE_LETTERS), (byte) => ALPHABET.charAt(byte & 31)).join("");
  return `${letters.slice(0, CODE_LETTERS / 2)}-${letters.slice(CODE_LETTERS / 2)}`;
}

/** Codes are read aloud and typed: case, blanks and hyphens do not count. */
function hashCode(
  vault: Vault,
  { tenantId, environment }: Pick<ConversationOwner, "tenantId" | "environment">,
  code: string,
): string {
  const letters = code.toUpperCase().replaceAll(/[\s-]/g, "");
  const key = vault.deriveKey("conversation-link-code");
  return createHmac("sha256", key).update(`${tenantId} ${environment} ${letters}`).digest("hex");
}
