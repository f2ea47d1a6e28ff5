import { createHmac, randomBytes } from "node:crypto";
import type { Playground } from "../play/playground.ts";
import type { EventSender } from "../send-events.ts";
import { addMessage, findConversation, type SlackWorkspace } from "./workspace.ts";

const newId = (prefix: string): string => `${prefix}${randomBytes(8).toString("hex").toUpperCase()}`;

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
function signRequest(signingSecret: string, body: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` };
}

function send(
  sender: EventSender,
  { id }: Playground,
  { setup }: SlackWorkspace,
  { url, body, type }: { url: string; body: string; type: string },
): void {
  sender.send({
    carrier: "slack",
    playground: id,
    url,
    body,
    headers: (attempt, reason) => ({
      "content-type": type,
      ...signRequest(setup.signingSecret, body),
      ...(attempt === 0 ? {} : { "x-slack-retry-num": String(attempt), "x-slack-retry-reason": reason ?? "" }),
    }),
  });
}

function sendEvent(sender: EventSender, playground: Playground, workspace: SlackWorkspace, event: object): void {
  const { teamId, appId, botUserId, eventsUrl } = workspace.setup;
  const body = JSON.stringify({
    token: "deprecated",
    team_id: teamId,
    api_app_id: appId,
    event,
    type: "event_callback",
    event_id: newId("Ev"),
    event_time: Math.floor(Date.now() / 1_000),
    authorizations: [{ enterprise_id: null, team_id: teamId, user_id: botUserId, is_bot: true }],
  });
  send(sender, playground, workspace, { url: eventsUrl, body, type: "application/json" });
}

/** A member writes. Undefined: no such conversation, or one that the member does not see. */
export function say(
  sender: EventSender,
  playground: Playground,
  { userId, channel, text }: { userId: string; channel: string; text: string },
): string | undefined {
  const workspace = playground.slack;
  const conversation = workspace && findConversation(workspace, channel);
  if (workspace === undefined || conversation === undefined) return undefined;
  if (conversation.memberId !== undefined && conversation.memberId !== userId) return undefined;
  const message = { userId, text, blocks: undefined, metadata: undefined, onlyFor: undefined };
  const { ts } = addMessage(workspace, conversation, message);
  const isDirect = conversation.memberId !== undefined;
  const common = { user: userId, text, ts, channel: conversation.id, event_ts: ts };
  if (isDirect) sendEvent(sender, playground, workspace, { type: "message", channel_type: "im", ...common });
  else if (text.includes(`<@${workspace.setup.botUserId}>`)) {
    sendEvent(sender, playground, workspace, { type: "app_mention", ...common });
  }
  playground.changed();
  return ts;
}

/** A member presses a button. False: there is none like that. */
export function press(
  sender: EventSender,
  playground: Playground,
  { userId, channel, ts, value }: { userId: string; channel: string; ts: string; value: string },
): boolean {
  const workspace = playground.slack;
  const conversation = workspace && findConversation(workspace, channel);
  const message = conversation?.messages.find((one) => one.ts === ts);
  if (workspace === undefined || conversation === undefined || message === undefined) return false;
  const action = listActions(message.blocks).find((one) => one.value === value);
  if (action === undefined) return false;
  const { teamId, appId, interactionsUrl } = workspace.setup;
  const payload = {
    type: "block_actions",
    team: { id: teamId },
    user: { id: userId, team_id: teamId },
    api_app_id: appId,
    container: { type: "message", message_ts: ts, channel_id: conversation.id, is_ephemeral: false },
    trigger_id: `${Date.now()}.${newId("")}`,
    channel: { id: conversation.id },
    message: { type: "message", ts, text: message.text },
    actions: [{ ...action, type: "button", action_ts: String(Date.now() / 1_000) }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const type = "application/x-www-form-urlencoded";
  send(sender, playground, workspace, { url: interactionsUrl, body, type });
  return true;
}

/** The workspace removes the app: its token ends, and the app is told. */
export function uninstall(sender: EventSender, playground: Playground): boolean {
  const workspace = playground.slack;
  if (workspace === undefined) return false;
  workspace.isRevoked = true;
  sendEvent(sender, playground, workspace, { type: "app_uninstalled" });
  return true;
}

interface Action {
  readonly action_id: string;
  readonly value: string;
  readonly label: string;
  readonly looks: "primary" | "danger" | "plain";
}

/** The buttons of a message's blocks. */
export function listActions(blocks: unknown): readonly Action[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: unknown) => {
    const elements: unknown = typeof block === "object" && block !== null && "elements" in block ? block.elements : [];
    return Array.isArray(elements) ? elements.flatMap(readAction) : [];
  });
}

function readAction(element: unknown): Action[] {
  if (typeof element !== "object" || element === null || !("value" in element)) return [];
  const label =
    "text" in element && typeof element.text === "object" && element.text !== null && "text" in element.text
      ? String(element.text.text)
      : "";
  const style = "style" in element ? element.style : undefined;
  const looks = style === "primary" || style === "danger" ? style : "plain";
  return [
    { action_id: "action_id" in element ? String(element.action_id) : "", value: String(element.value), label, looks },
  ];
}
