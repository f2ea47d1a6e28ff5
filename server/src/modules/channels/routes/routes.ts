import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { newId, type RandomBytes } from "../../../domain/ids.ts";
import { buildScope } from "../../../domain/scopes.ts";
import { defineRoute } from "../../../kernel/contracts/route.ts";
import { ChatFailure, type ChatKind } from "../../../ports/chat.ts";
import type { Principal } from "../../../ports/identity.ts";
import type { ChannelChange, ChannelSecrets, ChannelSettings, ChannelState } from "../channels.ts";
import type { Stores } from "../context.ts";
import { newLocalPart } from "../email/addresses.ts";
import { deriveSimulated, type InstallParts, setUpSimulated, simulatedSecrets } from "../installation.ts";
import { readSharedMetaApp } from "../installation-whatsapp.ts";
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
const SIMULATOR_AWAY =
  "The channel is stored, but the carrier simulator is not answering yet. Read the channel again in a moment.";
const UNCLEAR = "Meta gives no clear answer now. Try it again.";
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
const Token = z.string().trim().min(8).max(1_000);
const PhoneNumber = z.strictObject({
  phoneNumberId: z
    .string()
    .regex(/^\d{5,30}$/)
    .describe("The id that Meta shows beside the number"),
  token: Token.describe("A system user's token with whatsapp_business_messaging"),
  appSecret: Credential.describe("Of the app at Meta. Left out: the operator's app").exactOptional(),
});
const TemplateName = z.string().regex(/^[a-z0-9_]{1,512}$/);
const Templates = z.strictObject({
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:_[A-Z]{2})?$/)
    .exactOptional(),
  update: TemplateName.exactOptional(),
  approval: TemplateName.exactOptional(),
  claimLink: TemplateName.exactOptional(),
  claimCode: TemplateName.exactOptional(),
});
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

const forWhatsApp = {
  number: PhoneNumber.describe("A WhatsApp number of yours").exactOptional(),
  templates: Templates.describe(
    "The templates' own names on WhatsApp, if they are not setUp.templates'",
  ).exactOptional(),
};

const addChannel = defineRoute({
  id: "add_channel",
  method: "POST",
  path: "/api/channels",
  tag: TAG,
  summary: "Add a channel",
  description: `A Slack workspace, a number on WhatsApp, or an address to which people write. In the sandbox, a channel without an app or a number speaks with the carrier simulator and is on at once. Otherwise an address is on at once, too, and a number as soon as Meta accepts its token; for Slack, make an app from setUp.manifest and send its credentials with POST /api/channels/{channelId}, unless the operator has an app. Credentials are stored encrypted and never shown. A tenant has at most ${MOST_CHANNELS} channels.`,
  scope: ADMINISTERS,
  body: z.strictObject({
    kind: z.enum(["slack", "whatsapp", "email"]),
    name: Name.describe("Left out: the kind's name").exactOptional(),
    app: App.describe("The credentials of an app of your own").exactOptional(),
    isSimulated: z
      .boolean()
      .describe("false: a sandbox channel of a real workspace or number. Left out: true without an app or number")
      .exactOptional(),
    approvalsIn: Place.exactOptional(),
    ...forWhatsApp,
  }),
  answers: { 200: { description: "The channel, and how to set up its other side.", schema: WithSetUp } },
  errors: {
    conflict: `This tenant has ${MOST_CHANNELS} channels, or there is a channel with this number, or this simulated one, already; or the operator has set no EMAIL_DOMAIN.`,
    unavailable: UNCLEAR,
  },
  example: { body: { kind: "slack", approvalsIn: "C0APPROVALS" }, answer: exampleAnswer },
  async run({ principal, body, fail }, parts: RouteParts) {
    const { stores, clock } = parts;
    const { kind, name = NAMES[kind], app, number, approvalsIn, templates } = body;
    requireFitting(kind, body);
    const { isSimulated = app === undefined && number === undefined } = body;
    const made = isSimulated ? simulate(parts, principal, kind) : undefined;
    const side = made ?? (await openSide(parts, kind, { app, number }));
    if (side === undefined) throw fail("conflict");
    const settings: ChannelSettings = {
      ...side.settings,
      ...(approvalsIn === undefined ? {} : { approvalsIn }),
      ...(templates === undefined ? {} : { templates }),
    };
    const id = newId("chn_", clock.now().epochMilliseconds);
    const channel = await stores.transaction(({ channels }) =>
      channels.add(toChange(principal), { id, kind, name, ...side, settings }),
    );
    if (channel === undefined) throw fail("conflict");
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
    "Replaces its name, switches it on or off, and sets where requests for approval are shown. New credentials replace the former ones, and an installation that is not simulated begins again with them. Another number replaces the former one once Meta accepts its token.",
  scope: ADMINISTERS,
  params: ChannelPath,
  body: z.strictObject({
    name: Name,
    state: z.enum(["on", "off"]),
    app: App.exactOptional(),
    approvalsIn: Place.exactOptional(),
    ...forWhatsApp,
  }),
  answers: { 200: { description: "The channel.", schema: ChannelAnswer } },
  errors: { not_found: NO_CHANNEL, conflict: "Another channel has this number.", unavailable: UNCLEAR },
  example: { body: { name: "Example Ltd", state: "on" }, answer: exampleChannel },
  async run({ principal, params: { channelId }, body, fail }, parts: RouteParts) {
    const { stores } = parts;
    const { name, state, app, number, approvalsIn, templates } = body;
    const known = await stores.channels.find(principal, channelId);
    if (known === undefined) throw fail("not_found");
    requireFitting(known.kind, body);
    if (number !== undefined) {
      if (known.isSimulated) throw refuse("number", "belongs to a channel that is not simulated: add another channel");
      const open = await stores.channels.open(channelId);
      const { accountId, ...side } = await openNumber(parts, number);
      const isDone =
        open !== undefined &&
        (await stores.transaction(({ channels }) => channels.install(open, { ...side, accountId, name })));
      if (!isDone) throw fail("conflict");
    }
    const settings: ChannelSettings = {
      ...(approvalsIn === undefined ? {} : { approvalsIn }),
      ...(templates === undefined ? {} : { templates }),
    };
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

const NAMES = { slack: "Slack", whatsapp: "WhatsApp", email: "Email" } as const;
const OWN_SETTINGS = {
  slack: ["app", "approvalsIn"],
  whatsapp: ["number", "templates"],
  email: [],
} as const satisfies Record<ChatKind, readonly string[]>;

const refuse = (path: string, message: string) => invalidInput([{ path, message }]);

/** Each kind has credentials of its own. */
function requireFitting(
  kind: ChatKind,
  body: Partial<Record<"app" | "approvalsIn" | "number" | "templates", unknown>>,
) {
  const own: readonly string[] = OWN_SETTINGS[kind];
  for (const path of ["app", "approvalsIn", "number", "templates"] as const) {
    if (body[path] !== undefined && !own.includes(path))
      throw refuse(path, `does not belong to a channel of the kind ${kind}`);
  }
}

/** A number whose token Meta accepts. */
async function openNumber(
  { chatSystems: { whatsapp }, settings }: RouteParts,
  { phoneNumberId: accountId, token, appSecret }: z.output<typeof PhoneNumber>,
): Promise<OtherSide & { accountId: string }> {
  if (appSecret === undefined && readSharedMetaApp(settings) === undefined) {
    throw refuse("number.appSecret", "is needed: the operator has no app at Meta");
  }
  try {
    const { displayNumber } = await whatsapp.readNumber({ apiUrl: whatsapp.apiUrl, token, accountId });
    const secrets = { token, ...(appSecret === undefined ? {} : { signingSecret: appSecret }) };
    return { state: "on", isSimulated: false, accountId, settings: { displayNumber }, secrets };
  } catch (error) {
    if (!(error instanceof ChatFailure)) throw error;
    const isRefused = error.problem === "refused" || error.problem === "revoked";
    if (isRefused) throw refuse("number", "is refused by Meta: check the id and the token's permissions");
    throw new Failure("unavailable", { detail: UNCLEAR, cause: error });
  }
}

interface OtherSide {
  state: ChannelState;
  isSimulated: boolean;
  accountId: string | undefined;
  settings: ChannelSettings;
  secrets: ChannelSecrets;
}

const TO_INSTALL = { state: "to_install", isSimulated: false, accountId: undefined, settings: {} } as const;

/** Undefined where nothing is simulated. */
function simulate({ chatSimulator, vault }: InstallParts, principal: Principal, kind: ChatKind): OtherSide | undefined {
  if (principal.environment !== "sandbox" || chatSimulator === undefined) return undefined;
  const { slack, whatsapp, email, playground } = deriveSimulated(vault, principal);
  if (kind === "email") {
    const accountId = `travel-${playground.id.slice(0, 10)}`;
    return { state: "on", isSimulated: true, accountId, settings: {}, secrets: { signingSecret: email.secret } };
  }
  const { teamId, botUserId } = slack;
  const secrets = simulatedSecrets(vault, principal, kind);
  if (kind === "whatsapp") {
    const { phoneNumberId: accountId, displayNumber } = whatsapp;
    return { state: "on", isSimulated: true, accountId, settings: { displayNumber }, secrets };
  }
  return { state: "on", isSimulated: true, accountId: teamId, settings: { botUserId }, secrets };
}

/** Undefined: the operator takes no mail. */
/** The side of a channel that is not simulated. Undefined: the operator receives no mail. */
async function openSide(
  parts: RouteParts,
  kind: ChatKind,
  { app, number }: { app: ChannelSecrets | undefined; number: z.output<typeof PhoneNumber> | undefined },
): Promise<OtherSide | undefined> {
  if (kind === "email") return openAddress(parts);
  return number === undefined ? { ...TO_INSTALL, secrets: app ?? {} } : await openNumber(parts, number);
}

function openAddress({ settings, random }: RouteParts): OtherSide | undefined {
  if (settings.emailDomain === undefined) return undefined;
  return { state: "on", isSimulated: false, accountId: newLocalPart(random), settings: {}, secrets: {} };
}

async function describe(parts: RouteParts, channelId: string): Promise<z.output<typeof WithSetUp>> {
  const channel = await parts.stores.channels.open(channelId);
  if (channel === undefined) throw new Error("a channel is gone that was there a moment ago");
  try {
    // The simulator may have been started anew since, and its page must open.
    if (channel.isSimulated) await setUpSimulated(parts, channel);
    return { ...describeChannel(channel), setUp: await describeSetUp(parts, channel) };
  } catch (cause) {
    if (!(cause instanceof ChatFailure)) throw cause;
    throw new Failure("unavailable", { detail: SIMULATOR_AWAY, cause });
  }
}
