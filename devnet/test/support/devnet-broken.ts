// The development chain with another log, or another patience. The first word says which:
// - patient: what waits for an earlier transaction of its sender waits as long as a test may take.
// - forgetful: a block is mined and acknowledged long before its record is written. A check of durability must notice.
// - full: every second record finds no room on the disk.
// - mortal: everything is killed between the record's sync and the mining of its block.
import { setTimeout as delay } from "node:timers/promises";
import { readSettings } from "../../src/settings.ts";
import { startDevnet } from "../../src/start.ts";
import { LogFullError, type OpenLog, openLog } from "../../src/write-ahead-log.ts";

const LATE_MILLISECONDS = 60_000;
const PATIENT_MILLISECONDS = 600_000;

const forgetful: OpenLog = async (...place) => {
  const log = await openLog(...place);
  return {
    append(record) {
      void delay(LATE_MILLISECONDS, undefined, { ref: false }).then(() => log.append(record));
      return Promise.resolve();
    },
    close: () => log.close(),
  };
};

const mortal: OpenLog = async (...place) => {
  const log = await openLog(...place);
  return {
    async append(record) {
      await log.append(record);
      process.kill(-process.pid, "SIGKILL");
      await new Promise(() => undefined);
    },
    close: () => log.close(),
  };
};

const full: OpenLog = async (...place) => {
  const log = await openLog(...place);
  let count = 0;
  return {
    append(record) {
      count += 1;
      return count % 2 === 0 ? Promise.reject(new LogFullError("ENOSPC: no space left on device")) : log.append(record);
    },
    close: () => log.close(),
  };
};

const logs = new Map([
  ["forgetful", forgetful],
  ["full", full],
  ["mortal", mortal],
]);
const [mode = "", ...words] = process.argv.slice(2);
const running = await startDevnet(readSettings(words), {
  nowMilliseconds: Date.now,
  say: (line) => void process.stderr.write(`${line}\n`),
  openLog: logs.get(mode) ?? openLog,
  ...(mode === "patient" ? { holdMilliseconds: PATIENT_MILLISECONDS } : {}),
});
const { port, genesisHash, restored } = running;
process.stdout.write(
  `${JSON.stringify({ ready: true, port, url: `http://127.0.0.1:${port}`, genesisHash, restored })}\n`,
);
