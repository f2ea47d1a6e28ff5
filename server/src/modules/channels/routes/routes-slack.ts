import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { definePublicRoute, FileAnswer } from "../../../kernel/contracts/route.ts";
import { ChatFailure } from "../../../ports/chat.ts";
import type { OpenChannel } from "../channels.ts";
import type { Stores } from "../context.ts";
import {
  findApiUrl,
  findApp,
  type InstallParts,
  isStateFor,
  readSharedApp,
  readStateChannel,
  SHARED_APP,
  SLACK_INSTALLED_PATH,
  slackEventsPath,
} from "../installation.ts";
import { receiveEvents } from "../receive.ts";
import { CHANNEL_ID } from "./channel-answer.ts";

const TAG = "channels";
const MAXIMUM_BODY_BYTES = 1024 * 1024;
const LATE =
  "There is no such installation, it was finished, or it was begun more than an hour ago. Read the channel for a new address.";

interface RouteParts extends InstallParts {
  stores: Stores;
}

const receiveSlack = definePublicRoute({
  id: "receive_slack_events",
  method: "POST",
  path: slackEventsPath(":app"),
  tag: TAG,
  summary: "Receive events of Slack",
  description:
    "For Slack, which signs its requests over the raw body: events, and presses of buttons. What is answered 200 is stored; the same may come again.",
  limitByAddress: "refusals",
  mayRead: ({ header }) => header("x-slack-signature") !== undefined,
  params: z.object({ app: z.string().max(40) }),
  body: z.object({ type: z.string(), event_id: z.string() }),
  // The signature covers the exact bytes.
  bodyAs: "text",
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: {
    200: { description: "Stored.", schema: z.object({ ok: z.literal(true), challenge: z.string().exactOptional() }) },
  },
  errors: {
    // The answer tells nothing to a caller that tries signatures.
    unauthorized: "Refused.",
    too_large: `The body is over ${MAXIMUM_BODY_BYTES} bytes. Send less.`,
    rate_limited: "Refused too often.",
  },
  example: { body: { type: "event_callback", event_id: "Ev0PV52K21" } },
  async run({ params: { app }, text, header, fail }, parts: RouteParts) {
    const { slack } = parts.chatSystems;
    const found = await findReceiver(parts, app, text);
    const now = Math.floor(parts.clock.now().epochMilliseconds / 1_000);
    if (found === undefined || !slack.isSigned({ text, header }, found.signingSecret, now)) throw fail("unauthorized");
    const challenge = slack.readChallenge(text);
    if (challenge !== undefined) return { ok: true as const, challenge };
    const accounts = slack.readAccounts(text);
    // The tenant's app may be installed in further workspaces, which are not this channel.
    const isTheirs = ({ accountId }: OpenChannel) =>
      accountId === undefined || accounts.length === 0 || accounts.includes(accountId);
    for (const channel of found.channels.filter(isTheirs)) {
      await receiveEvents(parts, channel, slack.readEvents(text, channel.accountId ?? ""));
    }
    return { ok: true as const };
  },
});

const finishInstallation = definePublicRoute({
  id: "finish_slack_installation",
  method: "GET",
  path: SLACK_INSTALLED_PATH,
  tag: TAG,
  summary: "Finish an installation in Slack",
  description: "Slack sends an administrator's browser here, after they agreed or refused.",
  limitByAddress: "requests",
  query: z.object({
    state: z.string().max(300).default(""),
    code: z.string().max(500).default("").describe("Left out: the administrator refused"),
  }),
  answers: { 200: { description: "A page for the administrator.", schema: z.string(), contentType: "text/html" } },
  errors: {
    not_found: LATE,
    conflict: "This workspace belongs to another channel already.",
    unavailable: "Slack gives no clear answer now. Begin again.",
    rate_limited: "Too many requests.",
  },
  async run({ query: { state, code }, fail }, parts: RouteParts) {
    const id = readStateChannel(state);
    const channel = CHANNEL_ID.test(id) ? await parts.stores.channels.open(id) : undefined;
    const isMeant = channel !== undefined && isStateFor(parts.vault, channel, state, parts.clock.now());
    const app = isMeant ? findApp(parts, channel) : undefined;
    if (channel === undefined || app === undefined) throw fail("not_found");
    if (code === "") return page("Nothing was installed.");
    const installed = await exchange(parts, channel, { ...app, code });
    const { token, accountId, accountName, botUserId } = installed;
    const isDone = await parts.stores.transaction(({ channels }) =>
      channels.install(channel, {
        accountId,
        name: accountName === "" ? channel.name : accountName,
        settings: { botUserId },
        secrets: { ...channel.secrets, token },
      }),
    );
    if (!isDone) throw fail("conflict");
    return page("Wayfare is installed. You can close this page.");
  },
});

export const slackRoutes = [receiveSlack, finishInstallation];

/** Whose request it can be. The workspace that it names is believed only once the signature is right. */
async function findReceiver(
  parts: RouteParts,
  app: string,
  text: string,
): Promise<{ signingSecret: string; channels: readonly OpenChannel[] } | undefined> {
  if (app === SHARED_APP) {
    const shared = readSharedApp(parts.settings);
    const accountIds = parts.chatSystems.slack.readAccounts(text);
    if (shared === undefined) return undefined;
    const found = await Promise.all(accountIds.map((id) => parts.stores.channels.openShared("slack", id)));
    return { signingSecret: shared.signingSecret, channels: found.flat().slice(0, 1) };
  }
  const channel = CHANNEL_ID.test(app) ? await parts.stores.channels.open(app) : undefined;
  const { signingSecret } = channel?.secrets ?? {};
  return channel === undefined || signingSecret === undefined || channel.kind !== "slack"
    ? undefined
    : { signingSecret, channels: [channel] };
}

async function exchange(
  parts: RouteParts,
  channel: OpenChannel,
  { clientId, clientSecret, code }: { clientId: string; clientSecret: string; code: string },
) {
  const proof = { clientId, clientSecret, code, redirectUri: `${parts.urls.app}${SLACK_INSTALLED_PATH}` };
  try {
    return await parts.chatSystems.slack.exchangeCode(await findApiUrl(parts, channel), proof);
  } catch (error) {
    if (!(error instanceof ChatFailure)) throw error;
    const isRefused = error.problem === "refused" || error.problem === "revoked";
    throw new Failure(isRefused ? "not_found" : "unavailable", { detail: LATE, cause: error });
  }
}

function page(text: string): FileAnswer {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Wayfare</title><body style="font:18px/1.5 system-ui;margin:3rem auto;max-width:30rem;padding:0 1rem">${text}</body></html>`;
  return new FileAnswer({
    content: Buffer.from(html),
    contentType: "text/html; charset=utf-8",
    fileName: "slack.html",
  });
}
