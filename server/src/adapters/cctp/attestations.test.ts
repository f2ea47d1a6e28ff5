import { afterEach, beforeEach, expect, test } from "vitest";
import { LIVE_ATTESTATION, LIVE_MESSAGE } from "../../../test/support/live-message.ts";
import {
  type Answer,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from "../../../test/support/scripted-server.ts";
import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import { createHttpClient } from "../../platform/http-client/http-client.ts";
import type { MessageAttestations } from "../../ports/chain/message-attestations.ts";
import { createMessageAttestations } from "./index.ts";
import { decodeMessage, encodeMessage } from "./message.ts";

const HASH: Hex = "0x262987d9e9cc5a0579f4995da5780e36d826053428281d4a81d3e722012c34e3";
const EMPTY: Hex = `0x${"0".repeat(64)}`;
const live = decodeMessage(LIVE_MESSAGE);
/** As the chain showed it. */
const burned = encodeMessage({
  ...live,
  nonce: EMPTY,
  finalityThresholdExecuted: 0,
  burn: { ...live.burn, feeExecuted: 0n, expirationBlock: 0n },
});
const reference = { sourceDomain: 6, transactionHash: HASH, message: burned };
/** As the public service answers it. */
const complete = {
  message: LIVE_MESSAGE,
  eventNonce: live.nonce,
  attestation: LIVE_ATTESTATION,
  cctpVersion: 2,
  status: "complete",
  decodedMessage: { sourceDomain: "6", destinationDomain: "1", nonce: live.nonce },
  delayReason: null,
};
const pending = { message: "0x", eventNonce: live.nonce, attestation: "PENDING", status: "pending_confirmations" };

let script: Script;
let server: ScriptedServer;
let service: MessageAttestations;
const http = createHttpClient();
beforeEach(async () => {
  server = await startScriptedServer((request, turn) => script(request, turn));
  service = createMessageAttestations({ url: server.url, http, timeoutMilliseconds: 500 });
});
afterEach(() => server.close());

const answer = (...messages: unknown[]): Answer => ({ status: 200, json: { messages } });
const find = async (said: Answer) => {
  script = () => said;
  return await service.find(reference);
};
const failure = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.catch((caught: unknown) => caught);
  if (!(error instanceof Failure)) throw new Error("it did not fail");
  return error;
};

test("reads what the public service answered for a live burn", async () => {
  expect(await find(answer(complete))).toEqual({
    state: "attested",
    message: LIVE_MESSAGE,
    attestation: LIVE_ATTESTATION,
    nonce: live.nonce,
    fee: 100n,
    expirationBlock: 59_288_048n,
  });
  expect(server.requests[0]).toMatchObject({ path: "/v2/messages/6", query: { transactionHash: HASH } });
});

test("tells apart what was not seen, what is pending and why", async () => {
  expect(await find({ status: 404, json: { code: 404, message: "Message hash not found" } })).toEqual({
    state: "not_seen",
  });
  const nonce = live.nonce;
  expect(await find(answer(pending))).toEqual({ state: "pending", nonce, delayReason: undefined });
  const attestation = null;
  expect(await find(answer({ ...pending, attestation, delayReason: "insufficient_fee" }))).toEqual({
    state: "pending",
    nonce,
    delayReason: "insufficient_fee",
  });
  // One of two burns of a transaction: which one waits is not known.
  const other = encodeMessage({ ...live, burn: { ...live.burn, amount: 2n } });
  const otherComplete = { ...complete, message: other };
  expect(await find(answer(otherComplete, pending))).toMatchObject({ state: "pending" });
  expect(await find(answer(otherComplete, complete))).toMatchObject({ state: "attested", message: LIVE_MESSAGE });
});

test("believes no message with other terms, more fee than was allowed, or without signatures", async () => {
  const change = (more: object) => ({ ...complete, ...more });
  const altered = (burn: object) => change({ message: encodeMessage({ ...live, burn: { ...live.burn, ...burn } }) });
  const recipient: Hex = `0x${"9".padStart(64, "0")}`;
  for (const wrong of [
    altered({ amount: 999n }),
    altered({ mintRecipient: recipient }),
    altered({ feeExecuted: 101n }),
    change({ message: encodeMessage({ ...live, nonce: EMPTY }) }),
    change({ message: encodeMessage({ ...live, destinationCaller: recipient }) }),
    change({ message: "0x1234" }),
    change({ message: null }),
    change({ attestation: "PENDING" }),
    change({ attestation: "0x" }),
    change({ attestation: LIVE_ATTESTATION.slice(0, -2) }),
  ]) {
    expect(await failure(find(answer(wrong)))).toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
  }
  expect(await failure(find({ status: 200, json: { messages: "none" } }))).toMatchObject({ code: "unavailable" });
  expect(await failure(find(answer()))).toMatchObject({ code: "unavailable" });
});

test("asks again a few times where nothing is lost by it, and then says that there is no clear answer", async () => {
  for (const said of [{ status: 503 }, "reset", { truncated: '{"messages":[' }, { status: 302 }] as const) {
    server.requests.length = 0;
    expect(await failure(find(said))).toMatchObject({ code: "unavailable" });
    expect(server.requests).toHaveLength(3);
  }
  server.requests.length = 0;
  script = () => (server.requests.length < 3 ? { status: 500 } : answer(complete));
  expect(await service.find(reference)).toMatchObject({ state: "attested" });
  server.requests.length = 0;
  expect(await failure(find({ status: 200, text: `"${"x".repeat(300_000)}"` }))).toMatchObject({ code: "unavailable" });
  const stop = new AbortController();
  stop.abort();
  server.requests.length = 0;
  await expect(service.find(reference, stop.signal)).rejects.toThrow();
  expect(server.requests).toHaveLength(0);
});

test("leaves the service alone after too many requests, as it locks for minutes", async () => {
  const locked = await failure(find({ status: 429, headers: { "retry-after": "120" } }));
  expect(locked).toMatchObject({ code: "unavailable", retryAfterSeconds: 120 });
  expect(server.requests).toHaveLength(1);
  expect((await failure(find(answer(complete)))).retryAfterSeconds).toBeGreaterThan(100);
  expect(server.requests).toHaveLength(1);
  const fresh = createMessageAttestations({ url: server.url, http });
  expect(
    await failure(
      (() => {
        script = () => ({ status: 429 });
        return fresh.readFees(6, 26);
      })(),
    ),
  ).toMatchObject({ retryAfterSeconds: 300 });
});

test("reads fees with decimals, and asks for a new attestation", async () => {
  script = () => ({
    status: 200,
    json: [
      { finalityThreshold: 1000, minimumFee: 1.3 },
      { finalityThreshold: 2000, minimumFee: 0 },
    ],
  });
  expect(await service.readFees(6, 26)).toEqual({ fast: 130n, standard: 0n });
  expect(server.requests[0]?.path).toBe("/v2/burn/USDC/fees/6/26");
  script = () => ({ status: 200, json: [{ finalityThreshold: 2000, minimumFee: 0 }] });
  expect(await service.readFees(26, 6)).toEqual({ fast: undefined, standard: 0n });
  script = () => ({ status: 200, json: [] });
  expect(await failure(service.readFees(26, 6))).toMatchObject({ code: "unavailable" });
  for (const [status, outcome] of [
    [200, "requested"],
    [400, "final"],
    [404, "not_seen"],
  ] as const) {
    script = () => ({ status, json: {} });
    expect(await service.attestAnew(live.nonce)).toBe(outcome);
  }
});
