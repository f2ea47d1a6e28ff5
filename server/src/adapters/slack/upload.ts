import { z } from "zod";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import { type ChatAccess, type ChatDocument, ChatFailure } from "../../ports/chat.ts";

/** Slack takes JSON where something is written, and forms everywhere. */
type Content = { readonly json: object } | { readonly form: Readonly<Record<string, string>> };

/** One method of the Web API. */
export type Call = (access: Pick<ChatAccess, "apiUrl" | "token">, method: string, content: Content) => Promise<unknown>;

const UPLOAD_MILLISECONDS = 60_000;
const MOST_ANSWER_BYTES = 1024 * 1024;

const UploadPlace = z.looseObject({ upload_url: z.url(), file_id: z.string().min(1).max(40) });

/** Nobody sees the file yet. Undefined: the app was installed before it asked for this permission. */
export async function upload(
  http: Pick<HttpClient, "send">,
  call: Call,
  access: ChatAccess,
  { fileName, content }: ChatDocument,
): Promise<string | undefined> {
  const asked = { filename: fileName, length: String(content.byteLength) };
  const answer = await call(access, "files.getUploadURLExternal", { form: asked }).catch((error: unknown) => {
    if (!(error instanceof ChatFailure)) throw error;
    if (error.message.endsWith(": missing_scope")) return undefined;
    // Without an answer nothing was done that anybody can see.
    if (error.problem === "unsure") throw new ChatFailure("not_done", error.message, { cause: error });
    throw error;
  });
  if (answer === undefined) return undefined;
  const place = UploadPlace.safeParse(answer).data;
  if (place === undefined || !isUploadPlace(place.upload_url, access.apiUrl))
    throw new ChatFailure("refused", "files.getUploadURLExternal: no address of Slack's");
  const response = await http
    .send({
      method: "POST",
      url: place.upload_url,
      bytes: { content, contentType: "application/octet-stream" },
      timeoutMilliseconds: UPLOAD_MILLISECONDS,
      maxBytes: MOST_ANSWER_BYTES,
    })
    .catch((cause: unknown) => {
      throw new ChatFailure("not_done", "the upload: no answer", { cause });
    });
  if (response.status !== 200) throw new ChatFailure("not_done", `the upload: ${response.status}`);
  return place.file_id;
}

/** The file goes to Slack alone, whatever an answer names. */
function isUploadPlace(text: string, apiUrl: string): boolean {
  const url = new URL(text);
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && url.port === "" && /(?:^|\.)slack\.com$/.test(url.hostname);
}
