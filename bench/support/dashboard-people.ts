import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { createOperator } from "../../server/src/commands/open-database.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { openVault } from "../../server/src/outside/vault.ts";
import { openDatabase } from "../../server/src/platform/database/database.ts";
import { systemClock } from "../../server/src/ports/clock.ts";
import { BrowserLike } from "../../server/test/support/browser-like.ts";
import { readOwnCpuSeconds } from "./cpu-seconds.ts";

interface PeopleOptions {
  page: Page;
  /** One for each person; the page has the first. */
  sessions: readonly [Session, ...Session[]];
  /** The service's process. */
  pid: number;
}

interface Session {
  appUrl: string;
  headers: Readonly<Record<string, string>>;
}

interface SignInOptions {
  dataDir: string;
  tenantId: string;
  session: Session;
  people: number;
}

/** Sessions of as many people as look at live pages: those of one person share a key, which has few waits. */
export async function signInPeople({ dataDir, tenantId, session, people }: SignInOptions): Promise<Session[]> {
  const config = readConfig({ ...process.env, DATA_DIR: dataDir, PORT: "0", EDGE_PORT: "0" });
  const database = openDatabase(config.databaseUrl ?? "", { poolSize: 2, onError: () => undefined });
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const opened = { ...database, vault: await openVault(config), clock: systemClock };
  const operator = createOperator({ ...opened, databaseUrl: config.databaseUrl ?? "" }, config, silent);
  try {
    const owner = { tenantId, environment: "sandbox" } as const;
    const sessions: Session[] = [];
    while (sessions.length < people) {
      const id = `user_watcher_${sessions.length}`;
      const person = { id, name: "Watcher", email: `${id}@example.com`, roles: ["auditor" as const] };
      await operator.persons.add(owner, person, "bench");
      const link = await operator.signInLinks.create(
        { ...owner, personId: id },
        { kind: "sign_in", provesAddress: true, lifeHours: 1 },
      );
      const browser = new BrowserLike(session);
      await browser.submit(link, await browser.send(link));
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      sessions.push({ ...session, headers: { ...session.headers, cookie } });
    }
    return sessions;
  } finally {
    await operator.close();
    await database.close();
  }
}

const WATCHED_MILLISECONDS = 45_000;
const SETTLE_MILLISECONDS = 30_000;
const MEASURED_SECONDS = 60;

/** A request that a live page makes by itself, and how often. */
interface Asked {
  path: string;
  everyMilliseconds: number;
}

/** Watches one page that nobody touches, and then measures the service while so many do the same. */
export async function measurePeople({ page, sessions, pid }: PeopleOptions) {
  const asked = await watchLivePage(page, sessions[0].appUrl);
  const before = await measureWhile(pid, MEASURED_SECONDS);
  const stop = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const counted = { answers: 0 };
  const all = sessions.map((session, index) =>
    actAsPage({ asked, session, agent, counted, signal: stop.signal, startAfter: (index / sessions.length) * 15_000 }),
  );
  await delay(SETTLE_MILLISECONDS);
  const answersBefore = counted.answers;
  const during = await measureWhile(pid, MEASURED_SECONDS);
  const answers = counted.answers - answersBefore;
  stop.abort();
  agent.destroy();
  await Promise.allSettled(all);
  return {
    asks: asked.map(({ path, everyMilliseconds }) => `${path} every ${Math.round(everyMilliseconds / 1_000)} s`),
    megabytes: during.megabytes - before.megabytes,
    percent: during.percent - before.percent,
    answers,
    seconds: MEASURED_SECONDS,
  };
}

async function watchLivePage(page: Page, appUrl: string): Promise<readonly Asked[]> {
  await page.goto(`${appUrl}/dashboard/trips`);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  const times = new Map<string, number[]>();
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith("/api/")) return;
    const path = pathname === "/api/events" ? pathname : pathname + search;
    times.set(path, [...(times.get(path) ?? []), performance.now()]);
  });
  await delay(WATCHED_MILLISECONDS);
  return [...times].map(([path, at]) => ({ path, everyMilliseconds: WATCHED_MILLISECONDS / at.length }));
}

interface ActOptions {
  session: Session;
  asked: readonly Asked[];
  agent: Agent;
  counted: { answers: number };
  signal: AbortSignal;
  startAfter: number;
}

async function actAsPage({ asked, session, agent, counted, signal, startAfter }: ActOptions): Promise<void> {
  const ask = async (path: string): Promise<string> => {
    const text = await read(session.appUrl + path, { headers: session.headers, agent, signal });
    counted.answers += 1;
    return text;
  };
  await delay(startAfter, undefined, { signal });
  await Promise.all(
    asked.map(async ({ path, everyMilliseconds }) => {
      if (path === "/api/events") return await follow(ask, signal);
      while (!signal.aborted) {
        await ask(path);
        await delay(everyMilliseconds, undefined, { signal });
      }
    }),
  );
}

/** As `dashboard/src/live.ts` does. */
async function follow(ask: (path: string) => Promise<string>, signal: AbortSignal): Promise<void> {
  let after = "end";
  while (!signal.aborted) {
    const begun = performance.now();
    const text = await ask(`/api/events?after=${encodeURIComponent(after)}&wait=${after === "end" ? 0 : 20}`);
    const answer: { cursor?: string; events?: unknown[] } = JSON.parse(text);
    const isAtOnce = after !== "end" && answer.events?.length === 0 && performance.now() - begun < 5_000;
    after = answer.cursor ?? after;
    if (isAtOnce) await delay(5_000, undefined, { signal });
  }
}

function read(url: string, options: { headers: Readonly<Record<string, string>>; agent: Agent; signal: AbortSignal }) {
  return new Promise<string>((resolve, reject) => {
    const request = get(url, { ...options, headers: { ...options.headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}

async function measureWhile(pid: number, seconds: number): Promise<{ percent: number; megabytes: number }> {
  const begun = readOwnCpuSeconds(pid);
  const sizes: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    await delay(1_000);
    sizes.push(readMegabytes(pid));
  }
  const percent = ((readOwnCpuSeconds(pid) - begun) / seconds) * 100;
  return { percent, megabytes: sizes.toSorted((one, other) => one - other)[Math.floor(sizes.length / 2)] ?? 0 };
}

function readMegabytes(pid: number): number {
  const size = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(size) / 1_024;
}
