import type { Hex } from "../../domain/tokens.ts";
import type { ClaimKeys } from "../../ports/chain/claim-keys.ts";
import type { Clock } from "../../ports/clock.ts";
import { buildTripGuestLink, composeGuestMail } from "../invitations/index.ts";
import { composeMail, type MessageKind, type OutboxPorts, sendNow, words } from "../outbox/index.ts";
import type { Trip } from "../trips/index.ts";
import type { Stores } from "./context.ts";

const LINK = "claim_link";
const CODE = "claim_code";
/** After this nobody waits for it any more. */
const GIVEN_UP_AFTER = { hours: 24 };

interface MailKindParts {
  stores: Pick<Stores, "trips" | "messages">;
  claimKeys: ClaimKeys;
  clock: Clock;
}

/** Only the address of such a mail is stored: link and code are made when it is sent, each for a mail of its own. */
export function claimMailKind({ stores, claimKeys, clock }: MailKindParts): MessageKind {
  return {
    name: LINK,
    kinds: [LINK, CODE],
    async compose({ id, kind, environment, recordId }) {
      const to = (await stores.messages.readLetter(id))?.to;
      const trip = isTripId(recordId) ? await stores.trips.get(environment, recordId) : undefined;
      if (to === undefined || trip === undefined || !isOpen(trip, clock.now())) return undefined;
      if (kind === LINK) {
        return composeGuestMail(trip, to.address, buildTripGuestLink(claimKeys, trip), "another_mail");
      }
      const text = `${claimKeys.claimCode(trip.codeNonce)} is your code for the trip. Nobody else needs it.`;
      return composeMail({ to, subject: "Your code", language: "en", parts: [words(text)] });
    },
  };
}

/** Each once for a recipient. Returns the states of both. */
export async function mailClaim(
  ports: OutboxPorts & MailKindParts,
  { tenantId, environment, tripId, requiresCode }: Trip,
  address: string,
): Promise<{ link: string; code: string | undefined }> {
  const { messages } = ports.stores;
  const send = async (kind: string) => {
    const reason = { tenantId, environment, kind, about: [tripId, address] };
    const letter = { to: { address }, subject: "", text: "", html: "" };
    const expiresAt = ports.clock.now().add(GIVEN_UP_AFTER);
    const stored = await messages.insert({ ...reason, carrier: "mail", letter, recordId: tripId, expiresAt });
    if (stored !== undefined) return await sendNow(ports, claimMailKind(ports), stored);
    return (await messages.findLive(reason))?.state ?? "failed";
  };
  const link = await send(LINK);
  return { link, code: requiresCode && link !== "failed" ? await send(CODE) : undefined };
}

const isTripId = (text: string | undefined): text is Hex => text?.startsWith("0x") === true;

const isOpen = ({ state, guestWallet, expiresAt }: Trip, now: Temporal.Instant): boolean =>
  state === "funded" && guestWallet === undefined && Temporal.Instant.compare(now, expiresAt) < 0;
