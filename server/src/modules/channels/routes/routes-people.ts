import { z } from "zod";
import { invalidInput } from "../../../domain/errors.ts";
import type { RandomBytes } from "../../../domain/ids.ts";
import { buildScope, DECIDES_APPROVALS } from "../../../domain/scopes.ts";
import type { HasDuties } from "../../../kernel/contracts/invocation.ts";
import { defineRoute } from "../../../kernel/contracts/route.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Identity, Principal } from "../../../ports/identity.ts";
import type { Vault } from "../../../ports/vault.ts";
import type { Stores } from "../context.ts";
import { issueChannelCode } from "../link-codes.ts";
import { CHANNEL_ID, ChannelPath, NO_CHANNEL } from "./channel-answer.ts";

const TAG = "channels";
const WRITE = buildScope("conversations", "write");

interface RouteParts {
  stores: Stores;
  vault: Vault;
  clock: Clock;
  random: RandomBytes;
  identity: Pick<Identity, "isUser">;
  hasDuties: HasDuties;
}

const PersonAnswer = z.object({
  personId: z.string(),
  externalId: z.string().describe("The person's id in the chat system"),
  userId: z.string().nullable().describe("null: the person has not proved who they are"),
  lastMessageAt: z.string().nullable(),
});
const examplePerson = {
  personId: "chp_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  externalId: "U0TRAVELER",
  userId: "user_ada",
  lastMessageAt: "2030-01-01T09:00:00Z",
};

const Code = z.object({ code: z.string().describe("Shown once. Never store it"), expiresAt: z.string() });
const exampleCode = { code: "7K3M-Q9XT", expiresAt: "2030-01-01T09:10:00Z" };

const issueCode = defineRoute({
  id: "issue_channel_link_code",
  method: "POST",
  path: "/api/channels/:channelId/link-codes",
  tag: TAG,
  summary: "Issue a link code for a channel",
  description:
    "A code, valid once and for ten minutes. Whoever sends it to the app in a direct message is known as this user from then on, and converses with this key. Without userId it is the person whose own key is used, or the key's own traveler.",
  scope: WRITE,
  params: ChannelPath,
  query: z.object({
    userId: z
      .string()
      .min(1)
      .max(128)
      .describe("A traveler; left out: the person whose own key is used, or the key's own traveler")
      .exactOptional(),
  }),
  answers: { 200: { description: "The code.", schema: Code } },
  errors: { not_found: NO_CHANNEL },
  example: { answer: exampleCode },
  async run({ principal, params: { channelId }, query, fail }, parts: RouteParts) {
    const channel = await parts.stores.channels.find(principal, channelId);
    if (channel === undefined) throw fail("not_found");
    const userId = await chooseProved(parts, principal, query.userId);
    const { code, expiresAt } = await issueChannelCode(parts, channel, { userId, keyId: principal.keyId });
    return { code, expiresAt: expiresAt.toString() };
  },
});

const issueApproverCode = defineRoute({
  id: "issue_channel_approver_code",
  method: "POST",
  path: "/api/channels/:channelId/approver-codes",
  tag: TAG,
  summary: "Issue a link code for an approver",
  description:
    "A code, valid once and for ten minutes, for the person whose own key is used. Whoever sends it to the app in a direct message decides there as this person, as long as the key is valid.",
  scope: DECIDES_APPROVALS,
  params: ChannelPath,
  answers: { 200: { description: "The code.", schema: Code } },
  errors: { not_found: NO_CHANNEL, conflict: "The key is nobody's own." },
  example: { answer: exampleCode },
  async run({ principal, params: { channelId }, fail }, parts: RouteParts) {
    const channel = await parts.stores.channels.find(principal, channelId);
    if (channel === undefined) throw fail("not_found");
    const { personId, keyId } = principal;
    if (personId === undefined) throw fail("conflict");
    const { code, expiresAt } = await issueChannelCode(parts, channel, { userId: personId, keyId });
    return { code, expiresAt: expiresAt.toString() };
  },
});

const listPeople = defineRoute({
  id: "list_channel_people",
  method: "GET",
  path: "/api/channels/:channelId/people",
  tag: TAG,
  summary: "List a channel's people",
  description: "Everybody who wrote in the channel, and who they proved to be.",
  scope: buildScope("conversations", "read"),
  params: ChannelPath,
  answers: { 200: { description: "The people.", schema: z.object({ people: z.array(PersonAnswer) }) } },
  errors: { not_found: NO_CHANNEL },
  example: { answer: { people: [examplePerson] } },
  async run({ principal, params: { channelId }, fail }, { stores }: RouteParts) {
    if ((await stores.channels.find(principal, channelId)) === undefined) throw fail("not_found");
    const people = await stores.channelPeople.list(principal, channelId);
    return {
      people: people.map(({ id, externalId, userId, lastMessageAt }) => ({
        personId: id,
        externalId,
        userId: userId ?? null,
        lastMessageAt: lastMessageAt?.toString() ?? null,
      })),
    };
  },
});

const unlinkPerson = defineRoute({
  id: "unlink_channel_person",
  method: "DELETE",
  path: "/api/channels/:channelId/people/:personId",
  tag: TAG,
  summary: "Unlink a person of a channel",
  description: "The person is a stranger there afterwards. Their conversations stay.",
  scope: WRITE,
  params: z.object({ channelId: z.string().regex(CHANNEL_ID), personId: z.string().regex(/^chp_[0-9A-Z]{26}$/) }),
  answers: { 200: { description: "The person is a stranger.", schema: z.object({ unlinked: z.literal(true) }) } },
  errors: { not_found: "There is no such channel, or no such linked person in it." },
  example: { answer: { unlinked: true } },
  async run({ principal, params: { channelId, personId }, fail }, { stores }: RouteParts) {
    if (!(await stores.channelPeople.unlink(principal, channelId, personId))) throw fail("not_found");
    return { unlinked: true } as const;
  },
});

export const peopleRoutes = [issueCode, issueApproverCode, listPeople, unlinkPerson];

/** Whom a key may name: a traveler without duties; a person with duties proves who they are with their own key. */
async function chooseProved(
  { identity, hasDuties }: Pick<RouteParts, "identity" | "hasDuties">,
  { tenantId, environment, personId, defaultTravelerId, serviceAccountId }: Principal,
  userId: string | undefined,
): Promise<string> {
  if (userId === undefined || userId === personId) {
    const own = personId ?? defaultTravelerId;
    if (own !== undefined) return own;
    throw invalidInput([{ path: "userId", message: `is needed: the key ${serviceAccountId} is nobody's own` }]);
  }
  const refuse = (message: string) => invalidInput([{ path: "userId", message }]);
  if (!(await identity.isUser(tenantId, userId, environment))) {
    throw refuse("is not a user of this tenant; create it with PUT /api/travelers/{userId}");
  }
  if (await hasDuties({ tenantId, environment }, userId)) {
    throw refuse("works for this tenant: only this person's own key issues a code for them");
  }
  return userId;
}
