import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findFreePort, LOOPBACK } from "./free-port.ts";
import { closeProgram, startProgram } from "./http-part.ts";
import { isAlive } from "./process-identity.ts";

/** Listens on the given port like a part, but loads for so long that another program on that port answers first. */
const PROGRAM = `
  const { createServer } = require("node:http");
  const server = createServer((_request, response) => response.end("ours"));
  server.on("error", (error) => {
    process.stderr.write(\`error: \${error.message}\\n\`);
    process.exit(1);
  });
  setTimeout(() => {
    server.listen(Number(process.argv[2]), "${LOOPBACK}", () => process.stdout.write('{"ready":true}\\n'));
  }, 300);
`;

let folder: string;
let stranger: Server;
let takenPort: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "wayfare http part "));
  writeFileSync(join(folder, "program.cjs"), PROGRAM);
  stranger = createServer((_request, response) => response.end("a stranger's"));
  takenPort = await findFreePort();
  await new Promise<void>((resolve) => stranger.listen(takenPort, LOOPBACK, resolve));
});
afterEach(async () => {
  stranger.closeAllConnections();
  await new Promise((resolve) => stranger.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const start = (movePort: (() => Promise<number>) | undefined) =>
  startProgram(
    {
      title: "The program",
      logPath: join(folder, "program.log"),
      words: (port) => [join(folder, "program.cjs"), String(port)],
      port: takenPort,
      movePort,
    },
    { started: () => undefined, signal: new AbortController().signal },
  );

test("a port that is taken before the program listens is exchanged for another one", async () => {
  const running = await start(findFreePort);
  expect(running.port).not.toBe(takenPort);
  expect(isAlive(running)).toBe(true);
  expect(await (await fetch(`${running.url}/healthz`)).text()).toBe("ours");
  await closeProgram(running);
});

test("a program with a fixed port does not start on a taken one, and the stranger there does not pass for it", async () => {
  await expect(start(undefined)).rejects.toThrow(/The program does not start \(.*EADDRINUSE/);
});
