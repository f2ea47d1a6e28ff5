import { z } from "zod";
import { type Answer, json, type Question, refuse, type Stream } from "../http/answer.ts";
import type { EventSender } from "../send-events.ts";
import { listActions, press, say } from "../slack/events.ts";
import type { SlackWorkspace } from "../slack/workspace.ts";
import type { Webhooks } from "../whatsapp/events.ts";
import { answerWriting, describeMail } from "./mail-routes.ts";
import type { Playground, Playgrounds } from "./playground.ts";
import { answerWhatsAppPlay, describeWhatsApp } from "./whatsapp-routes.ts";

const Said = z.object({ userId: z.string(), channel: z.string(), text: z.string().min(1).max(8_000) });
const Pressed = z.object({ userId: z.string(), channel: z.string(), ts: z.string(), value: z.string().max(2_000) });

/** Routes of the page. Whoever has the playground's secret plays everybody in it. Undefined: not one of them. */
export function answerPlay(
  { playgrounds, sender, webhooks }: { playgrounds: Playgrounds; sender: EventSender; webhooks: Webhooks },
  question: Question,
): Answer | Stream | undefined {
  const [, secret = "", what = ""] = /^\/_carriers\/play\/([\w-]+)\/([\w/]+)$/.exec(question.path) ?? [];
  if (secret === "") return undefined;
  const playground = playgrounds.findBySecret(secret);
  if (playground === undefined)
    return refuse(
      404,
      "This playground does not exist, or no longer does. Open the address that the service gave you.",
    );
  if (question.method === "GET" && what === "state") return json(describe(playground));
  if (question.method === "GET" && what === "id") return json({ id: playground.id });
  if (question.method === "GET" && what === "changes") return watch(playground);
  if (question.method === "GET" && what.startsWith("files/")) return readFile(playground, what.slice(6));
  if (what.startsWith("whatsapp/")) return answerWhatsAppPlay(playground, webhooks, question, what);
  if (question.method !== "POST") return undefined;
  if (what === "slack/messages") {
    const said = Said.safeParse(question.body).data;
    const ts = said && say(sender, playground, said);
    return ts === undefined ? refuse(400, "nobody can write that there") : json({ ts }, 201);
  }
  if (what === "mail/mails") return answerWriting(sender, playground, question.body);
  if (what === "slack/presses") {
    const pressed = Pressed.safeParse(question.body).data;
    return pressed !== undefined && press(sender, playground, pressed)
      ? json({ ok: true }, 201)
      : refuse(400, "there is no such button");
  }
  return undefined;
}

/** A document that somebody was sent. */
function readFile({ slack, whatsapp }: Playground, id: string): Answer {
  const content = slack?.uploads.get(id)?.content ?? whatsapp?.media.get(id)?.content;
  if (content === undefined) return refuse(404, "there is no such file");
  const headers = {
    "content-type": "application/pdf",
    "content-security-policy": "sandbox",
    "x-content-type-options": "nosniff",
  };
  return { status: 200, body: content, headers };
}

function watch(playground: Playground): Stream {
  return {
    open(send) {
      send("changed");
      return playground.watch(() => send("changed"));
    },
  };
}

function describe({ slack, whatsapp, email }: Playground) {
  return {
    slack: slack === undefined ? null : describeSlack(slack),
    whatsapp: whatsapp === undefined ? null : describeWhatsApp(whatsapp),
    email: email === undefined ? null : describeMail(email),
  };
}

function describeSlack({ setup, isRevoked, members, conversations }: SlackWorkspace) {
  return {
    name: setup.name,
    botUserId: setup.botUserId,
    isRevoked,
    members,
    conversations: conversations.map(({ messages, ...conversation }) => ({
      ...conversation,
      memberId: conversation.memberId ?? null,
      messages: messages.map(({ ts, userId, text, blocks, isEdited, onlyFor, files }) => ({
        ts,
        userId: userId ?? null,
        text,
        blocks: blocks ?? null,
        buttons: listActions(blocks),
        isEdited,
        onlyFor: onlyFor ?? null,
        files: files.map(({ id, name }) => ({ id, name })),
      })),
    })),
  };
}
