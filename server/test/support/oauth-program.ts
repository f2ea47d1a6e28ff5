import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { BrowserLike } from "./browser-like.ts";
import { ALLOW, followToClient, openConsent, REDIRECT } from "./oauth-clients.ts";
import type { TestService } from "./service.ts";

export { REDIRECT } from "./oauth-clients.ts";

const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  token_type: z.string(),
});
type Tokens = z.output<typeof Tokens>;

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** Registers a program. */
export async function register(
  { appUrl }: Pick<TestService, "appUrl">,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  return await readAnswer(
    fetch(`${appUrl}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(metadata),
    }),
  );
}

async function readAnswer(sent: Promise<Response>): Promise<Answer> {
  const response = await sent;
  const text = await response.text();
  return {
    status: response.status,
    body: z.record(z.string(), z.unknown()).parse(text === "" ? {} : JSON.parse(text)),
  };
}

type Fields = Readonly<Record<string, string | undefined>>;

/** A program that speaks OAuth by hand, so that a test can leave out or forge any part. */
export class OauthProgram {
  readonly #service: Pick<TestService, "appUrl">;
  readonly id: string;
  readonly verifier = randomBytes(32).toString("base64url");

  constructor(service: Pick<TestService, "appUrl">, id: string) {
    this.#service = service;
    this.id = id;
  }

  static async registered(service: Pick<TestService, "appUrl">, metadata = {}): Promise<OauthProgram> {
    const { body } = await register(service, { client_name: "Program", redirect_uris: [REDIRECT], ...metadata });
    return new OauthProgram(service, z.string().parse(body.client_id));
  }

  /** Where the program sends its person. */
  url(fields: Fields = {}): URL {
    const url = new URL(`${this.#service.appUrl}/oauth/authorize`);
    const all: Fields = {
      client_id: this.id,
      redirect_uri: REDIRECT,
      response_type: "code",
      state: "own state",
      resource: `${this.#service.appUrl}/api/mcp`,
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...fields,
    };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  /** The person's answer, as the program sees it. */
  async ask(browser: BrowserLike, fields: Fields = {}, answer: Readonly<Record<string, string>> = ALLOW) {
    const consent = await openConsent(browser, this.url(fields));
    const back = await followToClient(browser, await consent.answer(answer));
    return { back, code: back.searchParams.get("code") ?? "", page: consent.page };
  }

  async token(fields: Fields): Promise<Answer> {
    const all: Fields = { client_id: this.id, ...fields };
    const body = new URLSearchParams(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]])),
    );
    return await readAnswer(fetch(`${this.#service.appUrl}/oauth/token`, { method: "POST", body }));
  }

  redeem(code: string, fields: Fields = {}): Promise<Answer> {
    const { verifier } = this;
    return this.token({
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      ...fields,
    });
  }

  refresh(token: string | undefined, fields: Fields = {}): Promise<Answer> {
    return this.token({ grant_type: "refresh_token", refresh_token: token, ...fields });
  }

  async connect(browser: BrowserLike, fields: Fields = {}, answer?: Readonly<Record<string, string>>): Promise<Tokens> {
    const { code } = await this.ask(browser, fields, answer);
    const { body } = await this.redeem(code);
    return Tokens.parse(body);
  }

  /** Calls a tool over MCP. */
  async call(token: string, name: string, args: Readonly<Record<string, unknown>> = {}) {
    const response = await fetch(`${this.#service.appUrl}/api/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
    const text = await response.text();
    return { status: response.status, text, challenge: response.headers.get("www-authenticate") };
  }
}
