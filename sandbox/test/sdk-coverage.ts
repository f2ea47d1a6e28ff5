// Keeps the list of what the official client was seen to call, and compares it with what that client has.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { z } from "zod";

/** Parts of the client that speak of things which the sandbox does not have. */
const OTHER_PRODUCTS: Readonly<Record<string, string>> = {
  "batchOfferRequests.": "searches that are polled",
  "cards.": "card payments",
  "cars.": "cars",
  "identity.componentClientKeys.": "the supplier's own web components",
  "links.": "the supplier's own web pages",
  "partialOfferRequests.": "searches in steps",
  "paymentIntents.": "card payments",
  "refunds.": "card payments",
  "three_d_secure_sessions.": "card payments",
};
const NOT_BUILT: Readonly<Record<string, string>> = {
  "offerRequests.list": "searches are found by their id",
  "offerRequests.listWithGenerator": "searches are found by their id",
  "offers.update": "passengers are named in the search",
  "offers.upsellFares": "every fare is an offer of its own",
};

const Started = z.object({ request: z.object({ method: z.string(), path: z.string() }) });
const NO_METHODS = new Set(["request", "paginatedRequest"]);
const README = new URL("../README.md", import.meta.url);
const TABLE = /<!-- client:begin -->\n([\s\S]*?)<!-- client:end -->/u;

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Every call that the client offers, as `resource.method`. */
export function listMethods(client: object, prefix = ""): string[] {
  return Object.entries(client).flatMap(([name, value]: [string, unknown]) => {
    if (name === "client" || name === "cardsClient") return [];
    if (typeof value === "function") return NO_METHODS.has(name) ? [] : [`${prefix}${name}`];
    return isObject(value) ? listMethods(value, `${prefix}${name}.`) : [];
  });
}

export function reasonNotCovered(method: string): string | undefined {
  const other = Object.entries(OTHER_PRODUCTS).find(([prefix]) => method.startsWith(prefix));
  return other?.[1] ?? NOT_BUILT[method];
}

export const Identified = z.looseObject({ id: z.string() });

/** For bodies that the client's types do not allow though the wire does, and for answers that they describe wrongly. */
export async function untyped(call: (...given: never[]) => Promise<unknown>, ...given: unknown[]) {
  const answer: unknown = await Reflect.apply(call, undefined, given);
  return z.object({ data: Identified, status: z.number() }).parse(answer);
}

export async function untypedList(call: (...given: never[]) => Promise<unknown>, ...given: unknown[]) {
  const answer: unknown = await Reflect.apply(call, undefined, given);
  return z.object({ data: z.array(Identified) }).parse(answer);
}

export async function takeFirst<Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length === count) break;
  }
  return found;
}

export function only<Item>(items: readonly Item[]): Item {
  const [first] = items;
  if (first === undefined) throw new Error("the list is empty");
  return first;
}

export class Coverage {
  readonly #rows = new Map<string, { routes: Set<string>; note: string }>();
  #current: Set<string> | undefined;
  readonly #listener = (message: unknown) => {
    const started = Started.safeParse(message);
    if (!started.success || this.#current === undefined) return;
    const { method, path } = started.data.request;
    const route = (path.split("?")[0] ?? path)
      .replaceAll(/\/[a-z]{3}_(0000[0-9A-Za-z]+|[a-z]{3}_[a-z]{2})(?=\/|$)/gu, "/{id}")
      .replace(/\/$/u, "");
    this.#current.add(`${method} ${route}`);
  };

  start(): void {
    subscribe("http.client.request.start", this.#listener);
  }

  stop(): void {
    unsubscribe("http.client.request.start", this.#listener);
  }

  /** Does one step of the walk and writes down which requests the client made in it. */
  async seen<Result>(method: string, step: () => Promise<Result>, note = ""): Promise<Result> {
    const routes = new Set<string>();
    this.#current = routes;
    try {
      return await step();
    } finally {
      this.#current = undefined;
      const before = this.#rows.get(method);
      this.#rows.set(method, { routes: before?.routes.union(routes) ?? routes, note: before?.note || note });
    }
  }

  methods(): string[] {
    return [...this.#rows.keys()].sort();
  }

  /** The table of the README. */
  table(): string {
    const rows = this.methods().map((method) => {
      const row = this.#rows.get(method);
      const routes = [...(row?.routes ?? [])].map((route) => `\`${route}\``).join(", ");
      return `| \`${method}\` | ${routes} | ${row?.note ?? ""} |\n`;
    });
    return `| Client | Route | Fault of the client itself |\n|---|---|---|\n${rows.join("")}`;
  }
}

export function tableOfReadme(): string | undefined {
  return TABLE.exec(readFileSync(README, "utf8"))?.[1];
}
