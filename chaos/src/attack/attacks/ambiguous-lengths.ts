import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { closeAll, openWire, requestHead } from "../wire.ts";

/** A refused connection is closed; on any other the attacker waits this long for more. */
const WAIT_MILLISECONDS = 3_000;

/** Ways to say two different lengths, of which a proxy before the service may believe the other one. */
const lengths: readonly (readonly string[])[] = [
  ["Content-Length: 5", "Transfer-Encoding: chunked"],
  ["Transfer-Encoding: chunked", "Content-Length: 5"],
  ["Content-Length: 5", "Content-Length: 60"],
  ["Content-Length: 5, 60"],
  ["Content-Length: +5"],
  ["Transfer-Encoding: chunked, identity"],
  ["Transfer-Encoding: identity, chunked", "Content-Length: 5"],
  ["Transfer-Encoding : chunked"],
];

/** The answers received while the attacker waits. */
async function readAnswers(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data: Buffer) => {
    text += data.toString("latin1");
  });
  socket.once("end", () => socket.end());
  await Promise.race([once(socket, "close"), delay(WAIT_MILLISECONDS)]);
  return text;
}

/** A second request hidden in the body of a first one: neither may be taken for anything but a mistake. */
export const ambiguousLengths: Attack = {
  name: "conflicting lengths",
  hosts: ["app", "edge"],
  guard: "strict-parser",
  bounds: { memoryMegabytes: 48, waitingRequests: 30 },
  async begin(target, host) {
    const hidden = requestHead("GET /healthz HTTP/1.1", "Host: attacked");
    const sockets: Socket[] = [];
    const problems = await Promise.all(
      lengths.map(async (headers) => {
        const socket = await openWire(target.urls[host]);
        sockets.push(socket);
        const answers = readAnswers(socket);
        const head = requestHead("POST /healthz HTTP/1.1", "Host: attacked", ...headers);
        socket.write(`${head}0\r\n\r\n${hidden}`);
        const statuses = (await answers).match(/HTTP\/1\.1 \d{3}/g) ?? [];
        const isRefused = statuses.length === 1 && statuses[0] === "HTTP/1.1 400";
        return isRefused ? [] : [`${headers.join(" and ")} was answered ${statuses.join(", ")}`];
      }),
    );
    return { calls: lengths.length, problems: problems.flat(), end: () => closeAll(sockets) };
  },
};
