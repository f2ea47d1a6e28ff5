import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { readConfig } from "../../config/config.ts";
import { connectionLimits, readOpenFilesLimit } from "./connections.ts";

/** Limits on connections and their refusals, by raw sockets. */

const OF_ADDRESS = 5;
const PICTURES = 4;
let service: TestService;
const opened: Socket[] = [];

beforeAll(async () => {
  service = await startTestService({
    CONNECTIONS_PER_ADDRESS: String(OF_ADDRESS),
    PHOTOS_PER_MINUTE: String(PICTURES),
    TRUSTED_PROXIES: "127.0.0.1",
  });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((socket) => socket.closed || once(socket.destroy(), "close")));
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function open(localAddress: string, url = service.appUrl): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port), localAddress });
  opened.push(socket.on("error", () => undefined).resume());
  await once(socket, "connect");
  return socket;
}

const isOpen = async (socket: Socket): Promise<boolean> => {
  if (socket.closed) return false;
  return await new Promise((resolve) => {
    socket.once("data", () => resolve(true)).once("close", () => resolve(false));
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  });
};

it("an address has a limited number of connections to each host, others have their own, and a trusted proxy has more", async () => {
  for (const url of [service.appUrl, service.edgeUrl]) {
    const own = await Promise.all(Array.from({ length: 2 * OF_ADDRESS }, () => open("127.0.0.2", url)));
    const alive = await Promise.all(own.map(isOpen));
    expect(alive.filter(Boolean)).toHaveLength(OF_ADDRESS);
    expect(await isOpen(await open("127.0.0.3", url))).toBe(true);
    const proxied = await Promise.all(Array.from({ length: 2 * OF_ADDRESS }, () => open("127.0.0.1", url)));
    expect(await Promise.all(proxied.map(isOpen))).toEqual(Array(2 * OF_ADDRESS).fill(true));
    // A closed connection makes room for another.
    for (const socket of own) socket.destroy();
    await expect.poll(async () => isOpen(await open("127.0.0.2", url))).toBe(true);
  }
});

it("descriptors are left for other purposes, and connections for other addresses, whatever the limit of open files is", () => {
  expect(connectionLimits(1_024, 2, 512)).toEqual({ most: 384, mostOfAddress: 96 });
  expect(connectionLimits(1_048_576, 2, 512)).toMatchObject({ mostOfAddress: 512 });
  expect(connectionLimits(64, 2, 512).mostOfAddress).toBeGreaterThan(0);
  expect(readOpenFilesLimit()).toBeGreaterThan(64);
});

it.each([
  ["two hosts", ["GET /healthz HTTP/1.1", "Host: a", "Host: b"]],
  ["the same host twice", ["GET /healthz HTTP/1.1", "host: a", "HOST: a"]],
  ["chunks over HTTP/1.0", ["POST /healthz HTTP/1.0", "Host: a", "Transfer-Encoding: chunked"]],
])("a request with %s is answered 400 and its connection closed", async (_name, head) => {
  for (const url of [service.appUrl, service.edgeUrl]) {
    const socket = await open("127.0.0.1", url);
    const answer = once(socket, "data");
    socket.write(`${head.join("\r\n")}\r\n\r\n0\r\n\r\n`);
    expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_input"/s);
    if (!socket.closed) await once(socket, "close");
  }
});

const Found = z.object({ accommodations: z.array(z.object({ photos: z.array(z.string()) })) });

it("a picture is cached by its client, and an address may load a limited number a minute", async () => {
  const day = Temporal.Now.plainDateISO("UTC").add({ days: 40 });
  const stay = { checkInDate: day.toString(), checkOutDate: day.add({ days: 2 }).toString() };
  const { body } = await service.call("search_hotels", { ...stay, location: "London" });
  const [url = ""] = Found.parse(body.result).accommodations.flatMap(({ photos }) => photos);
  const load = (headers: Record<string, string>) => fetch(url, { headers });
  const first = await load({ "x-forwarded-for": "198.51.100.1" });
  expect(first.status).toBe(200);
  expect(first.headers.get("cache-control")).toContain("max-age=");
  const etag = first.headers.get("etag") ?? "";
  const again = await load({ "x-forwarded-for": "198.51.100.1", "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  const statuses = [];
  for (let time = 0; time < PICTURES; time += 1) {
    statuses.push((await load({ "x-forwarded-for": "198.51.100.1" })).status);
  }
  expect(statuses).toEqual([...Array(PICTURES - 2).fill(200), 429, 429]);
  expect((await load({ "x-forwarded-for": "198.51.100.2" })).status).toBe(200);
});

const production = {
  NETWORK_MODE: "production",
  SUPPLIER_URL: "https://supplier.example",
  SUPPLIER_TOKEN: "token",
  CHAIN_RPC_URL: "https://chain.example",
  CHAIN_USDC: `0x${"1".repeat(40)}`,
  CHAIN_RELAYER_KEY_FILE: "/relayer",
  MASTER_KEY_FILE: "/master",
};

it.each([
  ["TRUSTED_PROXIES", "0.0.0.0/0"],
  ["TRUSTED_PROXIES", "10.0.0.1, ::/0"],
  ["TRUSTED_PROXIES", "128.0.0.0/1"],
  ["LINK_ORIGINS", "http://trips.example.com"],
])("production does not start with %s=%s; the sandbox does", (name, value) => {
  expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
  expect(() => readConfig({ [name]: value })).not.toThrow();
});

it("production starts with proxies of its own networks and with pages over https", () => {
  const good = { TRUSTED_PROXIES: "10.0.0.0/8, fc00::/7", LINK_ORIGINS: "https://a.example, http://localhost:8080" };
  expect(() => readConfig({ ...production, ...good })).not.toThrow();
});
