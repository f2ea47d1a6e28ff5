import { z } from "zod";
import type { FaultKind } from "../faults.ts";
import { type Answer, json, type Question, readBearer } from "../http/answer.ts";
import type { Playground, Playgrounds } from "../play/playground.ts";
import { answerSlackUpload, completeUpload, openUpload } from "./files.ts";
import { addMessage, findConversation, type SlackWorkspace } from "./workspace.ts";

/** Slack takes JSON and forms; in a form, structured members are JSON in text. */
const Structured = z.preprocess((value) => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}, z.unknown());
const Posted = z.object({
  channel: z.string(),
  text: z.string().max(40_000).default(""),
  blocks: Structured.optional(),
  metadata: Structured.optional(),
  user: z.string().optional(),
  ts: z.string().optional(),
});
const Asked = z.object({
  channel: z.string(),
  oldest: z.string().default("0"),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  include_all_metadata: z.coerce.boolean().default(false),
});
const Exchanged = z.object({ client_id: z.string(), client_secret: z.string(), code: z.string() });

const MOST_BLOCKS = 50;
const fail = (error: string): Answer => json({ ok: false, error });

type Method = (workspace: SlackWorkspace, body: Question["body"], fault: FaultKind | undefined) => Answer;

const methods: Readonly<Record<string, Method>> = {
  "auth.test": ({ setup }) => json({ ok: true, team: setup.name, team_id: setup.teamId, user_id: setup.botUserId }),

  "chat.postMessage"(workspace, body, fault) {
    const posted = Posted.safeParse(body).data;
    if (posted === undefined) return fail("invalid_arguments");
    const { text, blocks, metadata } = posted;
    const conversation = findConversation(workspace, posted.channel);
    if (conversation === undefined) return fail("channel_not_found");
    if (text === "" && blocks === undefined) return fail("no_text");
    if (Array.isArray(blocks) && blocks.length > MOST_BLOCKS) return fail("invalid_blocks");
    const message = { userId: undefined, text, blocks, metadata, onlyFor: undefined };
    if (fault === "never_delivered") return json({ ok: true, channel: conversation.id, ts: "1.000000" });
    const { ts } = addMessage(workspace, conversation, message);
    return json({ ok: true, channel: conversation.id, ts, message: { text } });
  },

  "chat.update"(workspace, body) {
    const posted = Posted.safeParse(body).data;
    const conversation = posted && findConversation(workspace, posted.channel);
    if (posted === undefined || conversation === undefined) return fail("channel_not_found");
    const message = conversation.messages.find(({ ts }) => ts === posted.ts);
    if (message === undefined) return fail("message_not_found");
    if (message.userId !== undefined) return fail("cant_update_message");
    Object.assign(message, { text: posted.text, blocks: posted.blocks, isEdited: true });
    return json({ ok: true, channel: conversation.id, ts: message.ts, text: posted.text });
  },

  "chat.postEphemeral"(workspace, body) {
    const posted = Posted.safeParse(body).data;
    const conversation = posted && findConversation(workspace, posted.channel);
    if (posted === undefined || conversation === undefined) return fail("channel_not_found");
    if (!workspace.members.some(({ id }) => id === posted.user)) return fail("user_not_in_channel");
    const { text, blocks, metadata, user } = posted;
    const { ts } = addMessage(workspace, conversation, { userId: undefined, text, blocks, metadata, onlyFor: user });
    return json({ ok: true, message_ts: ts });
  },

  "files.getUploadURLExternal": (workspace, body) => openUpload(workspace, body),
  "files.completeUploadExternal": (workspace, body) => completeUpload(workspace, body),

  "conversations.history"(workspace, body) {
    const asked = Asked.safeParse(body).data;
    const conversation = asked && findConversation(workspace, asked.channel);
    if (asked === undefined || conversation === undefined) return fail("channel_not_found");
    const found = conversation.messages
      .filter(({ ts, onlyFor }) => onlyFor === undefined && Number(ts) > Number(asked.oldest))
      .toReversed()
      .slice(0, asked.limit);
    return json({
      ok: true,
      has_more: false,
      messages: found.map(({ ts, text, userId, metadata, files }) => ({
        type: "message",
        ts,
        text,
        user: userId ?? workspace.setup.botUserId,
        ...(userId === undefined ? { bot_id: "B0WAYFARE" } : {}),
        ...(files.length === 0 ? {} : { files: files.map(({ id, name }) => ({ id, name })) }),
        ...(asked.include_all_metadata && metadata !== undefined ? { metadata } : {}),
      })),
    });
  },
};

/** Slack's Web API: the methods that the product uses. Undefined: not one of them. */
export function answerSlack(
  playgrounds: Playgrounds,
  question: Question,
  takeFault: (path: string, playground: string | undefined) => FaultKind | undefined,
): Answer | "broken" | undefined {
  const uploaded = answerSlackUpload(playgrounds, question);
  if (uploaded !== undefined) return uploaded;
  const name = /^\/slack\/api\/([\w.]+)$/.exec(question.path)?.[1];
  if (name === undefined || question.method !== "POST") return undefined;
  if (name === "oauth.v2.access") return exchangeCode(playgrounds, question);
  const method = methods[name];
  if (method === undefined) return json({ ok: false, error: "unknown_method" });
  const token = readBearer(question);
  const playground = playgrounds.findSlack(({ setup }) => setup.botToken === token);
  const workspace = playground?.slack;
  if (playground === undefined || workspace === undefined) return fail("invalid_auth");
  if (workspace.isRevoked) return fail("token_revoked");
  const fault = takeFault(question.path, playground.id);
  const answered = interfere(fault) ?? finish(playground, method(workspace, question.body, fault), fault);
  return answered === "broken" ? answered : withHost(answered, question);
}

/** Slack names whole addresses. */
function withHost(answer: Answer, question: Question): Answer {
  const { body } = answer;
  if (typeof body !== "object" || body === null || !("upload_url" in body)) return answer;
  return {
    ...answer,
    body: { ...body, upload_url: `http://${question.header("host") ?? ""}${String(body.upload_url)}` },
  };
}

function interfere(fault: FaultKind | undefined): Answer | undefined {
  if (fault === "revoked") return fail("token_revoked");
  if (fault === "missing_scope") return fail("missing_scope");
  const limited = { status: 429, body: { ok: false, error: "ratelimited" } };
  if (fault === "rate_limited") return { ...limited, headers: { "retry-after": "1" } };
  if (fault === "rate_limited_bare") return limited;
  return fault === "away" ? { status: 503, body: { ok: false, error: "service_unavailable" } } : undefined;
}

function finish(playground: Playground, answer: Answer, fault: FaultKind | undefined): Answer | "broken" {
  playground.changed();
  if (fault === "reset") return "broken";
  return fault === "lost_answer" ? { status: 503, body: { ok: false, error: "service_unavailable" } } : answer;
}

/** The codes that the install page gives out. */
const codes = new Map<string, string>();

export function issueOauthCode(workspace: SlackWorkspace, code: string): void {
  codes.set(code, workspace.setup.teamId);
}

function exchangeCode(playgrounds: Playgrounds, { body }: Question): Answer {
  const given = Exchanged.safeParse(body).data;
  const teamId = codes.get(given?.code ?? "");
  if (given === undefined || teamId === undefined) return fail("invalid_code");
  codes.delete(given.code);
  const setup = playgrounds.findSlack((workspace) => workspace.setup.teamId === teamId)?.slack?.setup;
  if (setup === undefined) return fail("invalid_code");
  if (setup.clientId !== given.client_id || setup.clientSecret !== given.client_secret)
    return fail("bad_client_secret");
  return json({
    ok: true,
    access_token: setup.botToken,
    token_type: "bot",
    bot_user_id: setup.botUserId,
    app_id: setup.appId,
    team: { id: setup.teamId, name: setup.name },
    enterprise: null,
    is_enterprise_install: false,
  });
}
