import type { ChatKind } from "../../ports/chat.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ChannelOwner, MessageProgress } from "./channels.ts";
import type { Stores } from "./context.ts";

interface ClaimToSend extends ChannelOwner {
  readonly kind: ChatKind;
  readonly tripId: string;
  readonly address: string;
  readonly requiresCode: boolean;
  readonly expiresAt: Temporal.Instant;
}

interface QueuedClaim {
  readonly link: MessageProgress;
  /** Undefined: the trip needs none. */
  readonly code: MessageProgress | undefined;
}

/** After this nobody waits for it any more. */
const PATIENCE = { hours: 24 };
/** A trip has one guest; more recipients than these would be a mailing. */
const MOST_RECIPIENTS = 5;

/**
 * The link as a message, and the code as another one that follows it. Each goes to a recipient once, and again only if it failed.
 * Neither secret is in them: they are made when they are sent.
 */
export async function queueClaim(
  { stores, clock }: { stores: Pick<Stores, "channels" | "channelMessages" | "channelRecords">; clock: Clock },
  claim: ClaimToSend,
): Promise<QueuedClaim | "no_channel" | "too_many"> {
  const { tripId: about, tenantId, environment, address, expiresAt } = claim;
  const channel = (await stores.channels.listOn(claim)).find(({ kind }) => kind === claim.kind);
  if (channel === undefined) return "no_channel";
  const recipients = new Set(await stores.channelRecords.listAddresses(claim, "claim_link", about));
  if (recipients.size >= MOST_RECIPIENTS && !recipients.has(address)) return "too_many";
  const patience = clock.now().add(PATIENCE);
  const giveUpAt = Temporal.Instant.compare(expiresAt, patience) < 0 ? expiresAt : patience;
  const queue = async (kind: "claim_link" | "claim_code"): Promise<MessageProgress> => {
    const message = { channelId: channel.id, tenantId, environment, address, kind, about };
    const content = { text: "", buttons: [] };
    const earlier = await stores.channelRecords.findState(message);
    if (earlier?.state === "failed" && !earlier.isUnsure) await stores.channelRecords.resend?.(claim, earlier.id);
    if (earlier === undefined) await stores.channelMessages.insert({ ...message, content, giveUpAt });
    const now = await stores.channelRecords.findState(message);
    if (now === undefined) throw new Error("a message of a claim was not stored");
    return now;
  };
  const link = await queue("claim_link");
  return { link, code: claim.requiresCode ? await queue("claim_code") : undefined };
}
