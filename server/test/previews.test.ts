import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalog } from "../src/contributions.ts";
import type { CallOptions, TestService } from "./support/service.ts";
import { openSharedService } from "./support/shared-service.ts";
import { resultOf } from "./support/treasury.ts";

/** That a preview says of every tool that writes or spends what its call then gets. */

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const tools = catalog.entries.map(({ tool }) => tool).filter(({ effect }) => effect !== "read");

/** What the preview said, and what the call got: alike in everything but the trace. */
async function expectAgreement(tool: string, args: object, options: CallOptions = {}): Promise<unknown> {
  const previewed = resultOf(await service.call("preview_call", { tool, args }, options));
  const { status, body } = await service.call(tool, args, options);
  const { traceId: _, title: __, type: ___, status: ____, ok: _____, ...said } = body;
  const refused = { accepted: false, problem: said, movements: [] };
  if (status === 200) expect(previewed, tool).toMatchObject({ accepted: true, problem: null });
  else expect(previewed, tool).toMatchObject(refused);
  return body.code;
}

const today = () => Temporal.Now.plainDateISO("UTC");

describe("a preview of a call that names what is not there", () => {
  // Without ids an example names samples of their form, which nobody has.
  test.each(tools.map((tool) => [tool.name, tool] as const))("agrees with the call of %s", async (name, tool) => {
    const code = await expectAgreement(name, tool.example(today()));
    const isAboutRecords = Object.keys(tool.errors).some((one) => one.endsWith("_not_found"));
    if (isAboutRecords && !NEEDS_NO_RECORD.has(name)) expect(code, name).toMatch(/_not_found$/);
  });
});

/** Their examples name nothing that has to be there. */
const NEEDS_NO_RECORD = new Set<string>(["save_traveler", "ensure_flight_customer", "prefund_trip", "give_feedback"]);
