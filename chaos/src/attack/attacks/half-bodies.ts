import { privateKeyToAccount } from "viem/accounts";
import { createHistory } from "../../history.ts";
import { createBuyer } from "../../paid/buyer.ts";
import { authorize, paymentHeader } from "../../paid/wallets.ts";
import type { Attack } from "../attack.ts";
import type { Host, Target } from "../target.ts";
import { closeAll, isTaken, openWires, pour, requestHead } from "../wire.ts";

const BODIES = 400;
/** The attack is after memory: it does not hold up others by coming all at once. */
const AT_ONCE = 40;
const EVENT_BYTES = 1024 * 1024;
const CALL_BYTES = 180_000;
const TOOL = "search_flights";
/** Concurrent calls by other clients. */
const OTHERS = 30;

interface HalfBodies {
  path: string;
  headers: readonly string[];
  bytes: number;
}

/** Bodies without their last byte, each from a different address. */
async function pourHalf(target: Target, host: Host, { path, headers, bytes }: HalfBodies) {
  const sockets = await openWires(target.urls[host], BODIES, AT_ONCE);
  const body = Buffer.alloc(bytes - 1, " ");
  let next = 0;
  async function pourOneByOne(): Promise<void> {
    for (let index = next++; index < BODIES; index = next++) {
      const socket = sockets[index]?.resume();
      if (socket === undefined) continue;
      socket.once("end", () => socket.destroy());
      const from = `2001:db8:${index.toString(16)}:1::1`;
      const lines = [`POST ${path} HTTP/1.1`, "Host: localhost", `X-Forwarded-For: ${from}`];
      socket.write(requestHead(...lines, "Content-Type: application/json", ...headers, `Content-Length: ${bytes}`));
      await pour(socket, body);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, pourOneByOne));
  await isTaken(target, sockets);
  return { calls: BODIES, problems: [], end: () => closeAll(sockets) };
}

/** Without a key: events of the supplier and payments are known for what they are only once they are whole. */
export const halfBodiesOfStrangers: Attack = {
  name: "half bodies of strangers",
  hosts: ["app", "edge"],
  guard: "body-room",
  bounds: { memoryMegabytes: 48, memoryAt: "held", waitingRequests: BODIES + OTHERS },
  async begin(target, host) {
    if (host === "app") {
      const signature = `X-Duffel-Signature: t=${Math.floor(Date.now() / 1_000)},v1=${"0".repeat(64)}`;
      const event = { path: "/api/webhooks/supplier", headers: [signature], bytes: EVENT_BYTES };
      return await pourHalf(target, host, event);
    }
    const { urls, apiKey, payerKey } = target;
    const terms = await createBuyer({ edgeUrls: [urls.edge], apiKey, history: createHistory() }).terms(TOOL, false);
    const signed = paymentHeader(terms, await authorize(privateKeyToAccount(payerKey), terms));
    const call = { path: `/tools/${TOOL}`, headers: [`Payment-Signature: ${signed}`], bytes: CALL_BYTES };
    return await pourHalf(target, host, call);
  },
};

export const halfBodiesWithKey: Attack = {
  name: "half bodies with a key",
  hosts: ["app", "edge"],
  guard: "body-room",
  bounds: { memoryMegabytes: 32, memoryAt: "held", waitingRequests: BODIES + OTHERS },
  begin: (target, host) =>
    pourHalf(target, host, {
      path: host === "app" ? "/api/mcp" : "/mcp",
      headers: [`Authorization: Bearer ${target.apiKey}`],
      bytes: CALL_BYTES,
    }),
};
