import { z } from "zod";
import { newId, type RandomBytes } from "../../../domain/ids.ts";
import { buildScope } from "../../../domain/scopes.ts";
import { defineRoute } from "../../../kernel/contracts/route.ts";
import type { Principal } from "../../../ports/identity.ts";
import type { ChannelChange, ChannelSecrets, ChannelSettings, ChannelState } from "../channels.ts";
import type { Stores } from "../context.ts";
import { newLocalPart } from "../email/addresses.ts";
import { deriveSimulated, type InstallParts, setUpSimulated, simulatedSecrets } from "../installation.ts";
import { MOST_CHANNELS } from "../stores/store-channels.ts";
import {
  ChannelAnswer,
  ChannelPath,
  describeChannel,
  describeSetUp,
  exampleChannel,
  exampleSetUp,
  NO_CHANNEL,
  SetUp,
} from "./channel-answer.ts";

const TAG = "channels";
const READS = buildScope("conversations", "read");
const ADMINISTERS = "webhooks:administer";

interface RouteParts extends InstallParts {
  random: RandomBytes;
  stores: Pick<Stores, "channels" | "transaction">;
}

const Place = z
  .string()
  .regex(/^[CGD][0-9A-Z]{2,20}$/)
  .describe("The id of a Slack channel in which several approvers read, such as C0APPROVALS. The app must be a member");
const Name = z.string().trim().min(1).max(80);
const Credential = z.string().trim().min(8).max(200);
const App = z.strictObject({ clientId: Credential, clientSecret: Credential, signingSecret: Credential });
const WithSetUp = ChannelAnswer.extend({ setUp: SetUp });
const exampleAnswer = { ...exampleChannel, setUp: exampleSetUp };

const listChannels = defineRoute({
  id: "list_channels",
  method: "GET",
  path: "/api/channels",
  tag: TAG,
  summary: "List channels",
  description: "The tenant's places in chat systems, oldest first.",
  scope: READS,
  answers: { 200: { description: "The channels.", schema: z.object({ channels: z.array(ChannelAnswer) }) } },
  errors: {},
  example: { answer: { channels: [exampleChannel] } },
  async run({ principal: { tenantId, environment } }, { stores }: RouteParts) {
    return { channels: (await stores.channels.list({ tenantId, environment })).map(describeChannel) };
  },
});

const addChannel = defineRoute({
  id: "add_channel",
  method: "POST",
  path: "/api/channels",
  tag: TAG,
  summary: "Add a channel",
  description: `A Slack workspace, or an address to which people write. In the sandbox, a channel without an app speaks with the carrier simulator and is on at once. Otherwise an address is on at once, too; for Slack, make an app from setUp.manifest and send its credentials with POST /api/channels/{channelId}, unless the operator has an app. Credentials are stored encrypted and never shown. A tenant has at most ${MOST_CHANNELS} channels.`,
  scope: ADMINISTERS,
  body: z.strictObject({
    kind: z.enum(["slack", "email"]),
    name: Name.describe("Left out: Slack or Email").exactOptional(),
    app: App.describe("The credentials of an app of your own").exactOptional(),
    isSimulated: z
      .boolean()
      .describe("false: a sandbox channel of a real workspace. Left out: true without an app")
      .exactOptional(),
    approvalsIn: Place.exactOptional(),
  }),
  answers: { 200: { description: "The channel, and how to set up its other side.", schema: WithSetUp } },
  errors: {
    conflict: `This tenant has ${MOST_CHANNELS} channels, or this simulated channel already; or the operator has set no EMAIL_DOMAIN.`,
  },
  example: { body: { kind: "slack", approvalsIn: "C0APPROVALS" }, answer: exampleAnswer },
  async run({ principal, body, fail }, parts: RouteParts) {
    const { stores, clock } = parts;
    const { kind, app, isSimulated = app === undefined, approvalsIn } = body;
    const name = body.name ?? (kind === "slack" ? "Slack" : "Email");
    const made = isSimulated ? simulate(parts, principal, kind) : undefined;
    const side = made ?? (kind === "slack" ? { ...TO_INSTALL, secrets: app ?? {} } : openAddress(parts));
    if (side === undefined) throw fail("conflict");
    const settings: ChannelSettings = { ...side.settings, ...(approvalsIn === undefined ? {} : { approvalsIn }) };
    const id = newId("chn_", clock.now().epochMilliseconds);
    const channel = await stores.transaction(({ channels }) =>
      channels.add(toChange(principal), { id, kind, name, ...side, settings }),
    );
    if (channel === undefined) throw fail("conflict");
    if (channel.isSimulated) await setUpSimulated(parts, channel);
    return await describe(parts, channel.id);
  },
});

const readChannel = defineRoute({
  id: "get_channel",
  method: "GET",
  path: "/api/channels/:channelId",
  tag: TAG,
  summary: "Read a channel",
  description: "The channel, and how to set up its other side. Its secrets are never shown.",
  scope: ADMINISTERS,
  params: ChannelPath,
  answers: { 200: { description: "The channel.", schema: WithSetUp } },
  errors: { not_found: NO_CHANNEL },
  example: { answer: exampleAnswer },
  async run({ principal, params: { channelId }, fail }, parts: RouteParts) {
    if ((await parts.stores.channels.find(principal, channelId)) === undefined) throw fail("not_found");
    return await describe(parts, channelId);
  },
});

const changeChannel = defineRoute({
  id: "change_channel",
  method: "POST",
  path: "/api/channels/:channelId",
  tag: TAG,
  summary: "Change a channel",
  description:
    "Replaces its name, switches it on or off, and sets where requests for approval are shown. New credentials replace the former ones, and an installation that is not simulated begins again with them.",
  scope: ADMINISTERS,
  params: ChannelPath,
  body: z.strictObject({
    name: Name,
    state: z.enum(["on", "off"]),
    app: App.exactOptional(),
    approvalsIn: Place.exactOptional(),
  }),
  answers: { 200: { description: "The channel.", schema: ChannelAnswer } },
  errors: { not_found: NO_CHANNEL },
  example: { body: { name: "Example Ltd", state: "on" }, answer: exampleChannel },
  async run({ principal, params: { channelId }, body, fail }, { stores }: RouteParts) {
    const { name, state, app, approvalsIn } = body;
    const settings = approvalsIn === undefined ? {} : { approvalsIn };
    const channel = await stores.transaction(({ channels }) =>
      channels.change(toChange(principal), channelId, { name, settings, state, secrets: app }),
    );
    if (channel === undefined) throw fail("not_found");
    return describeChannel(channel);
  },
});

const removeChannel = defineRoute({
  id: "remove_channel",
  method: "DELETE",
  path: "/api/channels/:channelId",
  tag: TAG,
  summary: "Delete a channel",
  description: "Its people are strangers afterwards, and what waits to be sent is not sent. Conversations stay.",
  scope: ADMINISTERS,
  params: ChannelPath,
  answers: { 200: { description: "It is deleted.", schema: z.object({ deleted: z.literal(true) }) } },
  errors: { not_found: NO_CHANNEL },
  example: { answer: { deleted: true } },
  async run({ principal, params: { channelId }, fail }, { stores }: RouteParts) {
    const isRemoved = await stores.transaction(({ channels }) => channels.remove(toChange(principal), channelId));
    if (!isRemoved) throw fail("not_found");
    return { deleted: true } as const;
  },
});

export const channelRoutes = [listChannels, addChannel, readChannel, changeChannel, removeChannel];

const toChange = ({ tenantId, environment, personId, serviceAccountId }: Principal): ChannelChange => ({
  tenantId,
  environment,
  actor: personId ?? serviceAccountId,
});

interface OtherSide {
  state: ChannelState;
  isSimulated: boolean;
  accountId: string | undefined;
  settings: ChannelSettings;
  secrets: ChannelSecrets;
}

const TO_INSTALL = { state: "to_install", isSimulated: false, accountId: undefined, settings: {} } as const;

/** Undefined where nothing is simulated. */
function simulate(
  { chatSimulator, vault }: InstallParts,
  principal: Principal,
  kind: "slack" | "email",
): OtherSide | undefined {
  if (principal.environment !== "sandbox" || chatSimulator === undefined) return undefined;
  if (kind === "email") {
    const { email, playground } = deriveSimulated(vault, principal);
    const accountId = `travel-${playground.id.slice(0, 10)}`;
    return { state: "on", isSimulated: true, accountId, settings: {}, secrets: { signingSecret: email.secret } };
  }
  const { teamId, botUserId } = deriveSimulated(vault, principal).slack;
  const secrets = simulatedSecrets(vault, principal);
  return { state: "on", isSimulated: true, accountId: teamId, settings: { botUserId }, secrets };
}

/** Undefined: the operator takes no mail. */
function openAddress({ settings, random }: RouteParts): OtherSide | undefined {
  if (settings.emailDomain === undefined) return undefined;
  return { state: "on", isSimulated: false, accountId: newLocalPart(random), settings: {}, secrets: {} };
}

async function describe(parts: RouteParts, channelId: string): Promise<z.output<typeof WithSetUp>> {
  const channel = await parts.stores.channels.open(channelId);
  if (channel === undefined) throw new Error("a channel is gone that was there a moment ago");
  return { ...describeChannel(channel), setUp: await describeSetUp(parts, channel) };
}
