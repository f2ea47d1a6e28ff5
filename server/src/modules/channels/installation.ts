import { createHmac, timingSafeEqual } from "node:crypto";
import type { CommonParts } from "../../kernel/contracts/parts.ts";
import type { ChatAccess, ChatKind, ChatSystem } from "../../ports/chat.ts";
import { ChatFailure } from "../../ports/chat.ts";
import type { Vault } from "../../ports/vault.ts";
import type { Channel, ChannelOwner, ChannelSecrets, OpenChannel } from "./channels.ts";
import type { Parts } from "./context.ts";
import { SIMULATED_DOMAIN } from "./email/addresses.ts";
import { nameTemplates, whatsAppWebhookPath } from "./installation-whatsapp.ts";

export type InstallParts = Pick<CommonParts, "chatSystems" | "chatSimulator" | "vault" | "urls" | "clock"> &
  Pick<Parts, "settings">;

const INSTALL_MINUTES = 60;
/** Each is needed: to read messages to the app, to answer, to look whether an answer arrived, and to send documents. */
export const SLACK_SCOPES = [
  "app_mentions:read",
  "channels:history",
  "chat:write",
  "files:write",
  "groups:history",
  "im:history",
];

export const slackEventsPath = (app: string): string => `/api/webhooks/slack/${app}`;
export const emailWebhookPath = (app: string): string => `/api/webhooks/email/${app}`;
export const SLACK_INSTALLED_PATH = "/api/webhooks/slack-installed";
/** In place of a channel's id in the path: the operator's app, which serves several channels. */
export const SHARED_APP = "shared";

export function findSystem({ chatSystems }: Pick<InstallParts, "chatSystems">, kind: ChatKind): ChatSystem {
  if (kind === "email") throw new Error("mail is no chat system");
  return chatSystems[kind];
}

/** Undefined: neither the channel nor the operator has an app. */
export function findApp({ settings }: Pick<InstallParts, "settings">, { secrets }: Pick<OpenChannel, "secrets">) {
  const { clientId, clientSecret, signingSecret } = secrets;
  if (clientId !== undefined && clientSecret !== undefined && signingSecret !== undefined) {
    return { clientId, clientSecret, signingSecret, isShared: false };
  }
  return readSharedApp(settings);
}

export function readSharedApp(settings: InstallParts["settings"]) {
  const { slackClientId: clientId, slackClientSecret: clientSecret, slackSigningSecret: signingSecret } = settings;
  if (clientId === undefined || clientSecret === undefined || signingSecret === undefined) return undefined;
  return { clientId, clientSecret, signingSecret, isShared: true };
}

export async function findAccess(parts: InstallParts, channel: OpenChannel): Promise<ChatAccess> {
  if (channel.kind === "email") return { apiUrl: "", token: "", accountId: channel.accountId ?? "" };
  const { token } = channel.secrets;
  if (token === undefined) throw new ChatFailure("revoked", "the channel is not installed");
  return { apiUrl: await findApiUrl(parts, channel), token, accountId: channel.accountId ?? "" };
}

export async function findApiUrl(parts: InstallParts, { kind, isSimulated }: Channel): Promise<string> {
  if (!isSimulated) return findSystem(parts, kind).apiUrl;
  if (parts.chatSimulator === undefined) throw new ChatFailure("revoked", "the carrier simulator is off");
  const url = await parts.chatSimulator.url().catch((cause: unknown) => {
    throw new ChatFailure("not_done", "the carrier simulator does not start", { cause });
  });
  return `${url}/${kind}/api`;
}

/** The address of Slack's page on which a workspace's administrator agrees. */
export function buildInstallUrl(parts: InstallParts, channel: OpenChannel): string | undefined {
  const app = findApp(parts, channel);
  if (app === undefined || channel.isSimulated || channel.kind !== "slack") return undefined;
  const origin = new URL(parts.chatSystems.slack.apiUrl).origin;
  const query = new URLSearchParams({
    client_id: app.clientId,
    scope: SLACK_SCOPES.join(","),
    redirect_uri: `${parts.urls.app}${SLACK_INSTALLED_PATH}`,
    state: signState(parts.vault, channel, parts.clock.now().add({ minutes: INSTALL_MINUTES })),
  });
  return `${origin}/oauth/v2/authorize?${query}`;
}

/** Good for the channel as it is now: an installation, or any other change, ends it. */
function signState(
  vault: Vault,
  { id, tenantId, environment, updatedAt }: Pick<Channel, "id" | "tenantId" | "environment" | "updatedAt">,
  until: Temporal.Instant,
): string {
  const signed = `${id}.${until.epochMilliseconds}`;
  const covered = JSON.stringify([signed, tenantId, environment, updatedAt.toString()]);
  return `${signed}.${createHmac("sha256", vault.deriveKey("channel installs")).update(covered).digest("base64url")}`;
}

/** The channel that a state names, which proves nothing yet. */
export const readStateChannel = (state: string): string => state.split(".")[0] ?? "";

/** False: nobody was sent to Slack with this state for the channel, or too long ago, or it was used. */
export function isStateFor(vault: Vault, channel: Channel, state: string, now: Temporal.Instant): boolean {
  const until = state.split(".")[1] ?? "";
  if (!/^\d{1,15}$/.test(until)) return false;
  const expected = Buffer.from(signState(vault, channel, Temporal.Instant.fromEpochMilliseconds(Number(until))));
  const given = Buffer.from(state);
  const isSame = expected.length === given.length && timingSafeEqual(expected, given);
  return isSame && Number(until) > now.epochMilliseconds;
}

/** A tenant's place in the simulator. All of it follows from the master key, so that the simulator may forget it. */
export function deriveSimulated(vault: Vault, { tenantId, environment }: ChannelOwner) {
  const derive = (purpose: string) =>
    createHmac("sha256", vault.deriveKey("carrier simulator"))
      .update(JSON.stringify([tenantId, environment, purpose]))
      .digest("hex");
  const id = derive("id");
  return {
    playground: { id: id.slice(0, 24), secret: derive("page").slice(0, 32) },
    email: { secret: derive("email webhook secret") },
    slack: {
      teamId: `T${id.slice(24, 36).toUpperCase()}`,
      botUserId: "U0WAYFARE",
      appId: "A0WAYFARE",
      botToken: `xoxb-simulated-${derive("slack token").slice(0, 32)}`,
      clientId: derive("slack client").slice(0, 24),
      clientSecret: derive("slack client secret").slice(0, 32),
      signingSecret: derive("slack signing secret").slice(0, 32),
    },
    whatsapp: {
      phoneNumberId: BigInt(`0x${derive("whatsapp number").slice(0, 12)}`)
        .toString()
        .padStart(15, "1"),
      displayNumber: "+1 202 555 0100",
      token: `EAAG-simulated-${derive("whatsapp token").slice(0, 32)}`,
      appSecret: derive("whatsapp app secret").slice(0, 32),
    },
  };
}

/** Makes the simulated channel's other side, or makes it again. */
export async function setUpSimulated(parts: InstallParts, channel: Channel): Promise<void> {
  const { chatSimulator, vault, urls } = parts;
  if (chatSimulator === undefined) throw new ChatFailure("revoked", "the carrier simulator is off");
  const { playground, slack, whatsapp, email } = deriveSimulated(vault, channel);
  if (channel.kind === "email") {
    const address = `${channel.accountId ?? ""}@${SIMULATED_DOMAIN}`;
    const url = `${urls.local}${emailWebhookPath(channel.id)}`;
    return await chatSimulator.setUp({ ...playground, email: { ...email, address, url } });
  }
  if (channel.kind === "slack") {
    const eventsUrl = `${urls.local}${slackEventsPath(channel.id)}`;
    const setup = { ...slack, name: channel.name, eventsUrl, interactionsUrl: eventsUrl };
    return await chatSimulator.setUp({ ...playground, slack: setup });
  }
  const { language, ...templates } = nameTemplates(channel.settings);
  await chatSimulator.setUp({
    ...playground,
    whatsapp: {
      ...whatsapp,
      name: channel.name,
      webhookUrl: `${urls.local}${whatsAppWebhookPath(channel.id)}`,
      templates: { language, ...templates },
    },
  });
}

export function simulatedSecrets(vault: Vault, owner: ChannelOwner, kind: ChatKind = "slack"): ChannelSecrets {
  const { slack, whatsapp } = deriveSimulated(vault, owner);
  if (kind === "whatsapp") return { signingSecret: whatsapp.appSecret, token: whatsapp.token };
  const { clientId, clientSecret, signingSecret, botToken } = slack;
  return { clientId, clientSecret, signingSecret, token: botToken };
}
