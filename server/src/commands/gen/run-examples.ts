import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { startApp } from "../../compose.ts";
import type { Config } from "../../config/config.ts";
import type { RandomBytes } from "../../domain/ids.ts";
import { type Entries, type RanExample, runInOrder, type Tool } from "./run-in-order.ts";

/** The time of every example. Clocks are stopped there, so that a page never depends on when and where it is made. */
const EXAMPLE_TIME = Temporal.Instant.from("2026-06-01T09:00:00Z");
const EXAMPLE_DAY = EXAMPLE_TIME.toZonedDateTimeISO("UTC").toPlainDate();
const SEED = "examples";
/** Generous for a slow machine; tickets usually come at once. */
const TICKETS_WITHIN_MILLISECONDS = 60_000;

/** Replaces the addresses of the sandbox and the service, whose ports differ each time. */
const SUPPLIER_URL_SHOWN = "https://supplier.example";
const APP_URL_SHOWN = "https://app.example";

interface Examples {
  byTool: ReadonlyMap<string, RanExample>;
  /** The API description of that service. */
  apiDescription: string;
}

/**
 * Calls every tool with its example, over HTTP, against the whole product on the configuration's temporary database. Ids
 * determine the order: an example runs once earlier ones have given the ids that it names (`gives` of a tool).
 */
export async function runExamples(entries: Entries, config: Config): Promise<Examples> {
  const stopping = new AbortController();
  const interrupt = () => stopping.abort(new Error("Interrupted."));
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    const app = await startApp(config, {
      clock: { now: () => EXAMPLE_TIME },
      random: seededRandom(SEED),
      supplierOptions: ["--random-seed", SEED, "--stand-still-at", EXAMPLE_TIME.toString()],
      devnetOptions: ["--stand-still-at", EXAMPLE_TIME.toString()],
      signal: stopping.signal,
    });
    try {
      const facts: Facts = JSON.parse(readFileSync(join(config.dataDir, "quickstart.json"), "utf8"));
      const standIns = createStandIns();
      const byTool = await runInOrder(entries, EXAMPLE_DAY, async (tool, args) => {
        const result = await dispatch(facts, tool, args, standIns, stopping.signal);
        if (tool.effect === "spend") await letSupplierFinish(facts);
        return result;
      });
      return { byTool, apiDescription: await readApiDescription(facts) };
    } finally {
      await app.stop();
    }
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

/** The facts of the quickstart file. */
interface Facts {
  appUrl: string;
  tenantId: string;
  apiKey: string;
  supplierUrl: string;
}

/** Tickets are issued a moment after a purchase, but time does not pass while clocks are stopped. */
async function letSupplierFinish(facts: Facts): Promise<void> {
  const { supplierUrl } = facts;
  const response = await fetch(`${supplierUrl}/_sandbox/tick`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ advanceSeconds: 2 }),
  });
  if (!response.ok) throw new Error(`The supplier's clock does not move: ${response.status}`);
  const deadline = performance.now() + TICKETS_WITHIN_MILLISECONDS;
  while (await isTicketAwaited(facts)) {
    if (performance.now() > deadline) throw new Error("The supplier's word of its tickets does not come.");
    await delay(20);
  }
}

const Orders = z.object({ orders: z.array(z.object({ status: z.string(), ticketing: z.string().nullable() })) });

/** Whether the next example's answer could depend on the arrival of tickets. */
async function isTicketAwaited({ appUrl, apiKey }: Facts): Promise<boolean> {
  // Uses our own trace id: one drawn by the service would change the ids after it.
  const headers = { authorization: `Bearer ${apiKey}`, traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-00` };
  const response = await fetch(`${appUrl}/api/orders`, { headers });
  const { orders } = Orders.parse(await response.json());
  return orders.some(({ status, ticketing }) => status !== "cancelled" && ticketing === "pending");
}

async function readApiDescription({ appUrl }: Facts): Promise<string> {
  const response = await fetch(`${appUrl}/api/openapi.json`);
  if (!response.ok) throw new Error(`The API description cannot be read: ${response.status}`);
  return await response.text();
}

function seededRandom(seed: string): RandomBytes {
  let drawn = 0;
  return (length) => {
    drawn += 1;
    const digest = createHash("shake256", { outputLength: length }).update(`${seed} ${drawn}`).digest();
    return new Uint8Array(digest);
  };
}

async function dispatch(
  { appUrl, apiKey, tenantId, supplierUrl }: Facts,
  tool: Tool,
  args: object,
  standIns: StandIns,
  signal: AbortSignal,
) {
  const response = await fetch(`${appUrl}/api/agent/dispatch`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: standIns.hidden(JSON.stringify({ tenantId, tool: tool.name, args })),
    signal,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The example of ${tool.name} does not work: ${response.status} ${text}`);
  const addressed = text.replaceAll(supplierUrl, SUPPLIER_URL_SHOWN).replaceAll(appUrl, APP_URL_SHOWN);
  const shown = standIns.shown(addressed, JSON.stringify(args), tool.name);
  const answer: { result?: unknown } = JSON.parse(shown);
  return answer.result;
}

interface StandIns {
  shown(text: string, args: string, tool: string): string;
  /** Restores the real values, for a call whose arguments name them as an earlier answer has shown them. */
  hidden(text: string): string;
}

/**
 * Addresses and hashes derive from keys that are new for each chain, and so do guests' secrets. Those that the arguments do not
 * name are shown as numbers of the same form, consistently in every answer.
 */
function createStandIns(): StandIns {
  const HEX = /0x(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;
  // Background work draws its ids from the system's generator.
  const TRANSFER_ID = /(?<=\b(?:ctx|xfr)_)[0-9A-Z]{26}\b/g;
  const SECRET = /(?<=\/claim\/0x[0-9a-f]{64}#)[\w-]{43}|(?<="claimCode":")\d{6}(?=")/g;
  const shownByReal = new Map<string, string>();
  const realByShown = new Map<string, string>();
  const counts = new Map<string, number>();
  const countUp = (what: string): number => {
    const next = (counts.get(what) ?? 0) + 1;
    counts.set(what, next);
    return next;
  };
  /** Numbering restarts with each tool, so that a change in one answer does not affect the pages of others. */
  const nextHex = (tool: string): string => {
    const own = createHash("sha256").update(tool).digest("hex").slice(0, 6);
    return own + countUp(tool).toString(16).padStart(2, "0");
  };
  const show = (value: string, make: () => string): string => {
    const known = shownByReal.get(value);
    if (known !== undefined) return known;
    const shown = make();
    shownByReal.set(value, shown);
    realByShown.set(shown, value);
    return shown;
  };
  const showHex = (value: string, tool: string) =>
    show(value, () => `0x${nextHex(tool).padStart(value.length - 2, "0")}`);
  const showNumber = (value: string, what: string) =>
    show(value, () => String(countUp(what)).padStart(value.length, "0"));
  const toReal = (value: string): string => realByShown.get(value) ?? value;
  return {
    shown: (text, args, tool) =>
      text
        .replaceAll(SECRET, (value) => showNumber(value, `secret of ${value.length}`))
        .replaceAll(TRANSFER_ID, (value) => showNumber(value, "transfer"))
        .replaceAll(HEX, (value) =>
          !shownByReal.has(value) && args.toLowerCase().includes(value) ? value : showHex(value, tool),
        ),
    hidden: (text) => text.replaceAll(SECRET, toReal).replaceAll(HEX, toReal),
  };
}
