#!/usr/bin/env node
import { Bridge } from "./bridge.mjs";
import { readSettings, SettingsError } from "./settings.mjs";
import { splitLines } from "./split-lines.mjs";

/** Standard output carries the protocol and nothing else. */
async function main() {
  const settings = readSettings(process.argv.slice(2), process.env);
  const bridge = new Bridge({ ...settings, write: (line) => process.stdout.write(`${line}\n`) });
  /** @type {Set<Promise<void>>} */
  const running = new Set();
  for await (const line of splitLines(process.stdin)) {
    if (line.trim() === "") continue;
    const work = bridge.forward(line).finally(() => running.delete(work));
    running.add(work);
  }
  bridge.endSubscriptions();
  await Promise.all(running);
}

// The client has gone: nobody reads what is still to come.
process.stdout.on("error", () => process.exit(0));

try {
  await main();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(error.message);
  process.exitCode = 2;
}
