/** A model that takes one step of a turn: it answers with text and calls of tools. */
export interface LanguageModel {
  /** Shown in the last event and in logs, such as `rules` or `anthropic/claude-…`. */
  readonly name: string;
  /** `rules`: reads the structured history, needs no instructions and has no cost. */
  readonly kind: "rules" | "generative";
  /** Ends with exactly one `end` part, or throws ModelFailure. Stops when `signal` is aborted. */
  step(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

export interface ModelRequest {
  readonly instructions: string;
  /** BCP 47, one that Intl knows. */
  readonly locale: string;
  readonly now: Temporal.Instant;
  /** The traveler's, IANA. "Next Friday" is meant in it. */
  readonly timeZone: string;
  readonly traveler: ModelTraveler;
  readonly messages: readonly ModelMessage[];
  /** The tools offered for this step, at most 6,000 tokens. */
  readonly tools: readonly ModelTool[];
  readonly maximumOutputTokens: number;
}

interface ModelTraveler {
  readonly userId: string;
  readonly givenName?: string;
  /** Others of the tenant that may travel along, at most 20. */
  readonly companions: readonly { userId: string; name: string; bornOn?: string }[];
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string; readonly at: Temporal.Instant }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly toolCalls: readonly ModelToolCall[];
      /** The slot that it asked for. */
      readonly question?: string;
    }
  | { readonly role: "tools"; readonly results: readonly ModelToolResult[] };

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ModelToolResult {
  readonly id: string;
  readonly name: string;
  /** `declined`: the user said no; `withdrawn`: the user wrote something else; `awaits_approval`: an approver was asked. */
  readonly outcome: "ok" | "failed" | "declined" | "withdrawn" | "awaits_approval";
  /** The tool's result, or the problem object {code, detail, …}. */
  readonly result: unknown;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  /** Names what the reply asks for; its text came as text. */
  | { readonly type: "question"; readonly slot: string; readonly choices?: readonly string[] }
  /** Nothing to show yet, but the model is getting on, such as by thinking. */
  | { readonly type: "progress" }
  /** Unvalidated. */
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly args: unknown }
  | {
      readonly type: "end";
      readonly reason: "done" | "length" | "refused";
      readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
      /** The name of the model that answered, where one of several did. */
      readonly model?: string;
    };

/** `model_unavailable` may succeed later; `model_nonsense`: the answer made no sense; `model_misconfigured`: the operator must act. */
export type ModelFailureCode = "model_unavailable" | "model_nonsense" | "model_misconfigured";

export class ModelFailure extends Error {
  readonly code: ModelFailureCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ModelFailureCode,
    message: string,
    { retryAfterSeconds, cause }: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ModelFailure";
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
