import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { NOW, startDuffel } from "../../../test/support/duffel-harness.ts";
import { wireError } from "./__fixtures__/wire.ts";

/** Events of the supplier: signatures over the raw bytes, and the endpoint that receives them. */

const SECRET = "XRcsu65YtmCm7ExaGqgqQw==";
const seconds = Math.floor(NOW.epochMilliseconds / 1_000);
const event = {
  id: "wev_1",
  api_version: "v2",
  type: "air.order.changed",
  data: { object: { id: "oce_1", order_id: "ord_1" } },
  live_mode: false,
  idempotency_key: "oce_1",
  created_at: "2026-11-20T09:59:58Z",
  identity_organisation_id: "org_1",
};
const body = JSON.stringify(event);

function hex(secret: string, at: number | string, raw: string | Uint8Array): string {
  return createHmac("sha256", secret).update(`${at}.`).update(raw).digest("hex");
}
const sign = (raw: string | Uint8Array = body, at = seconds, secret = SECRET) => `t=${at},v1=${hex(secret, at, raw)}`;

async function reader() {
  const duffel = await startDuffel(() => ({ status: 500 }));
  const read = (
    signature: string | undefined,
    raw: string | Uint8Array = body,
    secrets: readonly string[] = [SECRET],
  ) => duffel.webhooks.read(raw, { signature }, secrets);
  return { read, lines: duffel.lines, [Symbol.asyncDispose]: () => duffel[Symbol.asyncDispose]() };
}

test("a signed event is read, from text and from bytes", async () => {
  await using webhooks = await reader();
  const expected = {
    id: "wev_1",
    type: "air.order.changed",
    subjectId: "oce_1",
    orderId: "ord_1",
    createdAt: "2026-11-20T09:59:58Z",
  };
  expect(webhooks.read(sign())).toEqual(expected);
  expect(webhooks.read(sign(), Buffer.from(body))).toEqual(expected);
});

test("the signature is the one that the supplier's own library makes", async () => {
  await using webhooks = await reader();
  const raw = '{"id":"wev_2","type":"ping.triggered","data":{"object":{}}}';
  const known = createHmac("sha256", SECRET).update(`${seconds}.${raw}`, "utf8").digest("hex");
  expect(webhooks.read(`t=${seconds},v1=${known}`, raw)).toEqual({
    id: "wev_2",
    type: "ping.triggered",
    subjectId: undefined,
    orderId: undefined,
    createdAt: undefined,
  });
});

test("a changed byte, another secret or another time is refused", async () => {
  await using webhooks = await reader();
  expect(webhooks.read(sign(), body.replace("ord_1", "ord_2"))).toBeUndefined();
  expect(webhooks.read(sign(), `${body} `)).toBeUndefined();
  expect(webhooks.read(sign(body, seconds, "other"))).toBeUndefined();
  expect(webhooks.read(`t=${seconds + 1},v1=${hex(SECRET, seconds, body)}`)).toBeUndefined();
  expect(webhooks.read(sign(), body, [])).toBeUndefined();
  // An empty secret would be known to everyone.
  expect(webhooks.read(sign(body, seconds, ""), body, ["", SECRET])).toBeUndefined();
  // The raw bytes count, not their decoded form.
  const [before = "", after = ""] = body.split("org_1");
  const broken = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
  expect(webhooks.read(sign(broken), broken)?.id).toBe("wev_1");
  expect(webhooks.read(sign(broken.toString("utf8")), broken)).toBeUndefined();
});

test("five minutes either way are accepted, and not a second more", async () => {
  await using webhooks = await reader();
  for (const [offset, accepted] of [
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
    [-86_400 * 365, false],
  ] as const) {
    expect(webhooks.read(sign(body, seconds + offset)) !== undefined, String(offset)).toBe(accepted);
  }
});

test("during a rotation the old and the new secret are accepted, and headers with several signatures", async () => {
  await using webhooks = await reader();
  const newer = "newer secret";
  expect(webhooks.read(sign(body, seconds, newer), body, [SECRET, newer])?.id).toBe("wev_1");
  expect(webhooks.read(sign(), body, [newer, SECRET])?.id).toBe("wev_1");
  const both = `t=${seconds}, v1=${"0".repeat(64)}, v1=${hex(newer, seconds, body)}, v0=x`;
  expect(webhooks.read(both, body, [newer])?.id).toBe("wev_1");
});

const good = hex(SECRET, seconds, body);
test.each([
  undefined,
  "",
  "t",
  ",,,",
  `t=${seconds}`,
  `v1=${good}`,
  `t=,v1=${good}`,
  `t=${seconds}.0,v1=${good}`,
  `t=-${seconds},v1=${good}`,
  `t=NaN,v1=${good}`,
  `t=1e400,v1=${good}`,
  `t=99999999999999999999,v1=${good}`,
  `t=${seconds},t=${seconds},v1=${good}`,
  `t=${seconds},v1=${good.slice(0, 62)}`,
  `t=${seconds},v1=${good.toUpperCase()}`,
  `t=${seconds},v1=${good}00`,
  `t=${seconds},v1=zz${good.slice(2)}`,
  `t=${seconds};v1=${good}`,
  `sha256=${good}`,
  `t=${seconds},${`v1=${good},`.repeat(1_000)}`,
  "é".repeat(100),
])("garbage in the header is refused: %s", async (signature) => {
  await using webhooks = await reader();
  expect(webhooks.read(signature)).toBeUndefined();
});

test("an event is about the order or stay itself, the order that it names, or nothing", async () => {
  await using webhooks = await reader();
  const about = (object: unknown) => {
    const raw = JSON.stringify({ ...event, data: { object } });
    const read = webhooks.read(sign(raw), raw);
    return [read?.subjectId, read?.orderId];
  };
  expect(about({ id: "ord_7", booking_reference: "ZZ1" })).toEqual(["ord_7", "ord_7"]);
  expect(about({ id: "bok_7" })).toEqual(["bok_7", "bok_7"]);
  expect(about({ id: "pay_7", order_id: "ord_8" })).toEqual(["pay_7", "ord_8"]);
  expect(about({ id: "acd_7", order_id: null })).toEqual(["acd_7", undefined]);
  expect(about({ id: 7, order_id: ["x"] })).toEqual([undefined, undefined]);
  expect(about(null)).toEqual([undefined, undefined]);
});

test("a signed body that is not an event is refused and logged", async () => {
  await using webhooks = await reader();
  const bodies = ["", "null", "[]", "{", '{"id":"../x","type":"y"}', '{"id":"wev_1"}'];
  for (const raw of bodies) expect(webhooks.read(sign(raw), raw)).toBeUndefined();
  expect(webhooks.lines.map(({ level }) => level)).toEqual(bodies.map(() => "error"));
});

const endpoint = { id: "sev_1", url: "https://trips.example.test/hooks", active: true, events: ["order.created"] };

test("an endpoint is created once, and an existing one is completed and moved without a new secret", async () => {
  let there: unknown[] = [];
  await using duffel = await startDuffel((request) => {
    if (request.method === "POST") return { status: 201, json: { data: { ...endpoint, secret: SECRET } } };
    if (request.method === "PATCH") return { status: 200, json: { data: endpoint } };
    return { status: 200, json: { data: there, meta: null } };
  });
  const made = { endpointId: endpoint.id, url: endpoint.url, secret: SECRET };
  expect(await duffel.webhooks.register(endpoint.url)).toEqual(made);
  const { body } = duffel.requests.at(-1) ?? {};
  expect(body).toMatchObject({ data: { url: endpoint.url, events: expect.arrayContaining(["order.created"]) } });
  there = [{ ...endpoint, id: "sev_2", url: "https://other.example.test/" }, endpoint];
  expect(await duffel.webhooks.register(endpoint.url, endpoint.id)).toBeUndefined();
  const moved = "https://trips.example.test/moved";
  expect(await duffel.webhooks.register(moved, endpoint.id)).toBeUndefined();
  expect(duffel.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /air/webhooks",
    "POST /air/webhooks",
    "GET /air/webhooks",
    "PATCH /air/webhooks/sev_1",
    "GET /air/webhooks",
    "PATCH /air/webhooks/sev_1",
  ]);
  expect(duffel.requests.at(-1)?.body).toMatchObject({ data: { url: moved, active: true } });
});

test("the supplier's only endpoint is replaced if it is not the known one", async () => {
  let there = [{ ...endpoint, id: "sev_2", url: "https://other.example.test/" }];
  await using duffel = await startDuffel((request) => {
    if (request.method === "POST") {
      // The supplier's answer while there is one.
      if (there.length > 0) return { status: 422, json: wireError("validation_error", "unsafe_unique", "taken") };
      return { status: 201, json: { data: { ...endpoint, id: "sev_3", secret: SECRET } } };
    }
    if (request.method === "GET") return { status: 200, json: { data: there, meta: null } };
    there = [];
    return { status: 204 };
  });
  expect(await duffel.webhooks.register(endpoint.url, "sev_gone")).toMatchObject({ endpointId: "sev_3" });
  expect(duffel.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /air/webhooks",
    "DELETE /air/webhooks/sev_2",
    "POST /air/webhooks",
  ]);
});

test("an endpoint whose creation was not answered has an unknown outcome, and is not created twice", async () => {
  await using duffel = await startDuffel((request) =>
    request.method === "POST" ? "reset" : { status: 200, json: { data: [], meta: null } },
  );
  await expect(duffel.webhooks.register(endpoint.url)).rejects.toMatchObject({ code: "outcome_unknown" });
  expect(duffel.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});
