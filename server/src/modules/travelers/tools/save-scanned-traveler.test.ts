import { afterAll, beforeAll, expect, it } from "vitest";
import { keepScan } from "../../../../test/support/keep-scan.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { requireResult } from "../../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const passport = { nationality: "SWE", number: "SB1234567", issuedOn: "2024-05-01", expiresOn: "2034-05-01" };
const bo = { givenName: "BO", familyName: "LINDQVIST", bornOn: "1980-01-02", gender: "m" as const, passport };
const anna = { givenName: "Anna Maria", familyName: "Eriksson", bornOn: "1974-08-12" };
const save = (args: object) => service.call("save_traveler", args);

it("another person's scan fills no profile, and is not used up", async () => {
  const userId = "user_anna";
  await save({ userId, ...anna });
  const scanId = await keepScan(service, bo);
  const { body } = await save({ userId, scanId });
  expect(body).toMatchObject({
    code: "scan_of_another_person",
    retryable: false,
    fields: ["familyName", "givenName", "bornOn"],
  });
  const partly = await save({ userId, scanId, familyName: "Lindqvist", givenName: "Bo" });
  expect(partly.body).toMatchObject({ code: "scan_of_another_person", fields: ["bornOn"] });
  expect(requireResult(await save({ userId })).profile).toMatchObject({ ...anna, passports: [] });
  expect(requireResult(await save({ userId: "user_bo", scanId })).profile).toMatchObject({
    givenName: "BO",
    familyName: "LINDQVIST",
    passports: [{ number: "***67" }],
  });
});

it("sent fields correct the scan, and the answer says so", async () => {
  const userId = "user_corrected";
  await save({ userId, ...anna });
  const scanId = await keepScan(service, { ...bo, ...anna, bornOn: "1974-08-13" });
  const saved = requireResult(await save({ userId, scanId, bornOn: "1974-08-12" }));
  expect(saved.profile).toMatchObject({ ...anna, passports: [{ number: "***67" }] });
  expect(saved.notTaken).toEqual([{ field: "bornOn", reason: "sent_otherwise" }]);
});

it("fields that a scan does not fill are listed with the reason", async () => {
  const { passport: _, ...person } = bo;
  const notTaken = [
    { field: "familyName", reason: "name_not_confirmed" } as const,
    { field: "passports", reason: "expired" } as const,
  ];
  const scanId = await keepScan(service, { ...person, notTaken });
  const saved = requireResult(await save({ userId: "user_told", scanId, familyName: "Lindqvist" }));
  // The family name was sent, so nothing is missing there.
  expect(saved).toMatchObject({ notTaken: [{ field: "passports", reason: "expired" }], profile: { passports: [] } });
  const short = await keepScan(service, { ...bo, passport: { ...passport, number: "1" } });
  const refused = requireResult(await save({ userId: "user_short", scanId: short }));
  expect(refused.notTaken).toEqual([{ field: "passports", reason: "not_accepted" }]);
  expect(requireResult(await save({ userId: "user_told", title: "mr" }))).not.toHaveProperty("notTaken");
});
