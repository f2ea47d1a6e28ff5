import { expect } from "vitest";
import { z } from "zod";
import { runProgram } from "../../src/commands/command-line.ts";
import { userProgram } from "../../src/commands/user.ts";
import type { TestService } from "./service.ts";
import { requireResult } from "./treasury.ts";

const Key = z.object({ apiKey: z.string() });
const Flown = z.object({ flightNumber: z.string(), departingAt: z.string() });
const Offers = z.array(z.object({ id: z.string(), slices: z.array(z.object({ segments: z.array(Flown) })) })).min(1);
const Listed = z.array(z.object({ approvalId: z.string(), link: z.string() }));

export interface TestPerson {
  id: string;
  key: string;
}

/** A day so many days ahead. */
export const day = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

const sayFlight = (one: z.output<typeof Flown> | undefined): string =>
  `${one?.flightNumber} ${one?.departingAt.slice(0, 10)}`;

/** The people of a test's own tenant, the policy that asks them, and what they decide. */
export class ApprovalDesk {
  readonly #service: TestService;

  constructor(service: TestService) {
    this.#service = service;
  }

  /** Runs `npm run user`, which succeeds. */
  async user(...args: string[]): Promise<unknown> {
    const { code, out, error } = await this.#runUser(args);
    expect(code, error).toBe(0);
    return JSON.parse(out);
  }

  /** Its error output. */
  async refused(...args: string[]): Promise<string> {
    const { code, error } = await this.#runUser(args);
    expect(code).not.toBe(0);
    return error;
  }

  async newPerson(name: string, roles: string): Promise<TestPerson> {
    const lower = name.toLowerCase();
    const id = `user_${lower}`;
    await this.user("add", "--name", name, "--email", `${lower}@example.com`, "--roles", roles, "--id", id);
    return { id, key: Key.parse(await this.user("key", id)).apiKey };
  }

  ask(
    path: string,
    body?: unknown,
    key: string = this.#service.apiKey,
    method: string = body === undefined ? "GET" : "POST",
  ) {
    return this.#service.send(path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  decide(approvalId: unknown, decision: object, key: string) {
    return this.ask(`/api/approvals/${String(approvalId)}/decision`, decision, key);
  }

  /** Every payment over a dollar and every flight needs an approval, but for what is changed. */
  async enforce(approval: object, change: object = {}): Promise<void> {
    const document = { payments: { maxAmountUsd: 1 }, flight: { maxPrice: { default: 1 } }, approval, ...change };
    const { operatorKey } = this.#service;
    expect((await this.ask("/api/policies/approving", { document }, operatorKey, "PUT")).status).toBeLessThan(300);
    const answer = await this.ask("/api/policy-enforcement", { policyId: "approving" }, operatorKey, "PUT");
    expect(answer.status, answer.text).toBe(200);
  }

  /** A payment that waits for an approval. */
  async askToPay(amount: string): Promise<string> {
    const { call, operatorKey } = this.#service;
    await this.enforce({});
    const refused = await call("send_tokens", { to: `0x${"7".repeat(40)}`, amount, token: "USDC" });
    expect(refused.body.code).toBe("approval_required");
    await this.ask("/api/policy-enforcement", { policyId: null }, operatorKey, "PUT");
    return String(refused.body.approvalId);
  }

  /** The best one for whose flight the tenant has no ticket, as a second one is refused; on a later day if it has all. */
  async anOffer(days: number): Promise<string> {
    const query = { origin: "LHR", destination: "JFK", departureDate: day(days) };
    const { offers } = requireResult(await this.#service.call("search_flights", query));
    const booked = await this.#service.sql(
      `select asked_slices->0->'segments'->0 as first from booking
       where tenant_id = $1 and kind = 'flight' and state <> 'failed' and order_status = 'confirmed'`,
      [this.#service.tenantId],
    );
    const taken = new Set(booked.map(({ first }) => sayFlight(Flown.parse(first))));
    const free = Offers.parse(offers).find(({ slices: [slice] }) => !taken.has(sayFlight(slice?.segments[0])));
    return free?.id ?? (await this.anOffer(days + 1));
  }

  /** The person's own link to what waits. */
  async findLink(approvalId: unknown, { key }: TestPerson): Promise<string> {
    const { approvals } = (await this.ask("/api/approvals", undefined, key)).body;
    return Listed.parse(approvals).find((one) => one.approvalId === approvalId)?.link ?? "";
  }

  async #runUser(args: readonly string[]) {
    const output = { out: "", error: "" };
    const code = await runProgram(
      userProgram,
      [...args, "--tenant", this.#service.tenantId, "--json"],
      { out: (text) => (output.out += text), error: (text) => (output.error += text) },
      (work) => this.#service.operator(work),
    );
    return { code, ...output };
  }
}
