import type { TestService } from "./service.ts";

export interface Page {
  status: number;
  text: string;
  headers: Headers;
  /** Where it leads, on the same host. */
  location: string | undefined;
}

interface Sent {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  form?: Readonly<Record<string, string>>;
  json?: unknown;
  /** Replace or, undefined, leave out what a browser sends by itself. */
  headers?: Readonly<Record<string, string | undefined>>;
}

/** Keeps cookies and sends `Origin` as a browser does, with the answers' bytes in sight. Follows no redirect. */
export class BrowserLike {
  readonly #appUrl: string;
  readonly cookies = new Map<string, string>();

  constructor({ appUrl }: Pick<TestService, "appUrl">) {
    this.#appUrl = appUrl;
  }

  get session(): string | undefined {
    return [...this.cookies].find(([name]) => name.includes("session"))?.[1];
  }

  async send(path: string, { method = "GET", form, json, headers = {} }: Sent = {}): Promise<Page> {
    const given: Record<string, string | undefined> = {
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "user-agent": "Test browser",
      ...(method === "GET" ? {} : { origin: this.#appUrl, "sec-fetch-site": "same-origin" }),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
    const body = form === undefined ? json : new URLSearchParams(form);
    const response = await fetch(`${this.#appUrl}${path}`, {
      method,
      redirect: "manual",
      headers: sent as Record<string, string>,
      ...(body === undefined ? {} : { body: body instanceof URLSearchParams ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const location = response.headers.get("location") ?? undefined;
    return { status: response.status, text: await response.text(), headers: response.headers, location };
  }

  /** Sends the only form of a page, with its hidden fields. */
  async submit(path: string, page: Page, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const hidden = [...page.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
    const form = { ...Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value])), ...fields };
    return await this.send(path, { method: "POST", form });
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
