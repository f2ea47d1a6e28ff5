import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Answer, json, type Question } from "../http/answer.ts";
import type { Playgrounds } from "../play/playground.ts";
import { addMessage, findConversation, type SlackWorkspace } from "./workspace.ts";

const Opened = z.object({ filename: z.string().min(1).max(255), length: z.coerce.number().int().min(1) });
const Completed = z.object({
  files: z.array(z.object({ id: z.string(), title: z.string().optional() })).min(1),
  channel_id: z.string(),
  initial_comment: z.string().max(40_000).default(""),
});

const MOST_UPLOADS = 100;
const fail = (error: string): Answer => json({ ok: false, error });

/** The first step: a place for the bytes. */
export function openUpload({ uploads }: SlackWorkspace, body: Question["body"]): Answer {
  const opened = Opened.safeParse(body).data;
  if (opened === undefined) return fail("invalid_arguments");
  const id = `F${randomBytes(8).toString("hex").toUpperCase()}`;
  uploads.set(id, { id, name: opened.filename, content: undefined });
  const [oldest] = uploads.keys();
  if (uploads.size > MOST_UPLOADS && oldest !== undefined) uploads.delete(oldest);
  return json({ ok: true, file_id: id, upload_url: `/slack/upload/${id}` });
}

/** The second step, which the address alone permits. Undefined: another page. */
export function answerSlackUpload(playgrounds: Playgrounds, { method, path, bytes }: Question): Answer | undefined {
  const id = /^\/slack\/upload\/(F[0-9A-F]{16})$/.exec(path)?.[1];
  if (id === undefined || method !== "POST") return undefined;
  const file = playgrounds.findSlack(({ uploads }) => uploads.has(id))?.slack?.uploads.get(id);
  if (file === undefined) return { status: 404, body: "no such upload" };
  file.content = bytes;
  return { status: 200, body: `OK - ${bytes.length}` };
}

/** The last step, after which people see the files. */
export function completeUpload(workspace: SlackWorkspace, body: Question["body"]): Answer {
  const completed = Completed.safeParse(body).data;
  if (completed === undefined) return fail("invalid_arguments");
  const conversation = findConversation(workspace, completed.channel_id);
  if (conversation === undefined) return fail("channel_not_found");
  const files = completed.files.flatMap(({ id }) => workspace.uploads.get(id) ?? []);
  if (files.length < completed.files.length || files.some(({ content }) => content === undefined))
    return fail("file_not_found");
  const text = completed.initial_comment;
  addMessage(workspace, conversation, {
    ...{ userId: undefined, text, blocks: undefined, metadata: undefined, onlyFor: undefined },
    files,
  });
  return json({ ok: true, files: files.map(({ id, name }) => ({ id, title: name })) });
}
