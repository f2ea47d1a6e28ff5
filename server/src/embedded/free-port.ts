import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { EmbeddedError } from "./embedded-error.ts";

export const LOOPBACK = "127.0.0.1";

// Below the range for outgoing connections: a remembered port in that range could be taken by any connection just when its part
// restarts.
const FIRST_PORT = 20_000;
const LAST_PORT = 32_700;

export const isPortFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: LOOPBACK, exclusive: true }, () => probe.close(() => resolve(true)));
  });

export const findFreePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isPortFree(port)) return port;
  }
  throw new EmbeddedError(
    `No free port between ${FIRST_PORT} and ${LAST_PORT} on ${LOOPBACK}: stop what is using them.`,
  );
};
