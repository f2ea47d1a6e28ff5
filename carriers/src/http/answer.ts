/** A request as the routes see it. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly text: string;
  /** The body as it came. */
  readonly bytes: Buffer;
  /** The body, sent as JSON or as a form. */
  readonly body: Readonly<Record<string, unknown>>;
  header(name: string): string | undefined;
}

export interface Answer {
  readonly status: number;
  /** Text is sent as it is, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that stays open: lines are sent as they come. */
export interface Stream {
  /** Returns what ends it. */
  open(send: (line: string) => void): () => void;
}

export const json = (body: unknown, status = 200): Answer => ({ status, body });

export const refuse = (status: number, error: string): Answer => ({ status, body: { error } });

/** The token of an `Authorization: Bearer` header. */
export function readBearer(question: Question): string {
  return /^Bearer (.+)$/i.exec(question.header("authorization") ?? "")?.[1] ?? "";
}
