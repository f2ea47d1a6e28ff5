import { z } from "zod";
import type { HttpClient, HttpRequest, HttpResponse } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import {
  type ChatAccess,
  type ChatDocument,
  ChatFailure,
  type ChatSending,
  type WhatsAppSystem,
} from "../../ports/chat.ts";
import { composeForWhatsApp } from "./compose-whatsapp.ts";
import { encodeUpload } from "./encode-upload.ts";
import { readWhatsAppAccounts, readWhatsAppEvents } from "./read-whatsapp.ts";
import { isSignedByMeta } from "./verify-whatsapp.ts";

const TIMEOUT_MILLISECONDS = 15_000;
const MEDIA_MILLISECONDS = 60_000;
const MEDIA_HOSTS = /(?:^|\.)(?:fbsbx\.com|fbcdn\.net|whatsapp\.net)$/;
const MOST_ANSWER_BYTES = 1024 * 1024;
const WINDOW_HOURS = 24;
/** Without Retry-After. */
const USUAL_WAIT_SECONDS = 30;

/** The token has ended, or was never good. */
const REVOKED = new Set([190]);
/** The account's own limits: nothing else is sent meanwhile, either. */
const LIMITED = new Set([4, 80_007, 130_429, 131_048]);
/** Passing trouble, of Meta or with this one recipient. */
const PASSING = new Set([1, 2, 131_000, 131_016, 131_056, 131_057, 133_004, 133_016]);
const WINDOW_CLOSED = new Set([131_047, 470]);

const Described = z.looseObject({ url: z.string().max(4_000) });
const Refused = z.looseObject({
  error: z.looseObject({ code: z.number(), message: z.string().default("") }),
});
const Sent = z.looseObject({ messages: z.array(z.looseObject({ id: z.string().min(1) })).min(1) });
const Uploaded = z.looseObject({ id: z.string().min(1) });
const PhoneNumber = z.looseObject({ verified_name: z.string().default(""), display_phone_number: z.string() });

/** WhatsApp's Cloud API by plain requests, each sent once. It cannot be asked what it took; its reports tell. */
export function createWhatsApp(http: Pick<HttpClient, "send">, apiUrl: string): WhatsAppSystem {
  async function call(
    access: ChatAccess,
    what: string,
    request: Pick<HttpRequest, "method" | "url" | "json" | "bytes" | "freshConnection">,
  ): Promise<unknown> {
    const response = await http
      .send({
        ...request,
        headers: { authorization: `Bearer ${access.token}` },
        timeoutMilliseconds: TIMEOUT_MILLISECONDS,
        maxBytes: MOST_ANSWER_BYTES,
      })
      .catch((cause: unknown) => {
        const isSent = !(cause instanceof HttpFailure) || cause.delivery === "unanswered";
        throw new ChatFailure(isSent ? "unsure" : "not_done", `${what}: no answer`, { cause });
      });
    return readAnswer(what, response);
  }

  const post = async (access: ChatAccess, sending: ChatSending, mediaId?: string): Promise<string> => {
    const answer = await call(access, "messages", {
      method: "POST",
      url: `${access.apiUrl}/${access.accountId}/messages`,
      json: composeForWhatsApp(sending, mediaId),
      // A kept connection that is just closing looks like a lost answer.
      freshConnection: true,
    });
    const [sent] = Sent.safeParse(answer).data?.messages ?? [];
    if (sent === undefined) throw new ChatFailure("unsure", "messages: an answer without an id");
    return sent.id;
  };

  /** Nobody sees the file yet: an attempt whose answer is lost has no effect. */
  async function upload(access: ChatAccess, document: ChatDocument): Promise<string> {
    const url = `${access.apiUrl}/${access.accountId}/media`;
    const answer = await call(access, "media upload", { method: "POST", url, bytes: encodeUpload(document) }).catch(
      (error: unknown) => {
        if (error instanceof ChatFailure && error.problem === "unsure")
          throw new ChatFailure("not_done", error.message, { cause: error });
        throw error;
      },
    );
    const mediaId = Uploaded.safeParse(answer).data?.id;
    if (mediaId === undefined) throw new ChatFailure("not_done", "media upload: an answer without an id");
    return mediaId;
  }

  return {
    apiUrl,
    windowHours: WINDOW_HOURS,
    isSigned: isSignedByMeta,
    readEvents: readWhatsAppEvents,
    readAccounts: readWhatsAppAccounts,
    send: (access, sending) => post(access, sending),

    async sendDocument(access, sending) {
      return await post(access, sending, await upload(access, sending.document));
    },

    edit: undefined,
    find: undefined,

    /** Nobody else sees a direct message. */
    async whisper(access, { person }, text) {
      await post(access, { to: person, ref: "whisper", message: { text, buttons: [] } });
    },

    async fetchMedia(access, mediaId, mostBytes) {
      if (!/^\d{5,40}$/.test(mediaId)) throw new ChatFailure("refused", "media: not an id");
      const described = await call(access, "media", { method: "GET", url: `${access.apiUrl}/${mediaId}` });
      const { url = "" } = Described.safeParse(described).data ?? {};
      if (!isMedia(url, access.apiUrl)) throw new ChatFailure("refused", "media: an address that is not Meta's");
      const response = await http
        .send({
          method: "GET",
          url,
          headers: { authorization: `Bearer ${access.token}` },
          timeoutMilliseconds: MEDIA_MILLISECONDS,
          maxBytes: mostBytes,
        })
        .catch((cause: unknown) => {
          throw new ChatFailure("not_done", "media: no answer", { cause });
        });
      if (response.status !== 200) throw new ChatFailure("refused", `media: ${response.status}`);
      return response.body;
    },

    async readNumber(access) {
      const url = `${access.apiUrl}/${access.accountId}?fields=verified_name,display_phone_number`;
      const number = PhoneNumber.safeParse(await call(access, "phone number", { method: "GET", url })).data;
      if (number === undefined) throw new ChatFailure("refused", "phone number: an incomplete answer");
      return { name: number.verified_name, displayNumber: number.display_phone_number };
    },
  };
}

/** The token goes to Meta alone, whatever an answer names. */
function isMedia(text: string, apiUrl: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "") return false;
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && url.port === "" && MEDIA_HOSTS.test(url.hostname);
}

function readAnswer(what: string, response: HttpResponse): unknown {
  const { status } = response;
  const value = parse(response);
  const refused = Refused.safeParse(value).data?.error;
  const says = `${what}: ${refused === undefined ? status : `${refused.code} (${status})`}`;
  const isLimited = status === 429 || (refused !== undefined && LIMITED.has(refused.code));
  if (isLimited) {
    const seconds = Number(response.header("retry-after"));
    const retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? seconds : USUAL_WAIT_SECONDS;
    throw new ChatFailure("not_done", says, { retryAfterSeconds });
  }
  // A 5xx may come after the message was taken.
  if (status >= 500) throw new ChatFailure("unsure", says);
  if (refused === undefined) {
    if (status >= 200 && status < 300 && value !== undefined) return value;
    throw new ChatFailure(status >= 400 ? "refused" : "unsure", says);
  }
  if (REVOKED.has(refused.code)) throw new ChatFailure("revoked", says);
  if (WINDOW_CLOSED.has(refused.code)) throw new ChatFailure("window_closed", says);
  throw new ChatFailure(PASSING.has(refused.code) ? "not_done" : "refused", says);
}

function parse({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
