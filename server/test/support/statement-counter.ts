import { createServer, connect as openSocket, type Socket } from "node:net";

export interface Counted {
  statements: number;
  transactions: number;
  /** In both directions. */
  bytes: number;
  /** How often each text was executed. */
  byText: ReadonlyMap<string, number>;
}

const LENGTH_BYTES = 4;
const PARSE = "P";
const BIND = "B";
const EXECUTE = "E";
const SIMPLE_QUERY = "Q";

/**
 * A proxy in front of PostgreSQL that counts statements on the wire, so that nothing in the product counts for a test or
 * bench. Databases whose name ends in `_sandbox` are those of the supplier and pass uncounted.
 */
export async function startStatementCounter(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let counts = new Map<string, number>();
  let bytes = 0;
  const sockets = new Set<Socket>();
  const count = (text: string) => counts.set(text, (counts.get(text) ?? 0) + 1);
  const server = createServer((client) => {
    const upstream = openSocket(Number(target.port), target.hostname);
    const reader = new FrontendReader(count);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk: Buffer) => {
      upstream.write(chunk);
      reader.read(chunk);
      if (reader.isCounted) bytes += chunk.length;
    });
    upstream.on("data", (chunk: Buffer) => {
      client.write(chunk);
      if (reader.isCounted) bytes += chunk.length;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(address.port);
  return {
    url: url.href,
    /** Returns what was counted since the last call. */
    take(): Counted {
      const byText = counts;
      const taken = { statements: sum(byText), transactions: byText.get("begin") ?? 0, bytes, byText };
      counts = new Map();
      bytes = 0;
      return taken;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Counts without the texts of `others`, such as those that an idle product sends too. */
export function withoutTexts({ byText, ...counted }: Counted, others: ReadonlySet<string>): Counted {
  const left = new Map([...byText].filter(([text]) => !others.has(text)));
  return { ...counted, statements: sum(left), byText: left };
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, one) => total + one, 0);

/** Reads the messages of one client. */
class FrontendReader {
  isCounted = true;
  readonly #count: (text: string) => void;
  readonly #textByName = new Map<string, string>();
  #rest: Buffer = Buffer.alloc(0);
  #hasStarted = false;
  #bound = "";

  constructor(count: (text: string) => void) {
    this.#count = count;
  }

  read(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      // The first message has no type.
      const start = this.#hasStarted ? 1 : 0;
      if (this.#rest.length < start + LENGTH_BYTES) return;
      const end = start + this.#rest.readInt32BE(start);
      if (this.#rest.length < end) return;
      const body = this.#rest.subarray(start + LENGTH_BYTES, end);
      if (this.#hasStarted) this.#readMessage(String.fromCharCode(this.#rest[0] ?? 0), body);
      else this.#readStart(body);
      this.#rest = this.#rest.subarray(end);
    }
  }

  #readStart(body: Buffer): void {
    this.#hasStarted = true;
    const fields = body.subarray(LENGTH_BYTES).toString("utf8").split("\0");
    this.isCounted = !(fields[fields.indexOf("database") + 1] ?? "").endsWith("_sandbox");
  }

  #readMessage(type: string, body: Buffer): void {
    if (!this.isCounted) return;
    if (type === SIMPLE_QUERY) this.#count(readTexts(body, 1)[0] ?? "");
    else if (type === PARSE) {
      const [name = "", text = ""] = readTexts(body, 2);
      this.#textByName.set(name, text);
    } else if (type === BIND) {
      const [, name = ""] = readTexts(body, 2);
      this.#bound = this.#textByName.get(name) ?? "";
    } else if (type === EXECUTE) this.#count(this.#bound);
  }
}

function readTexts(body: Buffer, count: number): string[] {
  const texts: string[] = [];
  let from = 0;
  for (let read = 0; read < count; read += 1) {
    const end = body.indexOf(0, from);
    texts.push(body.toString("utf8", from, end));
    from = end + 1;
  }
  return texts;
}
