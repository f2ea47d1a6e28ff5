// Whatever was answered is there after the worst: kill -9 of the process, and a database that goes away and comes back.
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";
import { type RunningSandbox, request, startSandboxProcess, stopLeftovers } from "./start.ts";
import {
  checkLedgerAddsUp,
  getOrder,
  hold,
  ledger,
  Offer,
  orderBody,
  parseData,
  parseError,
  pay,
  pickOffer,
  tick,
} from "./supplier.ts";

// Every test starts the sandbox, most of them more than once, which takes its time on a machine that is slow.
vi.setConfig({ testTimeout: 240_000 });

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await stopLeftovers();
  await database?.drop();
});

/** Stands between the sandbox and its database, and can take the database away. */
async function startProxy(target: URL) {
  let port = 0;
  const open = new Set<Socket>();
  let server: Server | undefined;
  let loseCommit = false;
  async function restore() {
    server = createServer((client) => {
      const upstream = createConnection(Number(target.port || 5432), target.hostname);
      for (const socket of [client, upstream]) {
        open.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          open.delete(socket);
          client.destroy();
          upstream.destroy();
        });
      }
      let lost = false;
      client.on("data", (bytes) => {
        if (loseCommit && bytes.includes("COMMIT")) {
          lost = true;
          loseCommit = false;
        }
        upstream.write(bytes);
      });
      upstream.on("data", (bytes) => (lost ? client.destroy() : client.write(bytes)));
    });
    const listening = server;
    await new Promise<void>((resolve) => listening.listen(port, "127.0.0.1", resolve));
    const address = listening.address();
    port = typeof address === "object" && address !== null ? address.port : port;
  }
  async function cut() {
    const closing = server;
    const closed = new Promise<void>((resolve) => (closing === undefined ? resolve() : closing.close(() => resolve())));
    for (const socket of open) socket.destroy();
    await closed;
  }
  await restore();
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  /** The next commit is done, and its answer never arrives. */
  const loseNextCommit = () => {
    loseCommit = true;
  };
  return { url: url.toString(), cut, restore, loseNextCommit };
}

test("orders and payments acknowledged in a storm survive kill -9; what was on its way is whole or absent", async () => {
  let running: RunningSandbox = await startSandboxProcess(database.url);
  const acknowledged = { orders: new Set<string>(), payments: new Set<string>() };
  for (let round = 0; round < 3; round += 1) {
    const offer = await pickOffer(running);
    let stop = false;
    const workers = Array.from({ length: 6 }, async () => {
      while (!stop) {
        try {
          const order = await hold(running, offer, { metadata: { round: String(round) } });
          acknowledged.orders.add(order.id);
          acknowledged.payments.add((await pay(running, order)).id);
        } catch {
          // Not acknowledged: nothing is promised of it.
        }
      }
    });
    const wanted = acknowledged.orders.size + 12;
    await vi.waitFor(() => expect(acknowledged.orders.size).toBeGreaterThan(wanted), { timeout: 60_000, interval: 5 });
    await running.stop("SIGKILL");
    stop = true;
    await Promise.all(workers);
    running = await startSandboxProcess(database.url);
    const books = await ledger(running);
    const orders = new Set(books.orders.map((order) => order.id));
    const payments = new Set(books.payments.map((payment) => payment.id));
    for (const id of acknowledged.orders) expect(orders).toContain(id);
    for (const id of acknowledged.payments) expect(payments).toContain(id);
    checkLedgerAddsUp(books);
  }
  const [last] = [...acknowledged.orders].slice(-1);
  await running.stop();
  expect(last).toBeDefined();
});

test("offers and searches are found again after a restart, and tickets still come", async () => {
  let running = await startSandboxProcess(database.url);
  const offer = await pickOffer(running);
  const held = await hold(running, offer);
  await pay(running, held);
  await running.stop("SIGKILL");
  running = await startSandboxProcess(database.url);
  expect(parseData(await running.call("GET", `/air/offers/${offer.id}`), Offer)).toEqual(offer);
  await vi.waitFor(async () => expect((await getOrder(running, held.id)).documents).toHaveLength(1), {
    timeout: 90_000,
    interval: 50,
  });
  await running.stop();
});

test("searches are forgotten a day after they expired, orders are not", async () => {
  const running = await startSandboxProcess(database.url);
  const offer = await pickOffer(running);
  const held = await hold(running, offer);
  await tick(running, 23 * 3600);
  expect(parseError(await running.call("GET", `/air/offers/${offer.id}`))).toMatchObject({
    code: "offer_no_longer_available",
  });
  await tick(running, 3 * 3600);
  await running.stop();
  const again = await startSandboxProcess(database.url);
  expect(parseError(await again.call("GET", `/air/offers/${offer.id}`))).toMatchObject({ code: "not_found" });
  expect((await getOrder(again, held.id)).slices.length).toBe(1);
  await again.stop();
});

test("without its database the sandbox answers 503 and lives; with it again it goes on", async () => {
  const proxy = await startProxy(new URL(database.url));
  const running = await startSandboxProcess(proxy.url);
  const offer = await pickOffer(running);
  const health = async () => (await request(`${running.url}/healthz`, {})).status;
  expect(await health()).toBe(200);
  await proxy.cut();
  await vi.waitFor(async () => expect(await health()).toBe(503), { timeout: 90_000, interval: 50 });
  expect(parseError(await running.call("POST", "/air/orders", orderBody(offer)))).toMatchObject({
    status: 503,
    type: "api_error",
  });
  await proxy.restore();
  await vi.waitFor(async () => expect(await health()).toBe(200), { timeout: 90_000, interval: 50 });
  const held = await hold(running, offer);
  await pay(running, held);
  await vi.waitFor(async () => expect((await getOrder(running, held.id)).documents).toHaveLength(1), {
    timeout: 90_000,
    interval: 50,
  });
  expect((await ledger(running)).orders.filter((order) => order.offer_id === offer.id)).toHaveLength(1);
  expect(await running.stop()).toBe(0);
  await proxy.cut();
});

test("a commit whose answer is lost is never called a refusal", async () => {
  const proxy = await startProxy(new URL(database.url));
  const running = await startSandboxProcess(proxy.url);
  const offer = await pickOffer(running);
  const paid = async () => (await ledger(running)).orders.filter((order) => order.offer_id === offer.id).length;
  expect(await paid()).toBe(0);
  // The workers commit too, and may be the ones who lose their answer: then it is tried again.
  let answer = 201;
  while (answer === 201) {
    proxy.loseNextCommit();
    answer = (await running.call("POST", "/air/orders", orderBody(offer))).status;
  }
  expect(answer).toBe(500);
  await vi.waitFor(async () => expect(await paid()).toBeGreaterThan(0), { timeout: 90_000, interval: 50 });
  await running.stop();
  await proxy.cut();
});

test("SIGTERM ends it with 0, and so it does while an answer is held back", async () => {
  const running = await startSandboxProcess(database.url);
  await running.control("POST", "/_sandbox/scenarios", { match: { path: "/air/airlines" }, fault: "timeout" });
  const asked = running.call("GET", "/air/airlines");
  const refused = expect(asked).rejects.toThrow();
  await expect.poll(async () => (await running.control("GET", "/_sandbox/scenarios")).body).toEqual({ scenarios: [] });
  expect(await running.stop()).toBe(0);
  await refused;
});
