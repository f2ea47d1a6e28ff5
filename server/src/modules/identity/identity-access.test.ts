import { describe, expect, test } from "vitest";
import { createManualClock } from "../../../test/support/identity.ts";
import { networks } from "../../config/values.ts";
import { countryAlpha3Codes, toCountryAlpha2 } from "../../domain/countries.ts";
import {
  buildScope,
  defaultScopes,
  findUnknownScopes,
  hasScope,
  knownScopes,
  toolAreas,
  toolEffects,
} from "../../domain/scopes.ts";
import { readBearer } from "../../surfaces/http/admission.ts";
import { addressGroup, clientAddress } from "../../surfaces/http/limits/client-address.ts";
import { createRateLimiter } from "../../surfaces/http/limits/rate-limiter.ts";

describe("scopes", () => {
  test("sandbox keys have every permission except deciding approvals, changing their own rules, and watching people", () => {
    const personal = [
      ...["approvals:decide", "audit:read", "policy:administer", "limits:administer", "members:administer"],
      ...["keys:administer", "webhooks:administer", "sandbox:administer", "tenants:administer"],
    ];
    const allowed = knownScopes.filter((scope) => hasScope(defaultScopes("sandbox"), scope));
    expect(knownScopes.filter((scope) => !allowed.includes(scope))).toEqual(personal);
    for (const scope of personal) expect(hasScope(["*", scope], scope)).toBe(true);
  });

  test("production keys read everything except travelers, and write reputation only", () => {
    const allowed = knownScopes.filter((scope) => hasScope(defaultScopes("production"), scope));
    expect(allowed.toSorted()).toEqual(
      [
        "account:read",
        "approvals:read",
        "conversations:read",
        "documents:read",
        "escrow:read",
        "events:read",
        "flights:read",
        "policy:read",
        "reputation:read",
        "reputation:write",
        "stays:read",
        "treasury:read",
        "trip:read",
        "usage:read",
        "workflows:read",
      ].toSorted(),
    );
  });

  test("every area and effect of a tool has a scope, and none implies another", () => {
    for (const area of toolAreas) {
      for (const effect of toolEffects) {
        const scope = buildScope(area, effect);
        expect(knownScopes).toContain(scope);
        expect(hasScope([scope], scope)).toBe(true);
        expect(knownScopes.filter((other) => hasScope([scope], other))).toEqual([scope]);
        expect(hasScope([], scope)).toBe(false);
      }
    }
  });

  test("unknown scopes are reported", () => {
    expect(findUnknownScopes(["*", "flights:read", "flights:*", "FLIGHTS:read", "", "orders:read"])).toEqual([
      "flights:*",
      "FLIGHTS:read",
      "",
      "orders:read",
    ]);
  });
});

test("a bearer token is read literally; an unreadable header does not count as absent", () => {
  expect(readBearer(undefined)).toEqual({ kind: "absent" });
  expect(readBearer(null)).toEqual({ kind: "absent" });
  for (const header of ["Bearer ak_1", "bearer ak_1", "BEARER  ak_1 "]) {
    expect(readBearer(header)).toEqual({ kind: "token", token: "ak_1" });
  }
  const malformed = [
    "",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "ak_1",
    "Bearer ak_1 ak_2",
    `Bearer ${"x".repeat(600)}`,
    "Bearer é",
  ];
  for (const header of malformed) expect(readBearer(header)).toEqual({ kind: "malformed" });
});

describe("the rate limiter", () => {
  const open = (maxEntries = 100) => {
    const clock = createManualClock();
    return { clock, limiter: createRateLimiter({ ratePerSecond: 10, burst: 20, maxEntries, clock }) };
  };
  const countAllowed = (limiter: ReturnType<typeof open>["limiter"], id: string, calls: number) =>
    Array.from({ length: calls }, () => limiter.take(id)).filter(({ allowed }) => allowed).length;

  test("allows a burst, then the rate, and tells when to retry", () => {
    const { clock, limiter } = open();
    expect(countAllowed(limiter, "a", 50)).toBe(20);
    expect(limiter.take("a")).toEqual({ allowed: false, retryAfterSeconds: 1 });
    clock.advance({ milliseconds: 500 });
    expect(countAllowed(limiter, "a", 50)).toBe(5);
    clock.advance({ hours: 1 });
    expect(countAllowed(limiter, "a", 50)).toBe(20);
    const slow = createRateLimiter({ ratePerSecond: 0.1, burst: 1, maxEntries: 10, clock });
    slow.take("a");
    expect(slow.take("a")).toEqual({ allowed: false, retryAfterSeconds: 10 });
    clock.advance({ seconds: 10 });
    expect(slow.take("a").allowed).toBe(true);
  });

  test("counts callers separately, and keeps no more of them than configured", () => {
    const { limiter } = open(100);
    expect(countAllowed(limiter, "busy", 30)).toBe(20);
    for (let index = 0; index < 1_000; index += 1) {
      expect(limiter.take(`caller${index}`).allowed).toBe(true);
      // Active callers are not dropped.
      expect(limiter.take("busy").allowed).toBe(false);
    }
    expect(limiter.size()).toBe(100);
  });

  test("a clock that is set back neither adds nor removes tokens", () => {
    const { clock, limiter } = open();
    countAllowed(limiter, "a", 20);
    clock.advance({ hours: -1 });
    expect(limiter.take("a").allowed).toBe(false);
    clock.advance({ seconds: 1 });
    expect(countAllowed(limiter, "a", 50)).toBe(10);
  });
});

test("addresses count by IPv4 address and by IPv6 network", () => {
  expect(addressGroup("192.0.2.7")).toBe("192.0.2.7");
  expect(addressGroup("::ffff:192.0.2.7")).toBe("192.0.2.7");
  expect(addressGroup("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(addressGroup("2001:0DB8:0001:0002::9")).toBe("2001:db8:1:2::/64");
  expect(addressGroup("2001:db8::1")).toBe("2001:db8:0:0::/64");
  expect(addressGroup("::1")).toBe("0:0:0:0::/64");
  expect(addressGroup("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
  for (const nothing of [undefined, "", "localhost", "999.1.1.1"]) expect(addressGroup(nothing)).toBe("unknown");
});

test("the client is the last address before the trusted proxies", () => {
  const proxies = networks("10.0.0.0/8, 192.0.2.1, 2001:db8::/32");
  const asker = (connected: string | undefined, forwardedFor?: string) =>
    clientAddress(connected, forwardedFor, proxies);
  expect(asker("198.51.100.1", "203.0.113.1")).toBe("198.51.100.1");
  expect(asker("10.1.2.3", "203.0.113.1")).toBe("203.0.113.1");
  expect(asker("::ffff:10.1.2.3", "203.0.113.1")).toBe("203.0.113.1");
  expect(asker("10.1.2.3", "198.51.100.9, 203.0.113.1,192.0.2.1")).toBe("203.0.113.1");
  expect(asker("10.1.2.3", "198.51.100.9, ::ffff:203.0.113.1")).toBe("203.0.113.1");
  expect(asker("2001:db8::5", "[2400:cb00::1]:443")).toBe("2400:cb00::1");
  expect(asker("10.1.2.3", "203.0.113.1:5000")).toBe("203.0.113.1");
  expect(asker("10.1.2.3", "10.0.0.9, 10.0.0.8"), "they ask themselves").toBe("10.0.0.9");
  for (const nothing of [undefined, "", ",", "unknown", "203.0.113.1, _hidden", "999.1.1.1", "[", "203.0.113.1, "]) {
    expect(asker("10.1.2.3", nothing), nothing).toBe("10.1.2.3");
  }
  expect(asker(undefined, "203.0.113.1")).toBe("");
  expect(clientAddress("10.1.2.3", "203.0.113.1", networks("")), "none is trusted").toBe("10.1.2.3");
});

test("trusted proxies are addresses and networks", () => {
  for (const bad of ["proxy", "10.0.0.0/33", "::/129", "10.0.0.0/8/8", "10.0.0.0/", "10.0.0.0/-1", "1.2.3"]) {
    expect(() => networks(bad), bad).toThrow("must be addresses or networks");
  }
  expect(networks("2001:db8::/32").check("2001:db8:1::1", "ipv6")).toBe(true);
});

test("country codes pair up, and their alpha-2 halves are countries", () => {
  const names = new Intl.DisplayNames("en", { type: "region" });
  const alpha2 = countryAlpha3Codes.map((code) => toCountryAlpha2(code) ?? "");
  expect(new Set(alpha2).size).toBe(250);
  for (const code of alpha2) expect(names.of(code)).not.toBe(code);
  expect(toCountryAlpha2("DEU")).toBe("DE");
  expect(toCountryAlpha2("deu")).toBeUndefined();
});
