import { z } from "zod";
import { buildScope } from "../../../domain/scopes.ts";
import type { HasDuties } from "../../../kernel/contracts/invocation.ts";
import { definePublicRoute, defineRoute } from "../../../kernel/contracts/route.ts";
import type { Identity, Principal } from "../../../ports/identity.ts";
import type { Vault } from "../../../ports/vault.ts";
import type { Stores } from "../context.ts";
import { MUTABLE_KINDS, NOTICE_CHANNELS } from "../notices/notice-kinds.ts";
import type { NoticePreference } from "../notices/notices.ts";
import { readUnsubscribeToken, UNSUBSCRIBE_API } from "../notices/unsubscribe-links.ts";

const TAG = "channels";
const PATH = "/api/notice-preferences/:userId";
const NOBODY = "There is no such user, or only the person's own key may do this.";
const NONE = "There is no such user, or this person has no preferences and so gets no notices.";

interface RouteParts {
  stores: Stores;
  identity: Pick<Identity, "isUser">;
  hasDuties: HasDuties;
}

const UserPath = z.object({ userId: z.string().min(1).max(128) });
const Time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/);
const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, { message: "must be a time zone such as Europe/Berlin" })
  .describe("IANA name");
const Quiet = z.strictObject({ from: Time, until: Time }).describe("Local times. Urgent notices come all the same");
const Preferences = z.strictObject({
  channels: z.array(z.enum(NOTICE_CHANNELS)).min(1).max(NOTICE_CHANNELS.length).describe("In order of preference"),
  timeZone: TimeZone,
  quietHours: Quiet.nullable(),
  muted: z.array(z.enum(MUTABLE_KINDS)).max(MUTABLE_KINDS.length).describe("Kinds that the person does not want"),
});
const example = {
  channels: ["slack" as const, "email" as const],
  timeZone: "Europe/Berlin",
  quietHours: { from: "22:00", until: "07:00" },
  muted: ["invoice.issued" as const],
};

const readPreferences = defineRoute({
  id: "get_notice_preferences",
  method: "GET",
  path: PATH,
  tag: TAG,
  summary: "Read where a person wants notices",
  description:
    "The channels, the quiet hours, and the kinds that the person does not want. Null: the person gets no notices. A person's own key needs no scope for their own.",
  scope: buildScope("conversations", "read"),
  orOwn: "userId",
  params: UserPath,
  answers: { 200: { description: "The preferences.", schema: z.object({ preferences: Preferences.nullable() }) } },
  errors: { not_found: NOBODY },
  example: { answer: { preferences: example } },
  async run({ principal, params: { userId }, fail }, parts: RouteParts) {
    if (!(await maySpeakFor(parts, principal, userId))) throw fail("not_found");
    const found = await parts.stores.noticePreferences.find(principal, userId);
    return { preferences: found === undefined ? null : describe(found) };
  },
});

const writePreferences = defineRoute({
  id: "set_notice_preferences",
  method: "POST",
  path: PATH,
  tag: TAG,
  summary: "Say where a person wants notices",
  description:
    "From then on the person is told of tickets, check-in, invoices, cancellations, changes by the airline, and runs that wait for them: once each, in the first of these channels that reaches them. Email goes to the address that the person writes from, or that of their profile. A person's own key needs no scope for their own.",
  scope: buildScope("conversations", "write"),
  orOwn: "userId",
  params: UserPath,
  body: Preferences,
  answers: { 200: { description: "Stored.", schema: z.object({ preferences: Preferences }) } },
  errors: { not_found: NOBODY },
  example: { body: example, answer: { preferences: example } },
  async run({ principal, params: { userId }, body, fail }, parts: RouteParts) {
    if (!(await maySpeakFor(parts, principal, userId))) throw fail("not_found");
    const { channels, timeZone, quietHours, muted } = body;
    await parts.stores.noticePreferences.set(principal, userId, {
      channels: [...new Set(channels)],
      timeZone,
      quietFrom: quietHours?.from,
      quietUntil: quietHours?.until,
      muted,
    });
    return { preferences: body };
  },
});

const removePreferences = defineRoute({
  id: "delete_notice_preferences",
  method: "DELETE",
  path: PATH,
  tag: TAG,
  summary: "End a person's notices",
  description: "The person gets no notices afterwards. A person's own key needs no scope for their own.",
  scope: buildScope("conversations", "write"),
  orOwn: "userId",
  params: UserPath,
  answers: { 200: { description: "Deleted.", schema: z.object({ deleted: z.literal(true) }) } },
  errors: { not_found: NONE },
  example: { answer: { deleted: true } },
  async run({ principal, params: { userId }, fail }, parts: RouteParts) {
    if (!(await maySpeakFor(parts, principal, userId))) throw fail("not_found");
    if (!(await parts.stores.noticePreferences.remove(principal, userId))) throw fail("not_found");
    return { deleted: true } as const;
  },
});

const unsubscribe = definePublicRoute({
  id: "end_notices_of_a_kind",
  method: "POST",
  path: UNSUBSCRIBE_API,
  tag: TAG,
  summary: "End notices of a kind",
  description:
    "For the List-Unsubscribe header of a notice (RFC 8058) and the page behind its link. The body does not count; the token is for one person and one kind.",
  limitByAddress: "refusals",
  query: z.object({ token: z.string().max(2_000).default("") }),
  bodyAs: "text",
  body: z.object({}),
  answers: { 200: { description: "Ended.", schema: z.object({ ended: z.literal(true) }) } },
  errors: { not_found: "The link is not complete.", rate_limited: "Too many links that do not work." },
  example: { body: {}, answer: { ended: true } },
  async run(
    { query: { token }, fail },
    { stores, vault }: { stores: Pick<Stores, "noticePreferences">; vault: Vault },
  ) {
    const ended = readUnsubscribeToken(vault, token);
    if (ended === undefined) throw fail("not_found");
    await stores.noticePreferences.mute(ended, ended.userId, ended.kind);
    return { ended: true } as const;
  },
});

export const noticeRoutes = [readPreferences, writePreferences, removePreferences, unsubscribe];

/** For travelers without duties; a person with duties says it with their own key. */
async function maySpeakFor(
  { identity, hasDuties }: Pick<RouteParts, "identity" | "hasDuties">,
  { tenantId, environment, personId }: Principal,
  userId: string,
): Promise<boolean> {
  if (userId === personId) return true;
  if (!(await identity.isUser(tenantId, userId, environment))) return false;
  return !(await hasDuties({ tenantId, environment }, userId));
}

function describe({ channels, timeZone, quietFrom, quietUntil, muted }: NoticePreference) {
  return {
    channels,
    timeZone,
    quietHours: quietFrom === undefined || quietUntil === undefined ? null : { from: quietFrom, until: quietUntil },
    muted: MUTABLE_KINDS.filter((kind) => muted.includes(kind)),
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
