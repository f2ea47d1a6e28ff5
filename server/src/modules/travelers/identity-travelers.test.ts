import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { givenRequest } from "../../../test/support/given-request.ts";
import { openTestIdentities, type TestIdentities } from "../../../test/support/identity.ts";
import { containsCardNumber } from "../../domain/card-numbers.ts";
import { callRoute } from "../../kernel/call/call-route.ts";
import type { Principal } from "../../ports/identity.ts";
import { readTraveler, writeTraveler } from "./routes.ts";
import { createTravelers } from "./store.ts";

const now = Temporal.Instant.from("2026-11-20T12:00:00Z");
const complete = {
  givenName: "María José",
  familyName: "O’Neill-García",
  bornOn: "1990-02-28",
  title: "ms",
  gender: "f",
  email: "maria@example.com",
  phoneNumber: "+34600123456",
  preferredLanguage: "es-419",
  loyaltyProgrammeAccounts: [{ airlineIataCode: "IB", accountNumber: "12345678" }],
  passports: [{ nationality: "ESP", number: "PAB123456", issuedOn: "2021-05-01", expiresOn: "2031-05-01" }],
};
const card = "4242424242424242";

describe("traveler profiles", () => {
  let setup: TestIdentities;
  let principal: Principal;
  let stranger: Principal;
  beforeAll(async () => {
    setup = await openTestIdentities();
    const identity = setup.open();
    const createPrincipal = async (name: string) => {
      const { apiKey } = await identity.createTenant({ name, actor: "test" });
      const found = await identity.authenticate(apiKey, { fresh: true });
      if (found === undefined) throw new Error("no principal");
      return found;
    };
    principal = await createPrincipal("Mine");
    stranger = await createPrincipal("Theirs");
  });
  afterAll(() => setup.close());

  const ports = () => ({ travelers: createTravelers(setup), clock: { now: () => now } });
  const write = (body: unknown, userId = "maria", as = principal) =>
    callRoute(writeTraveler, givenRequest({ principal: as, params: { userId }, body }), ports());
  const read = async (userId = "maria", as = principal) =>
    (await callRoute(readTraveler, givenRequest({ principal: as, params: { userId } }), ports())).value;

  test("is written and read back, and can be sent again as read", async () => {
    expect(await write(complete)).toEqual({ status: 201, value: { userId: "maria", ...complete } });
    const answer = await read();
    expect(answer).toEqual({ userId: "maria", ...complete });
    expect((await write(answer)).status).toBe(200);
    expect(await read()).toEqual(answer);
    await expect(read("maria", stranger)).rejects.toMatchObject({ code: "not_found" });
    const lines = await setup.db.selectFrom("auditLog").select(["actor", "details"]).where("subjectId", "=", "maria");
    const [first] = await lines.execute();
    expect(first?.actor).toBe(principal.serviceAccountId);
    for (const value of ["María", "1990", "PAB123456", "@"]) expect(JSON.stringify(first)).not.toContain(value);
  });

  test("may be empty, and belong to the key's own service account", async () => {
    const { value: traveler } = await write({}, principal.serviceAccountId);
    expect(traveler).toEqual({ userId: principal.serviceAccountId, loyaltyProgrammeAccounts: [], passports: [] });
    await expect(write({}, stranger.serviceAccountId)).rejects.toMatchObject({ code: "not_found" });
    await expect(read(stranger.serviceAccountId)).rejects.toMatchObject({ code: "not_found" });
    await expect(read("nobody")).rejects.toMatchObject({ code: "not_found" });
    await expect(read("no\0body")).rejects.toMatchObject({ code: "not_found" });
  });

  const passport = complete.passports[0];
  const refused: [string, unknown, string][] = [
    ["an unknown field", { surname: "x" }, "surname"],
    ["a misspelt field", { givenname: "x" }, "givenname"],
    ["an empty name", { givenName: "" }, "givenName"],
    ["a blank name", { givenName: "   " }, "givenName"],
    ["a long name", { familyName: "a".repeat(101) }, "familyName"],
    ["markup for a name", { familyName: "<b>x</b>" }, "familyName"],
    ["a control character", { familyName: "a\u0000b" }, "familyName"],
    ["a card number for a name", { givenName: card }, "givenName"],
    ["no calendar date", { bornOn: "2023-02-29" }, "bornOn"],
    ["a date with a time", { bornOn: "1990-01-01T00:00:00Z" }, "bornOn"],
    ["a birth in the future", { bornOn: "2026-11-21" }, "bornOn"],
    ["a birth before living memory", { bornOn: "1899-12-31" }, "bornOn"],
    ["an unknown title", { title: "lord" }, "title"],
    ["an unknown gender", { gender: "x" }, "gender"],
    ["no e-mail address", { email: "maria" }, "email"],
    ["a long e-mail address", { email: `${"a".repeat(250)}@example.com` }, "email"],
    ["a national phone number", { phoneNumber: "0600123456" }, "phoneNumber"],
    ["no language tag", { preferredLanguage: "english language" }, "preferredLanguage"],
    ["null", { givenName: null }, "givenName"],
    ["a wrong type", { passports: {} }, "passports"],
    ["a passport with too little", { passports: [{ nationality: "ESP" }] }, "passports.0.number"],
    ["a passport with too much", { passports: [{ ...passport, country: "ES" }] }, "passports.0.country"],
    ["a two-letter nationality", { passports: [{ ...passport, nationality: "ES" }] }, "passports.0.nationality"],
    ["a nationality nobody has", { passports: [{ ...passport, nationality: "XYZ" }] }, "passports.0.nationality"],
    ["a number with spaces", { passports: [{ ...passport, number: "PAB 123456" }] }, "passports.0.number"],
    ["a card for a passport", { passports: [{ ...passport, number: card }] }, "passports.0.number"],
    ["expiry before issue", { passports: [{ ...passport, expiresOn: "2021-05-01" }] }, "passports.0.expiresOn"],
    ["six passports", { passports: Array.from({ length: 6 }, () => passport) }, "passports"],
    [
      "a card for an account",
      { loyaltyProgrammeAccounts: [{ airlineIataCode: "IB", accountNumber: "4242-4242-4242-4242" }] },
      "loyaltyProgrammeAccounts.0.accountNumber",
    ],
    [
      "no airline",
      { loyaltyProgrammeAccounts: [{ airlineIataCode: "IBE", accountNumber: "12345678" }] },
      "loyaltyProgrammeAccounts.0.airlineIataCode",
    ],
    ["another traveler's id", { userId: "eve" }, "userId"],
    ["__proto__", JSON.parse('{"__proto__": {"givenName": "x"}}'), "__proto__"],
    ["an array", [], ""],
    ["text", "x", ""],
    ["nothing", undefined, ""],
  ];

  test.each(refused)("%s is refused and nothing is written", async (_, change, path) => {
    const before = await read().catch(() => undefined);
    const body = typeof change === "object" && !Array.isArray(change) ? { ...complete, ...change } : change;
    if (path === "__proto__") Object.defineProperty(body, "__proto__", { value: {}, enumerable: true });
    const failure = await write(body).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "invalid_input" });
    expect(failure).toHaveProperty("issues.0.path", path);
    expect(await read().catch(() => undefined)).toEqual(before);
  });

  test("a malformed user id is refused", async () => {
    for (const userId of ["", " maria", "a/b", "a".repeat(129), "é", "-x"]) {
      await expect(write({}, userId)).rejects.toMatchObject({ code: "invalid_input" });
    }
  });
});

test("card numbers are recognised by length and checksum", () => {
  for (const text of [
    card,
    "4242 4242 4242 4242",
    "card: 4242-4242-4242-4242.",
    "378282246310005",
    "6011111111111117",
  ]) {
    expect(containsCardNumber(text)).toBe(true);
  }
  for (const text of ["4242424242424241", "12345678", "123456789012", "+34600123456", "2031-05-01 2021-05-01", ""]) {
    expect(containsCardNumber(text)).toBe(false);
  }
});
