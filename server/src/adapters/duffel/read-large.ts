import { z } from "zod";
import type { Threads, ThreadTask } from "../../ports/threads.ts";
import type { DuffelClient } from "./client.ts";
import { issuePaths, parseJson } from "./wire.ts";

/** Answers that may be megabytes, as of searches, are read in another thread. */

/** `misread` names the paths at which the answer did not match. */
export type LargeRead<Value> = { value: Value } | { misread: readonly string[] };

/** In the thread: reads the member `data` of the answer by its schema. */
export function readData<T>(body: Uint8Array, schema: z.ZodType<T>): LargeRead<T> {
  const parsed = z.object({ data: schema }).safeParse(parseJson(body));
  return parsed.success ? { value: parsed.data.data } : { misread: issuePaths(parsed.error) };
}

interface LargeRequest<Input, Value> {
  request: Parameters<DuffelClient["readBody"]>[0];
  task: ThreadTask<Input, LargeRead<Value>>;
  makeInput(body: Uint8Array): Input;
  owner: string | undefined;
}

/** Asks the supplier, and has the answer read by the task. */
export async function readLarge<Input, Value>(
  client: DuffelClient,
  threads: Threads,
  { request, task, makeInput, owner = "" }: LargeRequest<Input, Value>,
): Promise<Value> {
  const body = await client.readBody(request);
  const { buffer, byteLength: bytes } = body;
  // A small body may share its memory with others.
  const transfer = buffer instanceof ArrayBuffer && buffer.byteLength === bytes ? [buffer] : [];
  const read = await threads.run(task, { input: makeInput(body), owner, bytes, transfer, signal: request.signal });
  if ("value" in read) return read.value;
  throw client.misread(request.path, read.misread);
}
