/** An answer before it is written. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
}

export interface Question {
  method: string;
  path: string;
  query: URLSearchParams;
  /** Undefined: none, or no JSON. */
  json: unknown;
}

export const refuse = (status: number, message: string): Answer => ({ status, body: { code: status, message } });
