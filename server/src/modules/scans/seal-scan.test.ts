import { expect, it } from "vitest";
import { hashOfScanId, newScanId, openPerson, SCAN_ID, sealPerson } from "./seal-scan.ts";

const owner = { tenantId: "tenant_one", environment: "sandbox" } as const;
const person = {
  givenName: "ANGELA ZOE",
  passport: { nationality: "GBR", number: "AB1234567", expiresOn: "2033-09-15" },
};

it("a sealed scan opens with its id, for its tenant and environment, and for nothing else", () => {
  const scanId = newScanId();
  const sealed = sealPerson(scanId, owner, person);
  expect(openPerson(scanId, owner, sealed)).toEqual(person);
  expect(openPerson(newScanId(), owner, sealed)).toBeUndefined();
  expect(openPerson(scanId, { ...owner, tenantId: "tenant_two" }, sealed)).toBeUndefined();
  expect(openPerson(scanId, { ...owner, environment: "production" }, sealed)).toBeUndefined();
  const changed = Buffer.from(sealed);
  changed[20] = (changed[20] ?? 0) ^ 1;
  expect(openPerson(scanId, owner, changed)).toBeUndefined();
  expect(openPerson(scanId, owner, sealed.subarray(0, 20))).toBeUndefined();
});

it("neither the encrypted scan nor the hash of its id reveals anything about it", () => {
  const scanId = newScanId();
  expect(scanId).toMatch(SCAN_ID);
  const sealed = sealPerson(scanId, owner, person);
  for (const text of ["ANGELA", "AB1234567", scanId]) expect(sealed.includes(text)).toBe(false);
  expect(sealPerson(scanId, owner, person).equals(sealed)).toBe(false);
  expect(hashOfScanId(scanId)).toMatch(/^[0-9a-f]{64}$/);
});
