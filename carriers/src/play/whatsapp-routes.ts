import { z } from "zod";
import { type Answer, json, type Question, refuse } from "../http/answer.ts";
import { isWindowOpen, type WhatsAppAccount } from "../whatsapp/account.ts";
import { changeId, pressOnWhatsApp, readAll, sayOnWhatsApp, sendMedia, type Webhooks } from "../whatsapp/events.ts";
import type { Playground } from "./playground.ts";

const Key = z.string().max(40);
const Said = z.object({ person: Key, text: z.string().min(1).max(8_000), isGroup: z.boolean().optional() });
const Pressed = z.object({ person: Key, messageId: z.string().max(200), value: z.string().max(300) });
const Sent = z.object({
  person: Key,
  contentType: z.string().max(100),
  fileName: z.string().max(200),
  data: z.string().max(20_000_000),
});
const Read = z.object({ person: Key });
const Changed = z.object({
  person: Key,
  phone: z
    .string()
    .regex(/^\d{5,15}$/)
    .optional(),
});
const Aged = z.object({ person: Key, hours: z.number().min(0).max(1_000) });

/** The page's routes for WhatsApp. Undefined: not one of them. */
export function answerWhatsAppPlay(
  playground: Playground,
  webhooks: Webhooks,
  { method, body }: Question,
  what: string,
): Answer | undefined {
  if (method !== "POST") return undefined;
  const player = { playground, webhooks };
  if (what === "whatsapp/messages") {
    const said = Said.safeParse(body).data;
    const id = said && sayOnWhatsApp(player, { key: said.person, text: said.text, isGroup: said.isGroup });
    return id === undefined ? refuse(400, "nobody can say that") : json({ id }, 201);
  }
  if (what === "whatsapp/media") {
    const sent = Sent.safeParse(body).data;
    const content = Buffer.from(sent?.data ?? "", "base64");
    const id = sent && sendMedia(player, { key: sent.person, ...sent, content });
    return id === undefined ? refuse(400, "nobody can send that") : json({ id }, 201);
  }
  if (what === "whatsapp/presses") {
    const pressed = Pressed.safeParse(body).data;
    const isDone = pressed !== undefined && pressOnWhatsApp(player, { key: pressed.person, ...pressed });
    return isDone ? json({ ok: true }, 201) : refuse(400, "there is no such button");
  }
  if (what === "whatsapp/reads") {
    const read = Read.safeParse(body).data;
    if (read !== undefined) readAll(player, read.person);
    return json({ ok: true }, 201);
  }
  if (what === "whatsapp/changes") {
    const changed = Changed.safeParse(body).data;
    const isDone = changed !== undefined && changeId(player, changed.person, changed.phone);
    return isDone ? json({ ok: true }, 201) : refuse(400, "there is no such person");
  }
  return what === "whatsapp/silences" ? beSilent(playground, body) : undefined;
}

/** As if the person had written nothing for so long. */
function beSilent(playground: Playground, body: unknown): Answer {
  const aged = Aged.safeParse(body).data;
  const person = playground.whatsapp?.people.find(({ key }) => key === aged?.person);
  if (aged === undefined || person === undefined) return refuse(400, "there is no such person");
  person.wroteAt = Date.now() - aged.hours * 3_600_000;
  playground.changed();
  return json({ ok: true }, 201);
}

export function describeWhatsApp({ setup, people }: WhatsAppAccount) {
  return {
    name: setup.name,
    displayNumber: setup.displayNumber,
    people: people.map((person) => ({
      key: person.key,
      name: person.name,
      phone: person.phone ?? null,
      userId: person.userId,
      isWindowOpen: isWindowOpen(person),
      messages: person.messages.map(({ id, isOwn, text, buttons, type, status, file }) => ({
        ...{ id, isOwn, text, buttons, type, status },
        files: file === undefined ? [] : [file],
      })),
    })),
  };
}
