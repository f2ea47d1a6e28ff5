import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { requireResult } from "../../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const grace = {
  userId: "user_grace",
  givenName: "Grace",
  familyName: "Hopper",
  bornOn: "1986-12-09",
  title: "ms",
  gender: "f",
  email: "grace.hopper@example.com",
  phoneNumber: "+442080160509",
};
const passports = [{ nationality: "USA", number: "P55500142", issuedOn: "2024-01-01", expiresOn: "2034-01-01" }];

const keyWith = async (...scopes: string[]) => {
  const input = { tenantId: service.tenantId, environment: "sandbox", scopes, actor: "test" } as const;
  return (await service.operator((identity) => identity.mintKey(input))).apiKey;
};

describe("save_traveler", () => {
  it("creates a traveler from a name, completes it, and shows no document number", async () => {
    const made = requireResult(await service.call("save_traveler", { userId: grace.userId, givenName: "Grace" }));
    expect(made).toMatchObject({ created: true, customerUserId: null });
    expect(made.missingForFlights).toEqual(["familyName", "bornOn", "title", "gender", "email", "phoneNumber"]);
    const saved = await service.call("save_traveler", { ...grace, passports });
    expect(requireResult(saved)).toMatchObject({
      created: false,
      missingForFlights: [],
      profile: { familyName: "Hopper" },
    });
    // Omitted fields are kept.
    const renamed = await service.call("save_traveler", { userId: grace.userId, familyName: "Murray Hopper" });
    expect(requireResult(renamed).profile).toMatchObject({
      familyName: "Murray Hopper",
      passports: [{ ...passports[0], number: "***42" }],
    });
    const listed = await service.call("list_travelers", {});
    expect(requireResult(listed).travelers).toMatchObject([
      { userId: "user_demo", isCaller: true },
      { userId: "user_grace", isCaller: false, missingForFlights: [] },
    ]);
    for (const { text } of [saved, renamed, listed]) expect(text).not.toContain("P55500142");
    const [stored] = await service.sql(
      "select profile::text from traveler_profile where tenant_id = $1 and user_id = $2",
      [service.tenantId, grace.userId],
    );
    expect(JSON.stringify(stored)).not.toContain("P55500142");
  });

  it("pages, and shows nothing of another tenant", async () => {
    const first = requireResult(await service.call("list_travelers", { limit: 1 }));
    expect(first.nextCursor).toBe("user_demo");
    const next = requireResult(await service.call("list_travelers", { limit: 1, cursor: first.nextCursor }));
    expect([next.travelers, next.nextCursor]).toMatchObject([[{ userId: "user_grace" }], null]);
    const { apiKey: key, tenant } = await service.operator((identity) =>
      identity.createTenant({ name: "Other", actor: "test" }),
    );
    const other = await service.call("list_travelers", {}, { key, tenantId: tenant.id });
    expect(requireResult(other).travelers).toEqual([]);
  });

  it("returns to callers that may not read travelers only what they sent", async () => {
    const key = await keyWith("travelers:write");
    const saved = requireResult(await service.call("save_traveler", { userId: grace.userId, title: "mrs" }, { key }));
    expect(saved.profile).toEqual({ title: "mrs" });
    expect((await service.call("list_travelers", {}, { key })).body).toMatchObject({ scope: "travelers:read" });
  });

  it.each([
    [{ bornOn: "2999-01-01" }, "bornOn"],
    [{ familyName: "<b>" }, "familyName"],
    [{ passports: [{ ...passports[0], number: "4242424242424242" }] }, "passports.0.number"],
    [{ userId: "no/body" }, "userId"],
  ])("refuses %j", async (change, path) => {
    const { status, body } = await service.call("save_traveler", { ...grace, ...change });
    expect([status, body.code]).toEqual([400, "invalid_input"]);
    expect(body).toHaveProperty("issues.0.path", path);
  });

  it("does not write to a service account of another key", async () => {
    const { status, body } = await service.call("save_traveler", {
      ...grace,
      userId: "svc:key_00000000000000000000000000",
    });
    expect([status, body.code]).toEqual([500, "traveler_not_found"]);
  });
});
