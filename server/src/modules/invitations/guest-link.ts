import { CLAIM_PATH } from "../../domain/page-paths.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ClaimKeys } from "../../ports/chain/claim-keys.ts";
import type { Trip } from "../trips/index.ts";

/** Longer than any link of ours. */
const LONGEST_LINK = 500;
const PATH = /^\/claim\/(0x[0-9a-f]{64})$/i;
/** 32 bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

export interface GuestLink {
  tripId: Hex;
  linkSecret: string;
}

/** The secret follows the `#`, which browsers do not send. */
function buildGuestLink(linkOrigin: string, { tripId, linkSecret }: GuestLink): string {
  return `${linkOrigin}${CLAIM_PATH}/${tripId}#${linkSecret}`;
}

export function buildTripGuestLink(claimKeys: ClaimKeys, trip: Pick<Trip, "tripId" | "codeNonce" | "details">): string {
  const { tripId, codeNonce, details } = trip;
  return buildGuestLink(details.linkOrigin, { tripId, linkSecret: claimKeys.linkSecret(codeNonce) });
}

/**
 * Undefined if it is no guest link. The origin is ignored, as nobody follows the link: the trip and the secret count,
 * and a link stays valid if the operator moves the page.
 */
export function readGuestLink(text: string): GuestLink | undefined {
  if (text.length > LONGEST_LINK) return undefined;
  const link = URL.parse(text);
  if (link === null || (link.protocol !== "https:" && link.protocol !== "http:")) return undefined;
  const tripId = PATH.exec(link.pathname)?.[1]?.slice(2).toLowerCase();
  const linkSecret = link.hash.slice(1);
  if (tripId === undefined || link.search !== "" || !SECRET.test(linkSecret)) return undefined;
  return { tripId: `0x${tripId}`, linkSecret };
}
