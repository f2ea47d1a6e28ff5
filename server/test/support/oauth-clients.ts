import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { BrowserLike, type Page } from "./browser-like.ts";
import type { TestService } from "./service.ts";

/** Where test clients listen; nothing does. */
export const REDIRECT = "http://127.0.0.1:33418/callback";

interface Tokens {
  access_token: string;
  refresh_token?: string | undefined;
  scope?: string | undefined;
}

/** The part that an official client leaves to its program: it keeps the tokens, and opens the browser. */
export class KeptAuthorization {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata: Readonly<Record<string, unknown>>;
  information: Record<string, unknown> | undefined;
  kept: Tokens | undefined;
  verifier = "";
  /** The address that a browser would be sent to. */
  asked: URL | undefined;

  constructor(metadata: Readonly<Record<string, unknown>> = {}) {
    this.clientMetadata = { client_name: "Test agent", redirect_uris: [REDIRECT], ...metadata };
  }

  readonly clientInformation = () => this.information;
  readonly saveClientInformation = (information: object) => {
    this.information = { ...information };
  };
  readonly tokens = () => this.kept;
  readonly saveTokens = (tokens: Tokens) => {
    this.kept = { ...this.kept, ...tokens };
  };
  readonly redirectToAuthorization = (url: URL) => {
    this.asked = url;
  };
  readonly saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  readonly codeVerifier = () => this.verifier;
}

interface Connected {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export const oauthClientKinds = ["v1", "v2"] as const;
type Kind = (typeof oauthClientKinds)[number];

const info = { name: "test", version: "1.0.0" };

/** An official client with its transport, which takes the code of an authorization. */
export function openOauthClient(url: string, kind: Kind, kept: KeptAuthorization) {
  const connection =
    kind === "v1"
      ? {
          client: new ClientV1(info),
          transport: Reflect.construct(TransportV1, [new URL(url), { authProvider: kept }]),
        }
      : {
          client: new Client(info),
          transport: Reflect.construct(StreamableHTTPClientTransport, [new URL(url), { authProvider: kept }]),
        };
  return {
    /** Throws if the program has no token that works. */
    async connect(): Promise<Connected> {
      await Reflect.apply(connection.client.connect, connection.client, [connection.transport]);
      return connection.client as Connected;
    },
    async finish(code: string, iss?: string): Promise<void> {
      await Reflect.apply(
        connection.transport.finishAuth,
        connection.transport,
        iss === undefined ? [code] : [code, iss],
      );
    },
  };
}

/** A browser in which a person of the tenant is signed in. */
export async function signedInBrowser(
  service: TestService,
  personId: string,
  owner: { tenantId: string; environment: "sandbox" | "production" } = {
    tenantId: service.tenantId,
    environment: "sandbox",
  },
): Promise<BrowserLike> {
  const browser = new BrowserLike(service);
  const link = await service.operator(({ signInLinks }) =>
    signInLinks.create({ ...owner, personId }, { kind: "sign_in", provesAddress: true, lifeHours: 48 }),
  );
  await browser.submit(link, await browser.send(link));
  return browser;
}

/** Opens the address that a client sends its person to; the answer is the page on which the person decides. */
export async function openConsent(
  browser: BrowserLike,
  asked: URL,
): Promise<{ path: string; page: Page; answer: (fields?: Readonly<Record<string, string>>) => Promise<Page> }> {
  const begun = await browser.send(`${asked.pathname}${asked.search}`);
  const path = begun.location ?? "";
  const page = await browser.send(path);
  return { path, page, answer: (fields = ALLOW) => browser.submit(path, page, fields) };
}

export const ALLOW = { answer: "allow", everything: "on", days: "90" };

/** Allows it, and follows to where the client would read its code. */
export async function allowInBrowser(
  browser: BrowserLike,
  asked: URL,
  fields: Readonly<Record<string, string>> = ALLOW,
): Promise<URL> {
  const { answer } = await openConsent(browser, asked);
  return await followToClient(browser, await answer(fields));
}

export async function followToClient(browser: BrowserLike, answered: Page): Promise<URL> {
  const resumed = await browser.send(answered.location ?? "");
  return new URL(resumed.location ?? "missing:");
}
