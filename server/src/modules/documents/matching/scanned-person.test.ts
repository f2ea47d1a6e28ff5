import { expect, it } from "vitest";
import { buildScan, passportFields } from "../../../../test/support/fake-scanner.ts";
import type { ReasonCode } from "../reason-codes.ts";
import { toScannedPerson } from "./scanned-person.ts";

const notTaken = (code: ReasonCode, field?: string, more: Readonly<Record<string, string>> = {}) => {
  const reasons = [{ code, message: "Look.", ...(field === undefined ? {} : { field }) }];
  return toScannedPerson(buildScan({ ...passportFields("AB1234567"), ...more }, { reasons }))?.notTaken;
};

it("reports the fields that it leaves out, with the code of the reason", () => {
  expect(notTaken("expired", "expiresOn")).toEqual([{ field: "passports", reason: "expired" }]);
  expect(notTaken("expired")).toEqual([{ field: "passports", reason: "expired" }]);
  expect(notTaken("check_digit_failed", "documentNumber")).toEqual([
    { field: "passports", reason: "check_digit_failed" },
  ]);
  expect(notTaken("name_not_confirmed", "givenName")).toEqual([{ field: "givenName", reason: "name_not_confirmed" }]);
  expect(notTaken("pages_not_read")).toBeUndefined();
  expect(notTaken("pages_not_read", undefined, { sex: "x" })).toEqual([{ field: "gender", reason: "not_accepted" }]);
  expect(notTaken("pages_not_read", undefined, { documentType: "identity_card" })).toEqual([
    { field: "passports", reason: "not_a_passport" },
  ]);
});

it("a field that was not read is left out, too, and a document in doubt as a whole fills nothing", () => {
  const { bornOn: _, ...fields } = passportFields("AB1234567");
  expect(toScannedPerson(buildScan(fields))?.notTaken).toEqual([{ field: "bornOn", reason: "not_read" }]);
  const reasons = [{ code: "mrz_missing" as const, message: "Look." }];
  expect(toScannedPerson(buildScan(fields, { reasons }))).toBeUndefined();
});
