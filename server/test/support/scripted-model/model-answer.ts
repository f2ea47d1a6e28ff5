/** An answer of the scripted model, or a fault; both wires render it. */
export type ModelAnswer =
  | Reply
  | { readonly fault: "hang" | "reset" }
  /** A refusal of the endpoint, such as 429 with `retry-after`. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly json?: unknown }
  /** Status 200 and these bytes. */
  | { readonly raw: string }
  /** The connection ends after so many bytes of the answer: `break` resets it, `end` closes it in order. */
  | { readonly cut: number; readonly how: "break" | "end"; readonly reply: Reply }
  /** Text without an end. */
  | { readonly floodBytes: number }
  /** Begins to answer, then sends nothing but pings. */
  | { readonly pings: true }
  /** An error event in place of the rest, such as `overloaded_error`. */
  | { readonly errorEvent: string; readonly text?: string };

export interface Reply {
  readonly text?: readonly string[];
  /** A string is sent as it is, in place of JSON. */
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
  readonly end?: "done" | "length" | "refused";
}

export const USAGE = { inputTokens: 11, outputTokens: 7 };
const PIECE = 9;

/** Arguments as they are streamed. */
export function cutArguments(args: unknown): readonly string[] {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return text.match(new RegExp(`[^]{1,${PIECE}}`, "gu")) ?? [];
}
