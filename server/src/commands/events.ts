import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { readConfig } from "../config/config.ts";
import { systemRandom } from "../domain/ids.ts";
import { newSecret, signEvent } from "../modules/events/index.ts";
import { type Command, type Program, runProgram, UsageError } from "./command-line.ts";

interface Listening {
  /** Prints a line. */
  say(line: string): void;
  warn(line: string): void;
  signal: AbortSignal;
}

const WAIT_SECONDS = 25;
const RETRY_MILLISECONDS = 2_000;

const Quickstart = z.object({ appUrl: z.string(), apiKey: z.string() });
const Page = z.object({
  events: z.array(
    z.object({ id: z.string(), type: z.string(), timestamp: z.string(), data: z.record(z.string(), z.unknown()) }),
  ),
  cursor: z.string(),
});
type Event = z.infer<typeof Page>["events"][number];

const listen: Command<Listening> = {
  name: "listen",
  summary:
    "Print events as they happen, until Ctrl-C. With --forward, also send each to a program on this machine, signed.",
  usage: "[--key <ak_...>] [--url <address of Wayfare>] [--types <type,...>] [--after <cursor>] [--forward <url>]",
  positionals: [],
  options: {
    key: { type: "string" },
    url: { type: "string" },
    types: { type: "string" },
    after: { type: "string" },
    forward: { type: "string" },
  },
  prepare(args) {
    const forward = args.text("forward");
    if (forward !== undefined && URL.parse(forward) === null) throw new UsageError("--forward must be a URL.");
    const { key, url } = readPlace(args.text("key"), args.text("url"));
    const secret = newSecret(systemRandom);
    return async (listening) => {
      const { say, signal } = listening;
      say(`Listening at ${url}. Press Ctrl-C to stop.`);
      if (forward !== undefined) say(`Sending to ${forward}, signed with ${secret}`);
      let cursor = args.text("after") ?? "end";
      let count = 0;
      while (!signal.aborted) {
        const query = new URLSearchParams({ after: cursor, wait: String(WAIT_SECONDS) });
        const types = args.text("types");
        if (types !== undefined) query.set("types", types);
        const page = await readPage(`${url}/api/events?${query}`, key, listening);
        if (page === undefined) continue;
        for (const event of page.events) {
          say(`${event.timestamp} ${event.type} ${JSON.stringify(event.data)}`);
          if (forward !== undefined) await forwardEvent(forward, event, secret, listening);
        }
        count += page.events.length;
        cursor = page.cursor;
      }
      return { text: `${count} events. To continue later: --after ${cursor}`, json: { count, cursor } };
    };
  },
};

/** The demo tenant of this folder's product, unless a key is given. */
function readPlace(key: string | undefined, url: string | undefined): { key: string; url: string } {
  if (key !== undefined && url !== undefined) return { key, url };
  try {
    const { dataDir } = readConfig(process.env);
    const quickstart = Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8")));
    return { key: key ?? quickstart.apiKey, url: url ?? quickstart.appUrl };
  } catch {
    throw new UsageError(
      "There is no quickstart.json here. Start the service in this folder, or give --key and --url.",
    );
  }
}

/** Undefined: it could not be read now. Throws if it never can. */
async function readPage(url: string, key: string, { warn, signal }: Listening) {
  try {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal });
    if (response.ok) return Page.parse(await response.json());
    const text = await response.text();
    if (response.status !== 429 && response.status < 500)
      throw new UsageError(`Wayfare answered ${response.status}: ${text}`);
    warn(`Wayfare answered ${response.status}; trying again.`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!signal.aborted)
      warn(`Wayfare cannot be reached; trying again. (${error instanceof Error ? error.message : ""})`);
  }
  await delay(RETRY_MILLISECONDS, undefined, { signal }).catch(() => undefined);
  return undefined;
}

async function forwardEvent(
  url: string,
  { id, ...event }: Event,
  secret: string,
  { say, warn }: Listening,
): Promise<void> {
  const body = JSON.stringify(event);
  const headers = signEvent({ id, seconds: Math.floor(Date.now() / 1_000), body }, [secret]);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "manual",
    });
    say(`  ${url} answered ${response.status}`);
  } catch {
    warn(`  ${url} could not be reached`);
  }
}

const eventsProgram: Program<Listening> = {
  name: "events",
  summary: "Watches a tenant's events through the API.",
  commands: [listen],
  notes: ["Without --key, it uses the demo tenant of the service that was started in this folder."],
};

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
const say = (line: string) => void process.stdout.write(`${line}\n`);
const warn = (line: string) => void process.stderr.write(`${line}\n`);
const output = {
  out: (text: string) => void process.stdout.write(text),
  error: (text: string) => void process.stderr.write(text),
};
process.exitCode = await runProgram(eventsProgram, process.argv.slice(2), output, (work) =>
  work({ say, warn, signal: stop.signal }),
);
