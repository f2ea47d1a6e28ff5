import { createHmac } from "node:crypto";
import type { RandomBytes } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import type { Channel, ChannelPerson } from "./channels.ts";
import type { Stores } from "./context.ts";

/** Without letters that look like digits. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const LETTERS = 8;
const LIFETIME = { minutes: 10 };
const MOST_ATTEMPTS = 5;
const ATTEMPTS_SECONDS = 600;
const CODE = /^\s*(?:link\s+)?([2-9A-HJ-NP-Z]{4}[\s-]?[2-9A-HJ-NP-Z]{4})\s*$/i;

interface CodeParts {
  stores: Pick<Stores, "channelPeople" | "conversationLinks">;
  vault: Vault;
  clock: Clock;
}

/** A code with which somebody proves in this channel to be the user. The key that issues it is the key of what they say there. */
export async function issueChannelCode(
  { stores, vault, clock, random }: CodeParts & { random: RandomBytes },
  { id: channelId, tenantId, environment }: Channel,
  { userId, keyId }: { userId: string; keyId: string },
): Promise<{ code: string; expiresAt: Temporal.Instant }> {
  const letters = Array.from(random(LETTERS), (byte) => ALPHABET.charAt(byte & 31)).join("");
  const code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  const expiresAt = clock.now().add(LIFETIME);
  const codeHash = hashCode(vault, channelId, code);
  await stores.channelPeople.storeCode({ channelId, tenantId, environment, userId, keyId, codeHash, expiresAt });
  return { code, expiresAt };
}

/** The code in a message that consists of one. */
export function readCode(text: string): string | undefined {
  return CODE.exec(text)?.[1];
}

export async function redeemChannelCode(
  { stores, vault }: CodeParts,
  channel: Channel,
  person: ChannelPerson,
  code: string,
): Promise<"linked" | "wrong" | "too_many"> {
  const attempts = await stores.conversationLinks.countAttempt(channel, `channel:${person.id}`, ATTEMPTS_SECONDS);
  if (attempts > MOST_ATTEMPTS) return "too_many";
  const proved = await stores.channelPeople.takeCode(channel.id, hashCode(vault, channel.id, code));
  if (proved === undefined) return "wrong";
  await stores.channelPeople.link(person.id, proved);
  return "linked";
}

/** Case, blanks and hyphens do not count. */
function hashCode(vault: Vault, channelId: string, code: string): string {
  const letters = code.toUpperCase().replaceAll(/[\s-]/g, "");
  return createHmac("sha256", vault.deriveKey("channel-link-code")).update(`${channelId} ${letters}`).digest("hex");
}
