import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { catalog } from "../src/contributions.ts";
import type { CallOptions, TestService } from "./support/service.ts";
import { openSharedService } from "./support/shared-service.ts";
import { requireResult } from "./support/treasury.ts";

/**
 * That a preview says of every tool that writes or spends what its call then gets, where its example names what is not there.
 * refusals.test.ts goes over every code that these tools declare.
 */

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const tools = catalog.entries.map(({ tool }) => tool).filter(({ effect }) => effect !== "read");

const WaitingPreview = z.looseObject({ problem: z.looseObject({ waitSeconds: z.number() }) });

/** Previews and makes the call: both agree in everything but the trace. */
async function expectAgreement(tool: string, args: object, options: CallOptions = {}): Promise<unknown> {
  const previewed = requireResult(await service.call("preview_call", { tool, args }, options));
  const { status, body } = await service.call(tool, args, options);
  const { traceId: _, title: __, type: ___, status: ____, ok: _____, ...said } = body;
  // A wait that is counted in seconds is a little shorter by the time of the call.
  if ("waitSeconds" in said) {
    const { problem } = WaitingPreview.parse(previewed);
    expect(said.waitSeconds).toBeLessThanOrEqual(problem.waitSeconds);
    said.waitSeconds = problem.waitSeconds;
  }
  const refused = { accepted: false, problem: said, movements: [] };
  if (status === 200) expect(previewed, tool).toMatchObject({ accepted: true, problem: null });
  else expect(previewed, tool).toMatchObject(refused);
  return body.code;
}

const today = () => Temporal.Now.plainDateISO("UTC");

/** Tools whose preview accepts calls that are then refused. A fixed tool must leave the list. */
const REFUSED_BY_THE_CALL_ALONE: Readonly<Record<string, string>> = {
  manage_stays_negotiated_rate:
    "only the supplier says which accommodations it knows, and answering it makes a rate there",
};

describe("a preview of a call that names what is not there", () => {
  // Without ids an example names samples of their form, which nobody has.
  test.each(tools.map((tool) => [tool.name, tool] as const))("agrees with the call of %s", async (name, tool) => {
    const args = tool.example(today());
    if (Object.hasOwn(REFUSED_BY_THE_CALL_ALONE, name)) {
      expect(requireResult(await service.call("preview_call", { tool: name, args })), name).toMatchObject({
        accepted: true,
      });
      expect((await service.call(name, args)).status).not.toBe(200);
    } else {
      const code = await expectAgreement(name, args);
      const isAboutRecords = Object.keys(tool.errors).some((one) => one.endsWith("_not_found"));
      if (isAboutRecords && !NEEDS_NO_RECORD.has(name)) expect(code, name).toMatch(/_not_found$|_invalid$/);
    }
  });
});

/** Their examples name nothing that has to be there, or are refused before it is looked for. */
const NEEDS_NO_RECORD = new Set<string>([
  "save_traveler",
  "ensure_flight_customer",
  "prefund_trip",
  "give_feedback",
  "request_validation",
]);

describe("a preview", () => {
  test("refuses a rating of one's own agent, of an unknown one and by nobody, as the call does", async () => {
    const { ownAgentId } = await service.call("read_reputation", {}).then(({ body }) => ({
      ownAgentId: String(Object(Object(body.result).agent).agentId ?? Object(body.result).agentId),
    }));
    const rating = { subjectAgentId: "1", stars: 5, tag: "preview", fromKind: "org" };
    const codes = [
      await expectAgreement("give_feedback", { ...rating, subjectAgentId: ownAgentId }),
      await expectAgreement("give_feedback", { ...rating, subjectAgentId: "999999999" }),
      await expectAgreement("give_feedback", { ...rating, fromKind: "user", fromUserId: "user_nobody" }),
      await expectAgreement("give_feedback", rating),
      await expectAgreement("give_feedback", { ...rating, stars: 1 }),
    ];
    expect(codes).toEqual(["own_agent", "agent_not_found", "user_not_found", undefined, "already_rated"]);
  });

  test("says what leaves in EURC", async () => {
    const to = "0x00000000000000000000000000000000000a11ce";
    const sent = await service.call("preview_call", {
      tool: "send_tokens",
      args: { to, amount: "12.5", token: "EURC" },
    });
    expect(requireResult(sent)).toMatchObject({
      accepted: true,
      inAllUsdc: null,
      inAllParts: { paidToOthersUsdc: null, paidToOthers: [{ token: "EURC", amount: "12.50" }] },
    });
  });

  test("says of a new run that it starts one", async () => {
    const { tripId } = requireResult(await service.call("prefund_trip", { budgetUsdc: "20" }));
    const input = { tripId, origin: "LHR", destination: "JFK", departureDate: today().add({ days: 40 }).toString() };
    const args = { workflowId: "service.book_flight", input };
    const run = requireResult(await service.call("preview_call", { tool: "run_workflow", args }));
    expect(run).toMatchObject({ accepted: true, note: expect.stringContaining("It starts a new run") });
    expect(run.note).not.toMatch(/earlier call|made before/);
    const unknown = { ...args, workflowId: "service.book_boat" };
    expect(await expectAgreement("run_workflow", unknown)).toBe("invalid_input");
  });
});
