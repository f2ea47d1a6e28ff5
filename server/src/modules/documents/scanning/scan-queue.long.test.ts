import { expect, it } from "vitest";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { EXAMPLE_RECEIPT } from "../example-document.ts";

/** More than one tenant may have running and waiting. */
const SCANS = 14;

it("documents beyond those that may wait are refused with a retry time, and the others are read", async () => {
  await using service = await openSharedService();
  const args = { kind: "receipt", data: EXAMPLE_RECEIPT };
  const answers = await Promise.all(Array.from({ length: SCANS }, () => service.call("scan_document", args)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(SCANS);
  for (const { status, body, headers } of refused) {
    expect([status, body.code]).toEqual([429, "rate_limited"]);
    expect(body.detail).toContain("Too many documents");
    expect(headers.get("retry-after")).toBe("2");
  }
});
