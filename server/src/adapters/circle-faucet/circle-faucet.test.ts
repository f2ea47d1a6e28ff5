import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHttpClient } from "../../platform/http-client/http-client.ts";
import { createCircleFaucet } from "./index.ts";

/** The wire's faults that take time. `modules/faucet` tests the others through the tool. */
let server: Server;
let url: string;
const http = createHttpClient();
beforeAll(async () => {
  // It reads requests, and never answers.
  server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("it does not listen");
  url = `http://127.0.0.1:${address.port}`;
});
afterAll(() => {
  http.close();
  server.closeAllConnections();
  server.close();
});

const gift = { address: "0x00000000000000000000000000000000000a11ce", blockchain: "AVAX-FUJI", token: "USDC" } as const;

it("knows nothing of a request without an answer, and that one without a connection was not sent", async () => {
  const asked = (to: string) =>
    createCircleFaucet({ url: to, apiKey: "key", http, timeoutMilliseconds: 100 }).give(gift);
  expect(await asked(url)).toMatchObject({ kind: "unknown", cause: { problem: "timeout" } });
  expect(await asked("http://127.0.0.1:9")).toMatchObject({ kind: "not_sent" });
});
