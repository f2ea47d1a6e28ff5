import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { END, say, startConversations } from "../../../test/support/conversations.ts";
import type { ModelPart } from "../../ports/language-model.ts";

/** Turns whose process dies, and calls that an approver has to allow. */

let service: Awaited<ReturnType<typeof startConversations>>;
beforeAll(async () => {
  service = await startConversations();
  await service.isFunded(service.tenantId);
});
afterAll(() => service?.[Symbol.asyncDispose]());

let calls = 0;
function call(name: string, args: unknown): ModelPart {
  calls += 1;
  return { type: "toolCall", id: `call_${calls}`, name, args };
}

describe("a turn whose process has died", () => {
  it("goes on within 2 s from what is stored: no call is made twice, and no text is shown twice", async () => {
    const hang = Promise.withResolvers<void>();
    service.model.script(
      "Lisbon",
      () => [{ type: "text", text: "I look. " }, call("find_airports_nearby", { query: "Lisbon" }), END],
      async function* () {
        yield { type: "text", text: "It is " };
        await hang.promise;
        yield END;
      },
      () => say("It is LIS."),
    );
    const { begun, principal } = await service.begin({ text: "Lisbon" });
    const owner = { ...principal, ownerId: principal.defaultTravelerId ?? "" };
    const lines = async () =>
      (await service.sql("select line from conversation_event where turn_id = $1", [begun.turnId])).map(({ line }) =>
        String(line),
      );
    await expect.poll(async () => (await lines()).join("\n"), { timeout: 20_000 }).toContain('It is "');
    const at = performance.now();
    await service.sql("update conversation_turn set worker_id = 'dead', due_at = now() where id = $1", [begun.turnId]);
    const events = await service.follow(owner, begun);
    hang.resolve();
    expect(performance.now() - at).toBeLessThan(10_000);
    const ended = z.looseObject({ reply: z.string(), status: z.string() }).parse(JSON.parse(events.at(-1)?.line ?? ""));
    expect(ended).toMatchObject({ status: "answered", reply: "I look. \n\nIt is LIS." });
    expect(events.map(({ line }) => line)).toEqual(await lines());
    expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(1);
  });
});

it("a process without the lease of a turn stores nothing for it", async () => {
  const hang = Promise.withResolvers<void>();
  service.model.script("Hold on", async function* () {
    await hang.promise;
    yield END;
  });
  const { begun, principal } = await service.begin({ text: "Hold on" });
  const owner = { ...principal, ownerId: principal.defaultTravelerId ?? "" };
  const [turn] = (await service.conversations.read(owner, begun.conversationId))?.turns ?? [];
  const late = { sequence: 2, turnId: begun.turnId, type: "reply_delta", line: "late" } as const;
  const now = Temporal.Now.instant();
  const written = await service.turns.write(
    {
      ...owner,
      id: begun.turnId,
      conversationId: begun.conversationId,
      number: 1,
      keyId: principal.keyId,
      userId: undefined,
      channel: "web",
      locale: "en",
      text: turn?.text,
      continuesCall: undefined,
      traceId: "",
      afterSequence: 0,
      isStopped: false,
      createdAt: now,
      lastSequence: 1,
      spent: { steps: 0, tokens: 0, fees: 0n, milliseconds: 0 },
    },
    {
      workerId: "another",
      at: now,
      leasedUntil: now,
      lastSequence: 2,
      events: [late],
      steps: [],
      newCalls: [],
      callChanges: [],
      isAnswer: false,
      answered: undefined,
      confirmation: undefined,
      end: undefined,
    },
  );
  expect(written).toBeUndefined();
  hang.resolve();
  const lines = (await service.follow(owner, begun)).map(({ line }) => line);
  expect(lines).not.toContain("late");
  expect(lines.at(-1)).toContain('"turn_ended"');
});

describe("a call that needs an approval", () => {
  const put = (path: string, body: unknown) =>
    service.send(path, {
      method: "PUT",
      headers: { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const decide = async (decision: string) => {
    const [approval] = await service.sql(
      "select id from approval where state = 'pending' order by position desc limit 1",
    );
    const answer = await service.send(`/api/approvals/${String(approval?.id)}/decision`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" },
      body: JSON.stringify({ decision }),
    });
    expect(answer.status, answer.text).toBe(200);
  };
  const booked = async () =>
    (await service.sql("select id from booking where tenant_id = $1 and state = 'booked'", [service.tenantId])).length;

  it("waits for the approver, and goes on by itself when it is decided", async () => {
    const document = { flight: { maxPrice: { default: 1 } } };
    expect((await put("/api/policies/enforced", { document })).status).toBeLessThan(300);
    expect((await put("/api/policy-enforcement", { policyId: "enforced" })).status).toBe(200);
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
    const Found = z.object({ offers: z.array(z.object({ id: z.string() })).min(1) });
    const flight = { origin: "LHR", destination: "JFK", departureDate };
    const { offers } = Found.parse((await service.call("search_flights", flight)).body.result);
    const before = await booked();
    service.model.script(
      "Book the first flight",
      () => [call("book_flight", { offerId: offers[0]?.id }), END],
      () => say("Something else."),
      () => say("It is booked."),
    );
    const asked = await service.talk({ text: "Book the first flight" });
    expect(asked.ended.status, asked.ended.reply).toBe("awaits_confirmation");
    expect(asked.ended.reply).toContain("requires an approval");
    const { conversationId, owner } = asked;
    const waiting = await service.talk({ text: "yes", conversationId });
    expect(waiting.ended.status, JSON.stringify(waiting.events)).toBe("awaits_approval");
    expect(waiting.events.map(({ type }) => type)).toContain("approval_requested");
    // Another message leaves the request to the approver open.
    const other = await service.talk({ text: "And the weather?", conversationId });
    expect(other.ended.reply).toBe("Something else.");
    await decide("approve");
    await expect
      .poll(async () => (await service.conversations.read(owner, conversationId))?.turns.at(-1)?.reply, {
        timeout: 30_000,
      })
      .toBe("It is booked.");
    expect(await booked()).toBe(before + 1);
  });
});
