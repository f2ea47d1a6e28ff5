import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { createClient, isGenuine } from "../src/index.ts";
import { scriptService } from "./scripted-service.ts";

const SECRET = "sgs_secret";
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

const sign = (body: string, { secret = SECRET, traceId = TRACE_ID, at = Date.now() } = {}): string => {
  const seconds = Math.floor(at / 1000);
  const mac = createHmac("sha256", secret).update(`${seconds}.${traceId}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
};

const HOUR = 3_600_000;
const BODY = '{"ok":true,"result":{"name":"Zürich"},"latencyMs":1,"priceMicroUsdc":"500"}';

it("accepts what the secret signed for this trace lately, and nothing else", async () => {
  const check = (signature: string, body = BODY, options = {}) =>
    isGenuine({ signature, traceId: TRACE_ID, body }, SECRET, options);
  expect(await check(sign(BODY))).toBe(true);
  expect(await check(sign(BODY), BODY.replace("Z", "z"))).toBe(false);
  expect(await check(sign(BODY, { secret: "another" }))).toBe(false);
  expect(await check(sign(BODY, { traceId: "0".repeat(32) }))).toBe(false);
  expect(await check(sign(BODY, { at: Date.now() - HOUR }))).toBe(false);
  expect(await check(sign(BODY, { at: Date.now() - HOUR }), BODY, { toleranceSeconds: 7_200 })).toBe(true);
  expect(await check(sign(BODY).replace("v1=", "v1=00"))).toBe(false);
  expect(await check("")).toBe(false);
});

it("withholds an answer whose signature does not fit", async () => {
  const answer = (signature: string) => async () =>
    await scriptService((response) =>
      response
        .writeHead(200, {
          "content-type": "application/json",
          "x-service-trace-id": TRACE_ID,
          ...(signature === "" ? {} : { "x-service-sig": signature }),
        })
        .end(BODY),
    );
  for (const [signature, isAccepted] of [
    [sign(BODY), true],
    [sign(BODY, { secret: "another" }), false],
    ["", false],
  ] as const) {
    await using service = await answer(signature)();
    const { tools } = createClient({ baseUrl: service.baseUrl, signingSecret: SECRET, retries: { attempts: 1 } });
    const outcome = await tools.findAirportsNearby({ query: "Zürich" });
    expect(outcome.ok ? "accepted" : outcome.problem.code).toBe(isAccepted ? "accepted" : "signature_invalid");
  }
});
