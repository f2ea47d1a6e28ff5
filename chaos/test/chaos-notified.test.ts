import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calls } from "../src/calls/index.ts";
import { chain } from "../src/chain/index.ts";
import { channels } from "../src/channels/index.ts";
import { conversationModel, conversationRules } from "../src/conversation/index.ts";
import { crosschain } from "../src/crosschain/index.ts";
import { disruption } from "../src/disruption/index.ts";
import { escrow } from "../src/escrow/index.ts";
import { withoutSource } from "../src/guards/sources.ts";
import { listMoves } from "../src/nemesis.ts";
import { servicing } from "../src/servicing/index.ts";
import { workflows } from "../src/workflows/index.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DYING = new URL("../src/die-when-notified.ts", import.meta.url).href;

/** A process that hears of `run` at a signal, and says so once it has begun the work. */
const PROCESS = `
  import { dieWhenNotified } from ${JSON.stringify(DYING)};
  const heard = new Map();
  const news = dieWhenNotified({ on: (topic, tell) => heard.set(topic, tell) });
  news.on("run", () => process.send("works"));
  process.on("message", () => process.send("armed"));
  process.on("SIGUSR2", () => heard.get("run")(""));
  setInterval(() => undefined, 1_000);
  process.send("ready");
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chaos-notified-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function startProcess() {
  const file = join(folder, "process.mjs");
  writeFileSync(file, PROCESS);
  const child = fork(pathToFileURL(file), { stdio: "ignore" });
  await once(child, "message");
  return {
    child,
    async notify(topic: string) {
      child.send(topic);
      await once(child, "message");
      child.kill("SIGUSR2");
      return await Promise.race([once(child, "close"), once(child, "message")]);
    },
  };
}

test("a process dies between a notification and its work", async () => {
  const { notify } = await startProcess();
  expect(await notify("run")).toEqual([null, "SIGKILL"]);
});

test("a notification about something else, and one after the harness has taken that back, kill nobody", async () => {
  const { child, notify } = await startProcess();
  for (const topic of ["message", ""]) expect((await notify(topic))[0]).toBe("works");
  child.kill("SIGKILL");
  await once(child, "close");
});

test("each topic of an area is a move of every round", () => {
  for (const { parts, notifications } of [
    chain,
    escrow,
    servicing,
    workflows,
    channels,
    conversationRules,
    conversationModel,
  ]) {
    const topics = listMoves(parts, notifications).flatMap(({ notifiedOf = [] }) => notifiedOf);
    expect(topics).toEqual(notifications);
    expect(topics.length).toBeGreaterThan(0);
  }
});

describe.each(Object.entries(withoutSource))("the guard %s of the source", (name, replacements) => {
  test("stands where it is taken away", () => {
    expect(replacements.length).toBeGreaterThan(0);
    for (const { file, from, to } of replacements) {
      expect(readFileSync(join(ROOT, file), "utf8").split(from), file).toHaveLength(2);
      expect(to).not.toBe(from);
    }
  });

  test("is one of an area's", () => {
    expect(
      [calls, chain, crosschain, channels, conversationRules, conversationModel, disruption].flatMap(
        ({ guards }) => guards,
      ),
    ).toContain(name);
  });
});
