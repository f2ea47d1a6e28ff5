import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { EMPTY_PLAN, final } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { queueClaim } from "../../channels/index.ts";
import { readHash, tripStateErrors } from "../../escrow/index.ts";
import type { Trip } from "../../trips/index.ts";
import { mailClaim } from "../claim-mail.ts";
import { defineTool, type Ports } from "../context.ts";
import { findUnlockable } from "../unlock-trip.ts";

const errors = {
  trip_not_found: tripStateErrors.trip_not_found,
  claim_closed: "The trip can no longer be claimed.",
} as const;

const states = ["waiting", "sent", "delivered", "read", "kept", "failed", "unknown", "not_sent"] as const;
type State = (typeof states)[number];
const channels = ["slack", "whatsapp", "email"] as const;
type Channel = (typeof channels)[number];

const NOT_SENT = {
  no_channel: "You have no such channel that is on: add one, or pass the link on yourself.",
  too_many: "This trip's link went to five recipients already: pass it on yourself.",
  no_mail: "The operator has no mail server: pass the link on yourself.",
} as const;

export const sendClaimLink = defineTool({
  name: "send_claim_link",
  title: "Send a claim link",
  summary: "Send a trip's claim link to its guest, and its code in a second message.",
  area: "escrow",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["stores", "clock", "claimKeys", "delivery"],
  input: z.strictObject({
    tripId: z.string(),
    channel: z.enum(channels),
    recipient: z.string().describe("Member id, phone number or address"),
  }),
  output: z.object({
    tripId: z.string(),
    channel: z.string(),
    link: z.enum(states),
    code: z.enum(states).nullable().describe("A message of its own; null: the trip needs no code"),
    reason: z.string().optional(),
  }),
  errors,
  example: (_today, { tripId }) => ({ tripId, channel: "email" as const, recipient: "guest@example.com" }),

  async plan({ channel }, { delivery, caller }) {
    if (channel === "email" && !(await delivery.canMail(caller))) return EMPTY_PLAN;
    return { movements: [], irreversible: [final("the message to the guest")] };
  },

  async probe(input, ports) {
    await requireClaimable(input, ports);
  },

  async run(input, ports) {
    const { channel } = input;
    const { trip, address } = await requireClaimable(input, ports);
    return { tripId: trip.tripId, channel, ...(await send(trip, channel, address, ports)) };
  },
});

type Sent = { link: State; code: State | null; reason?: string };

async function send(
  trip: Trip,
  channel: Channel,
  address: string,
  ports: Pick<Ports, "stores" | "clock" | "claimKeys" | "delivery">,
): Promise<Sent> {
  const notSent = (why: keyof typeof NOT_SENT): Sent => ({ link: "not_sent", code: null, reason: NOT_SENT[why] });
  if (channel === "email") {
    if (!(await ports.delivery.canMail(trip))) return notSent("no_mail");
    const { link, code } = await mailClaim(ports, trip, address);
    return { link: sayMailState(link), code: code === undefined ? null : sayMailState(code) };
  }
  const { tripId, tenantId, environment, requiresCode, expiresAt } = trip;
  const queued = await queueClaim(ports, {
    ...{ kind: channel, tripId, tenantId, environment, address, requiresCode, expiresAt },
  });
  if (typeof queued === "string") return notSent(queued);
  const { link, code } = queued;
  const problem = link.problem ?? code?.problem;
  return {
    link: link.state === "failed" && link.isUnsure ? "unknown" : link.state,
    code: code === undefined ? null : code.state === "failed" && code.isUnsure ? "unknown" : code.state,
    ...(problem === undefined ? {} : { reason: problem }),
  };
}

function sayMailState(state: string): State {
  const known = (["sent", "kept", "failed"] as const).find((one) => one === state);
  return known ?? "waiting";
}

async function requireClaimable(
  input: { tripId: string; channel: Channel; recipient: string },
  { stores, clock, caller: { tenantId, environment } }: Pick<Ports, "stores" | "clock"> & { caller: Caller },
): Promise<{ trip: Trip; address: string }> {
  const address = readRecipient(input.channel, input.recipient.trim());
  if (address === undefined) {
    const message = `must be ${WANTED[input.channel]}`;
    throw invalidInput([{ path: "recipient", message }]);
  }
  const refused = (code: keyof typeof errors, detail: string = errors[code]) => new Failure(code, { detail });
  const tripId = readHash(input.tripId);
  if (tripId === undefined) throw refused("trip_not_found");
  const found = await findUnlockable({ stores, clock }, { tenantId, environment, tripId });
  const trip = await stores.trips.find(tenantId, environment, tripId);
  if (found === undefined || trip === undefined) throw refused("trip_not_found");
  if (found.reason !== undefined) throw refused("claim_closed");
  return { trip, address };
}

const WANTED = {
  slack: "a Slack member's id, such as U0TRAVELER",
  whatsapp: "a phone number with its country code, such as +12025550104",
  email: "an email address",
} as const;

/** Undefined: nobody can be reached there. */
function readRecipient(channel: Channel, text: string): string | undefined {
  if (channel === "slack") return /^[UW][0-9A-Z]{2,20}$/.test(text) ? text : undefined;
  if (channel === "email") return z.email().max(254).safeParse(text).data;
  const digits = text.replaceAll(/[\s().-]/g, "").replace(/^\+/, "");
  if (/^[1-9]\d{6,14}$/.test(digits)) return digits;
  return /^[A-Z]{2}\.(?:ENT\.)?[0-9A-Za-z]{1,128}$/.test(text) ? text : undefined;
}
