import { z } from "zod";
import type { HttpClient, HttpResponse } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import {
  type ChatAccess,
  ChatFailure,
  type ChatMessage,
  type ChatSending,
  type SlackSystem,
} from "../../ports/chat.ts";
import { readSlackAccounts, readSlackChallenge, readSlackEvents } from "./read-slack.ts";
import { type Call, upload } from "./upload.ts";
import { isSignedBySlack } from "./verify-slack.ts";

const TIMEOUT_MILLISECONDS = 10_000;
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;
/** A section's text has at most 3,000 characters, and escaping makes some longer. */
const SECTION_CHARACTERS = 2_000;
const LONGEST_LABEL = 75;
const METADATA_TYPE = "wayfare_message";
/** Without Retry-After. */
const USUAL_WAIT_SECONDS = 30;
const HISTORY_LIMIT = 200;

/** The installation has ended, or the token was never good. */
const REVOKED = new Set(["token_revoked", "account_inactive", "invalid_auth", "not_authed", "token_expired"]);
/** Slack's own trouble. */
const PASSING = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "ratelimited",
  "rate_limited",
]);
/** The message need not be there any more. */
const GONE = new Set(["message_not_found", "edit_window_closed", "cant_update_message"]);

const Said = z.looseObject({ ok: z.boolean(), error: z.string().optional() });
const Posted = z.looseObject({ ts: z.string() });
const History = z.looseObject({
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      metadata: z.looseObject({ event_payload: z.looseObject({ ref: z.string().optional() }).optional() }).optional(),
      files: z.array(z.looseObject({ id: z.string() })).optional(),
    }),
  ),
});
const Installed = z.looseObject({
  access_token: z.string().min(1),
  bot_user_id: z.string(),
  team: z.looseObject({ id: z.string(), name: z.string().default("") }).nullish(),
  enterprise: z.looseObject({ id: z.string(), name: z.string().default("") }).nullish(),
  is_enterprise_install: z.boolean().default(false),
});

/**
 * Slack's Web API by plain requests, each sent once. Slack's own client would add its retries, which post a message
 * twice when an answer is lost; ours look whether it is there first.
 */
export function createSlack(http: Pick<HttpClient, "send">, apiUrl: string): SlackSystem {
  const call: Call = async (access, method, content) => {
    const headers = access.token === "" ? {} : { authorization: `Bearer ${access.token}` };
    const response = await http
      .send({
        method: "POST",
        url: `${access.apiUrl}/${method}`,
        headers,
        ...content,
        timeoutMilliseconds: TIMEOUT_MILLISECONDS,
        maxBytes: MOST_ANSWER_BYTES,
        // A kept connection that is just closing looks like a lost answer.
        freshConnection: method === "chat.postMessage" || method === "files.completeUploadExternal",
      })
      .catch((cause: unknown) => {
        const isSent = !(cause instanceof HttpFailure) || cause.delivery === "unanswered";
        throw new ChatFailure(isSent ? "unsure" : "not_done", `${method}: no answer`, { cause });
      });
    return readAnswer(method, response);
  };

  async function post(access: ChatAccess, sending: ChatSending): Promise<string> {
    const metadata = { event_type: METADATA_TYPE, event_payload: { ref: sending.ref } };
    const answer = await call(access, "chat.postMessage", {
      json: { channel: sending.to, ...compose(sending.message), metadata },
    });
    const posted = Posted.safeParse(answer).data;
    if (posted === undefined) throw new ChatFailure("unsure", "chat.postMessage: an answer without ts");
    return posted.ts;
  }

  return {
    apiUrl,
    windowHours: undefined,
    fetchMedia: undefined,
    isSigned: isSignedBySlack,
    readEvents: readSlackEvents,
    readAccounts: readSlackAccounts,
    readChallenge: readSlackChallenge,
    send: post,

    async sendDocument(access, sending, noteUpload) {
      const { to, message, document } = sending;
      const uploadId = await upload(http, call, access, document);
      if (uploadId === undefined) {
        const text = `${message.text}\n${document.url}`;
        return await post(access, { ...sending, message: { ...message, text, link: message.link ?? document.url } });
      }
      // Afterwards the message with this file can be found.
      await noteUpload(uploadId);
      await call(access, "files.completeUploadExternal", {
        json: {
          files: [{ id: uploadId, title: document.fileName }],
          channel_id: to,
          initial_comment: escapeText(message.text, message.link),
        },
      });
      return uploadId;
    },

    async edit(access, { to, message }, messageId) {
      await call(access, "chat.update", { json: { channel: to, ts: messageId, ...compose(message) } }).catch(
        (error: unknown) => {
          if (!(error instanceof ChatFailure && GONE.has(error.message.split(": ")[1] ?? ""))) throw error;
        },
      );
    },

    async find(access, { to, ref, uploadId }, since) {
      const oldest = String(since.epochMilliseconds / 1_000);
      const asked = { channel: to, oldest, limit: String(HISTORY_LIMIT), include_all_metadata: "true" };
      const { messages } = History.parse(await call(access, "conversations.history", { form: asked }));
      const found = messages.find(
        ({ metadata, files = [] }) =>
          metadata?.event_payload?.ref === ref || files.some(({ id }) => id === uploadId && uploadId !== undefined),
      );
      return found?.ts;
    },

    async whisper(access, { address, person }, text) {
      await call(access, "chat.postEphemeral", {
        json: { channel: address, user: person, ...compose({ text, buttons: [] }) },
      });
    },

    async exchangeCode(at, { clientId, clientSecret, code, redirectUri }) {
      const form = { client_id: clientId, client_secret: clientSecret, code, redirect_uri: redirectUri };
      const installed = Installed.safeParse(await call({ apiUrl: at, token: "" }, "oauth.v2.access", { form })).data;
      // An installation for a whole organisation has no team, and is known by the organisation.
      const account = installed?.is_enterprise_install === true ? installed.enterprise : installed?.team;
      if (installed === undefined || account == null)
        throw new ChatFailure("refused", "oauth.v2.access: an incomplete answer");
      const { access_token: token, bot_user_id: botUserId } = installed;
      return { token, botUserId, accountId: account.id, accountName: account.name };
    },
  };
}

function readAnswer(method: string, response: HttpResponse): unknown {
  const { status } = response;
  if (status === 429) {
    const seconds = Number(response.header("retry-after"));
    const retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? seconds : USUAL_WAIT_SECONDS;
    throw new ChatFailure("not_done", `${method}: 429`, { retryAfterSeconds });
  }
  const value = parse(response);
  const said = Said.safeParse(value).data;
  // A 5xx may come after the message was taken.
  if (said === undefined || status >= 500) throw new ChatFailure("unsure", `${method}: ${status}`);
  if (said.ok) return value;
  const { error = "unknown" } = said;
  if (REVOKED.has(error)) throw new ChatFailure("revoked", `${method}: ${error}`);
  throw new ChatFailure(PASSING.has(error) ? "not_done" : "refused", `${method}: ${error}`);
}

function parse({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Block Kit, with the whole text as fallback. */
function compose({ text, buttons, link }: ChatMessage) {
  const shown = escapeText(text, link);
  const sections = splitText(text).map((part) => ({
    type: "section",
    text: { type: "mrkdwn", text: escapeText(part, link), verbatim: true },
  }));
  const actions = {
    type: "actions",
    elements: buttons.map(({ value, label, looks }, index) => ({
      type: "button",
      action_id: `choose_${index}`,
      text: { type: "plain_text", text: label.slice(0, LONGEST_LABEL) },
      value,
      ...(looks === "plain" ? {} : { style: looks }),
    })),
  };
  return {
    text: shown,
    blocks: buttons.length === 0 ? sections : [...sections, actions],
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** Nothing that others wrote becomes a mention, a link or formatting. An address of ours stays as it is, and can be opened. */
function escapeText(text: string, link?: string): string {
  if (link !== undefined)
    return text
      .split(link)
      .map((part) => escapeText(part))
      .join(`<${escapeSigns(link)}>`);
  // A word joiner: an asterisk or backtick beside it formats nothing.
  return escapeSigns(text).replaceAll(/[*_~`]/g, "$&\u2060");
}

const escapeSigns = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function splitText(text: string): readonly string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const cut =
      rest.length <= SECTION_CHARACTERS ? rest.length : Math.max(rest.lastIndexOf("\n", SECTION_CHARACTERS), 1_000);
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return parts;
}
