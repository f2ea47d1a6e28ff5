import type { FaultKind } from "../faults.ts";
import { type Answer, json, type Question, readBearer } from "../http/answer.ts";
import type { Playground, Playgrounds } from "../play/playground.ts";
import {
  addMessage,
  isWindowOpen,
  newMediaId,
  newMessageId,
  type WhatsAppAccount,
  type WhatsAppMessage,
} from "./account.ts";
import { tellStatus, UNDELIVERABLE, type Webhooks } from "./events.ts";
import { type ReadSent, readSent } from "./read-sent.ts";
import { readUpload } from "./read-upload.ts";

const refuse = (code: number, message: string, status = 400): Answer =>
  json(
    { error: { message: `(#${code}) ${message}`, type: "OAuthException", code, fbtrace_id: "AsimulatedTrace" } },
    status,
  );

/** Meta's Graph API: the parts that the product uses. Undefined: not one of them. */
export function answerWhatsApp(
  { playgrounds, webhooks }: { playgrounds: Playgrounds; webhooks: Webhooks },
  question: Question,
): Answer | "broken" | undefined {
  const [, id, what] = /^\/whatsapp\/api\/(\d+)(?:\/(messages|content|media))?$/.exec(question.path) ?? [];
  if (id === undefined) return undefined;
  const token = readBearer(question);
  const playground = playgrounds.findWhatsApp(({ setup }) => setup.token === token);
  const account = playground?.whatsapp;
  if (playground === undefined || account === undefined) return refuse(190, "Invalid OAuth access token", 401);
  const { setup, media } = account;
  const found = question.method === "GET" ? media.get(id) : undefined;
  if (found !== undefined) return answerMedia(question, id, found);
  if (setup.phoneNumberId !== id) return refuse(100, "Unsupported request. Object does not exist");
  const fault = webhooks.takeFault(question.path, playground.id);
  if (question.method === "GET" && what === undefined)
    return json({ id, verified_name: setup.name, display_phone_number: setup.displayNumber });
  if (question.method === "POST" && what === "media")
    return interfere(fault) ?? finish(keepUpload(account, question), fault);
  if (question.method !== "POST" || what !== "messages") return undefined;
  return (
    interfere(fault) ??
    finish(take({ playground, webhooks, isLost: fault === "never_delivered" }, account, question.body), fault)
  );
}

/** Meta gives an address first, and the content there. Both want the token. */
function answerMedia(
  question: Question,
  id: string,
  { contentType, content }: { contentType: string; content: Buffer },
) {
  if (question.path.endsWith("/content")) {
    return { status: 200, body: content, headers: { "content-type": contentType } };
  }
  const url = `http://${question.header("host") ?? ""}${question.path}/content`;
  return json({ messaging_product: "whatsapp", id, url, mime_type: contentType, file_size: content.length });
}

/** A file that the business sends: a form with the bytes. */
function keepUpload({ media }: WhatsAppAccount, { bytes, header }: Question): Answer {
  const file = readUpload(bytes, header("content-type") ?? "");
  if (file === undefined) return refuse(100, "Invalid parameter: file");
  const id = newMediaId();
  media.set(id, file);
  return json({ id });
}

function interfere(fault: FaultKind | undefined): Answer | undefined {
  if (fault === "revoked") return refuse(190, "Error validating access token: the session was invalidated", 401);
  const limited = refuse(130_429, "Rate limit hit", 429);
  if (fault === "rate_limited") return { ...limited, headers: { "retry-after": "1" } };
  if (fault === "rate_limited_bare") return limited;
  return fault === "away" ? refuse(131_016, "Service unavailable", 503) : undefined;
}

function finish(answer: Answer, fault: FaultKind | undefined): Answer | "broken" {
  if (fault === "reset") return "broken";
  return fault === "lost_answer" ? refuse(131_000, "Something went wrong", 500) : answer;
}

interface Taking {
  readonly playground: Playground;
  readonly webhooks: Webhooks;
  /** Accepted for nobody to see. */
  readonly isLost: boolean;
}

function take(taking: Taking, account: WhatsAppAccount, body: unknown): Answer {
  const sent = readSent(account.setup, body);
  if ("code" in sent) return refuse(sent.code, sent.message);
  // Whatever is in `to` is taken for a phone number.
  const { to, recipient } = sent;
  if (to === undefined && recipient === undefined) return refuse(100, "The parameter to is required");
  if (sent.isCode && to === undefined) return refuse(100, "Authentication templates need a phone number");
  const person = account.people.find((one) => (to === undefined ? one.userId === recipient : one.phone === to));
  const { type, text, buttons, ref, file } = sent;
  if (file !== undefined && !account.media.has(file.id)) return refuse(131_053, "Media upload error");
  if (taking.isLost) return accept(sent, newMessageId());
  const own = { isOwn: false, type, text, buttons, ref, file };
  const isFree = sent.isTemplate || (person !== undefined && isWindowOpen(person));
  if (person === undefined || !isFree) {
    // Meta accepts it, and tells later.
    const lost: WhatsAppMessage = { ...own, id: newMessageId(), status: "accepted" };
    const error = person === undefined ? UNDELIVERABLE : undefined;
    setImmediate(() => tellStatus(taking, account, person, lost, "failed", error));
    return accept(sent, lost.id);
  }
  const shown = addMessage(person, own);
  taking.playground.changed();
  setImmediate(() => {
    tellStatus(taking, account, person, shown, "sent");
    tellStatus(taking, account, person, shown, "delivered");
  });
  return accept(sent, shown.id);
}

function accept({ to, recipient }: Exclude<ReadSent, { code: number }>, id: string): Answer {
  const input = to ?? recipient ?? "";
  return json({
    messaging_product: "whatsapp",
    contacts: [{ input, ...(to === undefined ? { user_id: input } : { wa_id: input }) }],
    messages: [{ id }],
  });
}
