import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export const LOOPBACK = "127.0.0.1";

/** Where a node listens. */
export interface NodeAddress {
  host: string;
  port: number;
}

/**
 * The node answers under every name, so a page whose name was made to point at this machine (DNS rebinding) could command it.
 * Browsers connect to none of these ports: the Fetch standard blocks them ("bad port"). They need no privileges.
 */
const PORTS_BLOCKED_BY_BROWSERS = [
  ...[1719, 1720, 1723, 3659, 4045, 4190, 5060, 5061, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
];
const ATTEMPTS = 200;

/** Undefined: it can be listened on. */
function whyTaken({ host, port }: NodeAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

/**
 * An address that nobody holds at this moment: another program may take it before the caller does. Its host is drawn by lot where all of
 * 127.0.0.0/8 is this machine, as on Linux: then many chains find a port, and a page cannot guess where they are. Elsewhere it is
 * 127.0.0.1.
 */
export async function findNodeAddress(): Promise<NodeAddress> {
  let hasOnlyOne = false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const host = hasOnlyOne ? LOOPBACK : `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
    const port = PORTS_BLOCKED_BY_BROWSERS[randomInt(PORTS_BLOCKED_BY_BROWSERS.length)] ?? 0;
    const why = await whyTaken({ host, port });
    if (why === undefined) return { host, port };
    hasOnlyOne ||= why === "EADDRNOTAVAIL";
  }
  throw new Error(
    `The chain's node needs one of the ports ${PORTS_BLOCKED_BY_BROWSERS.join(", ")} of a loopback address, and all are taken: stop a program that holds one.`,
  );
}
