import { z } from "zod";
import type { ChatEvent } from "../../ports/chat.ts";

const Message = z.looseObject({
  type: z.literal("message"),
  channel_type: z.string(),
  user: z.string(),
  text: z.string().default(""),
  channel: z.string(),
  // Edits and joins, and the messages of apps, our own among them.
  subtype: z.undefined().optional(),
  bot_id: z.undefined().optional(),
});
const Mention = z.looseObject({
  type: z.literal("app_mention"),
  user: z.string(),
  text: z.string().default(""),
  channel: z.string(),
  bot_id: z.undefined().optional(),
});
const Removed = z.union([
  z.looseObject({ type: z.literal("app_uninstalled") }),
  // Tokens of people are none of ours.
  z.looseObject({ type: z.literal("tokens_revoked"), tokens: z.looseObject({ bot: z.array(z.string()).min(1) }) }),
]);
const Callback = z.looseObject({
  type: z.literal("event_callback"),
  event_id: z.string().min(1).max(100),
  event: z.looseObject({ type: z.string() }),
});
const Pressed = z.looseObject({
  type: z.literal("block_actions"),
  trigger_id: z.string().min(1).max(200),
  user: z.looseObject({ id: z.string() }),
  container: z.looseObject({ channel_id: z.string().optional() }).optional(),
  channel: z.looseObject({ id: z.string() }).optional(),
  actions: z.array(z.looseObject({ action_id: z.string().default(""), value: z.string().optional() })),
});
const Challenge = z.looseObject({ type: z.literal("url_verification"), challenge: z.string().max(1_000) });

const Account = z.looseObject({
  team_id: z.string().optional(),
  team: z.looseObject({ id: z.string() }).nullish(),
  enterprise: z.looseObject({ id: z.string() }).nullish(),
  authorizations: z
    .array(z.looseObject({ team_id: z.string().nullish(), enterprise_id: z.string().nullish() }))
    .optional(),
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Interactivity is a form with one member of JSON; events are JSON. */
function parseBody(text: string): unknown {
  return text.startsWith("payload=") ? parse(new URLSearchParams(text).get("payload") ?? "") : parse(text);
}

export function readSlackChallenge(text: string): string | undefined {
  return Challenge.safeParse(parse(text)).data?.challenge;
}

/** In a channel that workspaces share, the installation is the one that Slack names first among those that see the event. */
export function readSlackAccounts(text: string): readonly string[] {
  const { team_id, team, enterprise, authorizations } = Account.safeParse(parseBody(text)).data ?? {};
  const [first] = authorizations ?? [];
  const named = [first?.team_id, first?.enterprise_id, team_id, team?.id, enterprise?.id];
  return [...new Set(named.filter((id) => id != null))];
}

export function readSlackEvents(text: string): readonly ChatEvent[] {
  const body = parseBody(text);
  const pressed = Pressed.safeParse(body).data;
  if (pressed !== undefined) return readPresses(pressed);
  const callback = Callback.safeParse(body).data;
  if (callback === undefined) return [];
  const id = callback.event_id;
  if (Removed.safeParse(callback.event).success) return [{ id, type: "uninstalled" }];
  const message = Message.safeParse(callback.event).data;
  if (message?.channel_type === "im") {
    return [
      {
        id,
        type: "message",
        from: message.user,
        address: message.channel,
        text: readText(message.text),
        isDirect: true,
      },
    ];
  }
  const mention = Mention.safeParse(callback.event).data;
  return mention === undefined
    ? []
    : [
        {
          id,
          type: "message",
          from: mention.user,
          address: mention.channel,
          text: readText(mention.text),
          isDirect: false,
        },
      ];
}

function readPresses({
  trigger_id,
  user,
  container,
  channel,
  actions,
}: z.output<typeof Pressed>): readonly ChatEvent[] {
  const address = container?.channel_id ?? channel?.id;
  if (address === undefined) return [];
  return actions.flatMap(({ value }, index) =>
    // A link that looks like a button has no value.
    value === undefined ? [] : [{ id: `${trigger_id}.${index}`, type: "press", from: user.id, address, value }],
  );
}

/** Slack writes links as <url|label> and escapes three characters. */
function readText(text: string): string {
  return text
    .replaceAll(/<([^<>|]+)\|([^<>|]*)>/g, "$2")
    .replaceAll(/<((?:https?|mailto|tel):[^<>|]+)>/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
