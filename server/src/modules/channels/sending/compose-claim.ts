import { formatDecimal } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { buildTripGuestLink } from "../../invitations/index.ts";
import { nameText, type Trip } from "../../trips/index.ts";
import type { ChannelMessage } from "../channels.ts";
import type { Parts } from "../context.ts";

export type ClaimParts = Pick<CommonParts, "claimKeys" | "clock"> & {
  stores: Pick<Parts["stores"], "trips" | "channelRecords">;
};

/** The words of a message, and what fills the gap of its template. */
export interface ClaimWords {
  readonly text: string;
  readonly link?: string;
  readonly parameter: string;
}

/**
 * The guest's link, or the code, each in a message of its own. Neither is stored with the message: they are made when it is sent.
 * Otherwise says why nobody needs it any more.
 */
export async function composeClaim(parts: ClaimParts, message: ChannelMessage): Promise<ClaimWords | string> {
  const { stores, claimKeys, clock } = parts;
  const { environment, tenantId, about, kind } = message;
  const trip = isTripId(about) ? await stores.trips.find(tenantId, environment, about) : undefined;
  if (trip === undefined || !isOpen(trip, clock.now())) return "The trip can no longer be claimed.";
  if (kind === "claim_link") {
    const link = buildTripGuestLink(claimKeys, trip);
    return { text: describeInvitation(trip, link), link, parameter: link };
  }
  const link = await stores.channelRecords.findState({ ...message, kind: "claim_link" });
  if (link?.state === "failed") return "The link could not be delivered.";
  const code = claimKeys.claimCode(trip.codeNonce);
  return { text: `${code} is your code for the trip. Nobody else needs it.`, parameter: code };
}

function describeInvitation({ details, budget, expiresAt, requiresCode, environment }: Trip, link: string): string {
  const name = nameText(details.buyerName)?.replaceAll(/[“”"]/g, "'");
  const until = expiresAt.toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "long", timeStyle: "short" });
  return [
    `${name === undefined ? "Somebody" : `“${name}”`} has set aside ${formatDecimal(budget)} USDC for your trip and invites you to accept it.`,
    ...(environment === "sandbox" ? ["This is a trial with test money that has no value."] : []),
    `Open this link to accept: ${link}`,
    ...(requiresCode ? ["You will be asked for a code. It comes in a message of its own."] : []),
    `You can accept until ${until} UTC. Anyone who has the link can accept in your place, so do not share it.`,
  ].join("\n");
}

const isTripId = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);

function isOpen({ state, guestWallet, expiresAt }: Trip, now: Temporal.Instant): boolean {
  return state === "funded" && guestWallet === undefined && Temporal.Instant.compare(now, expiresAt) < 0;
}
