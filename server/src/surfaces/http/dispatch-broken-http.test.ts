import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

/** Requests that a well-behaved client never sends, by raw sockets. */

let service: TestService;

beforeAll(async () => {
  service = await startTestService({}, { extraTools: createProbes().tools });
});
afterAll(() => service?.[Symbol.asyncDispose]());

interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/** Sends the bytes and reads until the service ends the connection. */
async function exchange(bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(service.appUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(bytes);
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
  const [head = "", body = ""] = text.split("\r\n\r\n", 2);
  return { status: Number(head.split(" ")[1]), head, body };
}

const request = (line: string, headers: readonly string[], body = "") =>
  [line, ...headers, "Connection: close", "", body].join("\r\n");

describe("malformed HTTP is answered with a problem", () => {
  it.each([
    ["nonsense", "HELLO\r\n\r\n", 400, "invalid_input"],
    ["two lengths", request("POST / HTTP/1.1", ["Host: x", "Content-Length: 1", "Content-Length: 2"]), 400],
    ["a length and chunks", request("POST / HTTP/1.1", ["Host: x", "Content-Length: 1", "Transfer-Encoding: chunked"])],
    ["a NUL in a header", request("GET / HTTP/1.1", ["Host: x", "X: a\0b"])],
    ["a host that is none", request("GET /healthz HTTP/1.1", ["Host: a b"])],
    ["a target that is none", request("POST * HTTP/1.1", ["Host: x", "Content-Length: 0"])],
    [
      "headers without end",
      request("GET / HTTP/1.1", ["Host: x", `X: ${"a".repeat(20_000)}`]),
      431,
      "headers_too_large",
    ],
  ])("%s", async (_, bytes, status = 400, code = "invalid_input") => {
    const answer = await exchange(bytes);
    expect(answer.status).toBe(status);
    expect(answer.head).toContain("content-type: application/problem+json");
    expect(JSON.parse(answer.body)).toMatchObject({ ok: false, code, status, retryable: false });
  });

  it("a body with broken chunks, once the call is on its way", async () => {
    const headers = ["Host: x", `Authorization: Bearer ${service.apiKey}`, "Content-Type: application/json"];
    for (const line of ["POST /api/agent/dispatch HTTP/1.1", "PUT /api/travelers/chunky HTTP/1.1"]) {
      const answer = await exchange(request(line, [...headers, "Transfer-Encoding: chunked"], "ZZ\r\nabc\r\n"));
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toMatchObject({ code: "invalid_input" });
    }
  });

  it("a body in thousands of one-byte chunks, no longer than others", async () => {
    const headers = ["Host: x", `Authorization: Bearer ${service.apiKey}`, "Content-Type: application/json"];
    const body = JSON.stringify({ tenantId: service.tenantId, tool: "probe_write", args: { text: "a" } }).padEnd(3_000);
    const chunked = (size: number): string => {
      const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
        body.slice(at * size, (at + 1) * size),
      );
      return `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("")}0\r\n\r\n`;
    };
    const send = async (size: number) =>
      await exchange(
        request("POST /api/agent/dispatch HTTP/1.1", [...headers, "Transfer-Encoding: chunked"], chunked(size)),
      );
    const refused = await send(1);
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.body)).toMatchObject({
      code: "too_large",
      detail: expect.stringContaining("larger pieces"),
    });
    expect((await send(2)).status).toBe(200);
  });

  it("but not in place of the answer to an earlier request, which may well take effect", async () => {
    const body = JSON.stringify({ tenantId: service.tenantId, tool: "probe_write", args: { text: "before" } });
    const headers = ["Host: x", `Authorization: Bearer ${service.apiKey}`, "Content-Type: application/json"];
    const call = ["POST /api/agent/dispatch HTTP/1.1", ...headers, `Content-Length: ${body.length}`, "", body];
    const answer = await exchange(`${call.join("\r\n")}HELLO\r\n\r\n`);
    expect(answer.head).toBe("");
    expect((await exchange(`HELLO\r\n\r\n`)).status).toBe(400);
  });

  it("answers HTTP/1.0 without a host, as load balancers' probes send it", async () => {
    expect((await exchange(request("GET /healthz HTTP/1.0", []))).status).toBe(200);
  });
});

describe("methods other than POST", () => {
  const send = (method: string) =>
    service.send("/api/agent/dispatch", { method, headers: { authorization: `Bearer ${service.apiKey}` } });

  it.each(["GET", "PUT", "DELETE", "OPTIONS"])(
    "%s is answered 405 with what is allowed, also without a key",
    async (method) => {
      for (const answer of [await send(method), await service.send("/api/agent/dispatch", { method })]) {
        expect(answer.status).toBe(405);
        expect(answer.headers.get("allow")).toBe("POST");
        expect(answer.body).toMatchObject({ code: "method_not_allowed", retryable: false });
        expect(answer.headers.get("x-service-sig")).toMatch(/^t=\d+,v1=/);
      }
    },
  );

  it("HEAD is answered without a body", async () => {
    expect(await send("HEAD")).toMatchObject({ status: 405, text: "" });
  });
});

describe("a text that cannot be stored", () => {
  const odd = ["\0", "off_\0", "\ud800", "a\udfffb"];
  const day = Temporal.Now.plainDateISO().add({ days: 60 }).toString();
  const search = { origin: "LHR", destination: "JFK", departureDate: day };

  it.each([
    ["offerId", "book_flight", (text: string) => ({ offerId: text })],
    ["offerId", "display_offer_conditions", (text: string) => ({ offerId: text })],
    [
      "additionalCustomerUserIds.0",
      "book_flight",
      (text: string) => ({ offerId: "off_1", additionalCustomerUserIds: [text] }),
    ],
    ["clerkUserId", "ensure_flight_customer", (text: string) => ({ clerkUserId: text })],
    ["customerUserId", "search_flights", (text: string) => ({ ...search, customerUserId: text })],
    ["airlineCreditIds.0", "search_flights", (text: string) => ({ ...search, airlineCreditIds: [text] })],
    [
      "privateFares.BA.0.tour_code",
      "search_flights",
      (text: string) => ({ ...search, privateFares: { BA: [{ tour_code: text }] } }),
    ],
    ["privateFares.", "search_flights", (text: string) => ({ ...search, privateFares: { [text]: [] } })],
  ])("as %s of %s is invalid input, and nothing stays behind", async (path, tool, args) => {
    for (const [index, text] of odd.entries()) {
      const key = `${tool}-${path}-${index}`;
      const answer = await service.call(tool, args(text), { headers: { "idempotency-key": key } });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body).toMatchObject({ code: "invalid_input", issues: [{ path: expect.stringContaining(path) }] });
      expect(await service.sql("select 1 from idempotency where key = $1", [key])).toEqual([]);
    }
    expect(await service.sql("select 1 from call where state = 'reserved'")).toEqual([]);
  });

  it("as a filter of the usage records is invalid input", async () => {
    for (const tool of ["%00", "", "a%20b", "a".repeat(65)]) {
      const answer = await service.send(`/api/usage?tool=${tool}`, {
        headers: { authorization: `Bearer ${service.apiKey}` },
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: "invalid_input", issues: [{ path: "tool" }] });
    }
  });

  it("is not UTF-8: malformed on both kinds of routes", async () => {
    const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
    for (const [method, path, member] of [
      ["POST", "/api/agent/dispatch", "tool"],
      ["PUT", "/api/travelers/latin", "givenName"],
    ] as const) {
      const body = Buffer.from(`{"${member}":"Zo\u00eb"}`, "latin1");
      const answer = await service.send(path, { method, headers, body });
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe("malformed_json");
    }
  });
});

it("refuses more values and longer texts than a call can need", async () => {
  const day = Temporal.Now.plainDateISO().add({ days: 60 });
  const many = { origin: "LHR", destination: "JFK", departureDate: day.toString() };
  const fares = { BA: Array.from({ length: 6_000 }, () => ({})) };
  const wide = await service.call("search_flights", { ...many, privateFares: fares });
  expect(wide.body).toMatchObject({
    code: "invalid_input",
    issues: [
      { path: expect.stringMatching(/^privateFares\.BA\.\d+$/), message: expect.stringContaining("5000 values") },
    ],
  });
  const stay = { checkInDate: day.toString(), checkOutDate: day.add({ days: 2 }).toString() };
  const long = await service.call("search_hotels", { ...stay, location: "London ".repeat(40) });
  expect(long.body).toMatchObject({ code: "invalid_input", issues: [{ path: "location" }] });
});

it("lists a limited number of issues, however many there are", async () => {
  const strays = Object.fromEntries(Array.from({ length: 4_500 }, (_, index) => [`departureDat${index}`, 1]));
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
  const answers = [
    await service.call("search_flights", strays),
    await service.send("/api/agent/dispatch", { method: "POST", headers, body: JSON.stringify(strays) }),
    await service.send("/api/travelers/many", { method: "PUT", headers, body: JSON.stringify(strays) }),
  ];
  for (const answer of answers) {
    expect(answer.body.code).toBe("invalid_input");
    expect(Array.isArray(answer.body.issues) && answer.body.issues.length).toBeLessThanOrEqual(23);
  }
});
