import { z } from "zod";
import { ChatFailure } from "../../../ports/chat.ts";
import type { Channel, OpenChannel } from "../channels.ts";
import { buildOwnAddress, findDomain } from "../email/addresses.ts";
import {
  buildInstallUrl,
  deriveSimulated,
  emailWebhookPath,
  findApp,
  type InstallParts,
  SHARED_APP,
  SLACK_INSTALLED_PATH,
  SLACK_SCOPES,
  slackEventsPath,
} from "../installation.ts";

import { describeTemplates, findMetaApp, whatsAppWebhookPath } from "../installation-whatsapp.ts";

export const CHANNEL_ID = /^chn_[0-9A-Z]{26}$/;
export const NO_CHANNEL = "There is no such channel of this tenant in this environment.";
export const ChannelPath = z.object({ channelId: z.string().regex(CHANNEL_ID) });

export const ChannelAnswer = z.object({
  id: z.string(),
  kind: z.enum(["slack", "whatsapp", "email"]),
  name: z.string(),
  state: z.enum(["to_install", "on", "off"]).describe("to_install: open setUp.installUrl"),
  offBecause: z.string().nullable(),
  isSimulated: z.boolean().describe("true: it speaks with the carrier simulator, and no real person is written to"),
  accountId: z
    .string()
    .nullable()
    .describe("The workspace, the phone number's id, or the part of the address before its @; null until it is known"),
  displayNumber: z.string().nullable().describe("To whom people write on WhatsApp"),
  approvalsIn: z.string().nullable().describe("Where requests for approval are shown, besides to each approver"),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const SetUp = z.object({
  address: z.string().nullable().describe("For mail: where people write"),
  installUrl: z.string().nullable().describe("Where an administrator of the workspace agrees, within an hour"),
  requestUrl: z.string().describe("For events and for interactivity; for WhatsApp and mail, the webhook"),
  redirectUrl: z.string().nullable().describe("For the installation in Slack"),
  manifest: z.looseObject({}).nullable().describe("The app's manifest, for Slack's page for new apps"),
  verifyToken: z.string().nullable().describe("For the webhook at Meta; null: another kind, or the operator's app"),
  templates: z.array(z.looseObject({})).nullable().describe("For Meta: the message templates that WhatsApp requires"),
  playUrl: z.string().nullable().describe("The simulator's page, on which you play everybody. Keep it to yourself"),
});

export const exampleChannel = {
  id: "chn_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  kind: "slack" as const,
  name: "Example Ltd",
  state: "on" as const,
  offBecause: null,
  isSimulated: true,
  accountId: "T0A1B2C3D4E5",
  displayNumber: null,
  approvalsIn: "C0APPROVALS",
  createdAt: "2030-01-01T09:00:00Z",
  updatedAt: "2030-01-01T09:00:00Z",
};

export const exampleSetUp = {
  address: null,
  installUrl: null,
  requestUrl: "https://wayfare.example.com/api/webhooks/slack/chn_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  redirectUrl: "https://wayfare.example.com/api/webhooks/slack-installed",
  manifest: { display_information: { name: "Wayfare" } },
  verifyToken: null,
  templates: null,
  playUrl: "http://127.0.0.1:41234/?play=5f0c9d1e5b7a4c2d8e6f0a1b2c3d4e5f",
};

export function describeChannel(channel: Channel): z.output<typeof ChannelAnswer> {
  const { id, kind, name, state, offBecause, isSimulated, accountId, settings, createdAt, updatedAt } = channel;
  return {
    ...{ id, kind, name, state, isSimulated },
    offBecause: offBecause ?? null,
    accountId: accountId ?? null,
    displayNumber: settings.displayNumber ?? null,
    approvalsIn: settings.approvalsIn ?? null,
    createdAt: createdAt.toString(),
    updatedAt: updatedAt.toString(),
  };
}

export async function describeSetUp(parts: InstallParts, channel: OpenChannel): Promise<z.output<typeof SetUp>> {
  const { urls } = parts;
  if (channel.kind === "email") return await describeEmail(parts, channel);
  const playUrl = channel.isSimulated ? await findPlayUrl(parts, channel) : null;
  if (channel.kind === "whatsapp") {
    const app = findMetaApp(parts, channel);
    return {
      address: null,
      installUrl: null,
      requestUrl: `${urls.app}${whatsAppWebhookPath(app?.isShared === true ? SHARED_APP : channel.id)}`,
      redirectUrl: null,
      manifest: null,
      verifyToken: app === undefined || app.isShared ? null : app.verifyToken,
      templates: describeTemplates(channel.settings),
      playUrl,
    };
  }
  const isShared = findApp(parts, channel)?.isShared === true;
  const requestUrl = `${urls.app}${slackEventsPath(isShared ? SHARED_APP : channel.id)}`;
  const redirectUrl = `${urls.app}${SLACK_INSTALLED_PATH}`;
  return {
    address: null,
    installUrl: buildInstallUrl(parts, channel) ?? null,
    requestUrl,
    redirectUrl,
    manifest: buildManifest(requestUrl, redirectUrl),
    verifyToken: null,
    templates: null,
    playUrl,
  };
}

async function describeEmail(parts: InstallParts, channel: OpenChannel): Promise<z.output<typeof SetUp>> {
  const { urls, settings } = parts;
  return {
    address: buildOwnAddress(channel, findDomain(channel, settings.emailDomain)),
    requestUrl: `${urls.app}${emailWebhookPath(channel.isSimulated ? channel.id : SHARED_APP)}`,
    ...{ installUrl: null, redirectUrl: null, manifest: null, verifyToken: null, templates: null },
    playUrl: channel.isSimulated ? await findPlayUrl(parts, channel) : null,
  };
}

async function findPlayUrl({ chatSimulator, vault }: InstallParts, channel: Channel): Promise<string | null> {
  const { secret } = deriveSimulated(vault, channel).playground;
  const url = await chatSimulator?.url().catch((cause: unknown) => {
    throw new ChatFailure("not_done", "the carrier simulator does not start", { cause });
  });
  return url === undefined ? null : `${url}/?play=${secret}`;
}

/** https://docs.slack.dev/reference/app-manifest */
function buildManifest(requestUrl: string, redirectUrl: string) {
  return {
    display_information: { name: "Wayfare", description: "Travel: search, book, and approve" },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "Wayfare", always_online: true },
    },
    oauth_config: { redirect_urls: [redirectUrl], scopes: { bot: SLACK_SCOPES } },
    settings: {
      event_subscriptions: {
        request_url: requestUrl,
        bot_events: ["message.im", "app_mention", "app_uninstalled", "tokens_revoked"],
      },
      interactivity: { is_enabled: true, request_url: requestUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
}
