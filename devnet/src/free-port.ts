import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export const LOOPBACK = "127.0.0.1";

// Below the range from which systems take the ports of outgoing connections.
const FIRST_PORT = 20_000;
const LAST_PORT = 32_700;
const ATTEMPTS = 200;

const isPortFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: LOOPBACK, exclusive: true }, () => probe.close(() => resolve(true)));
  });

/** A port that nobody holds at this moment: another program may take it before the caller does. */
export const findFreePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port between ${FIRST_PORT} and ${LAST_PORT} on ${LOOPBACK}: stop what holds them.`);
};
