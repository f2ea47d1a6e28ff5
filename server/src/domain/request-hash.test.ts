import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { requestHash } from "./request-hash.ts";

const LONG = 300_000;

it("equal requests have the same hash whatever the order of their members, and different requests another", () => {
  expect(requestHash({ a: 1, b: { c: "x", d: [1] } })).toBe(requestHash({ b: { d: [1], c: "x" }, a: 1 }));
  expect(requestHash({ a: 1 })).not.toBe(requestHash({ a: 2 }));
  const data = "x".repeat(LONG);
  expect(requestHash({ data })).toBe(requestHash({ data: "x".repeat(LONG) }));
  expect(requestHash({ data })).not.toBe(requestHash({ data: `${"x".repeat(LONG - 1)}y` }));
  expect(requestHash({ data })).not.toBe(requestHash({ other: data }));
});

it("a request without a document keeps its former hash, which stored keys depend on", () => {
  const request = { sandbox: { text: "x".repeat(1_000) } };
  const before = createHash("sha256").update(canonicalJson(request)).digest("base64url");
  expect(requestHash(request)).toBe(before);
});
