import { expect } from "vitest";
import type { Provoke, World } from "./refusal.ts";

/**
 * Refusals of every call before its tool is asked, shown once each. `idempotency_mismatch` is not among them: a preview
 * does not know the key of the call.
 */

const payee = "0x00000000000000000000000000000000000a11ce";
const sending = { to: payee, amount: "50" };

const keyWithout: Provoke = async ({ service }) => {
  const key = { tenantId: service.tenantId, environment: "sandbox", scopes: ["treasury:read"], actor: "test" } as const;
  const { apiKey } = await service.operator((identity) => identity.mintKey(key));
  return { args: sending, as: { key: apiKey } };
};

const setCap = ({ service }: World, monthlyCapMicroUsdc: bigint) =>
  service.operator((identity) => identity.setTenant(service.tenantId, { monthlyCapMicroUsdc }, "test"));
const DEFAULT_CAP = 100_000_000n;

/** Leaves room for the preview alone, and answers what ends that. The service remembers a used-up cap for a while, so it comes last. */
export async function capSpending(world: World): Promise<() => Promise<unknown>> {
  const { spending } = Object(await world.result("read_account", {}));
  // This read is counted when it has answered, and the preview when it has.
  await setCap(world, BigInt(spending.spentMicroUsdc) + 500n + 4_999n);
  return () => setCap(world, DEFAULT_CAP);
}

const limited: Provoke = async ({ service }) => {
  const setDay = (perDay: bigint | undefined) =>
    service.operator(({ spending: { spendLimits } }) =>
      spendLimits.set(service.tenantId, "sandbox", undefined, { perDay }, "test"),
    );
  await setDay(1n);
  return { args: sending, restore: () => setDay(undefined) };
};

const put = async ({ service }: World, path: string, body: object) => {
  const headers = { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" };
  const answer = await service.send(path, { method: "PUT", headers, body: JSON.stringify(body) });
  expect(answer.status, answer.text).toBeLessThan(300);
};

/** An offer that the policy in force does not let through. */
const forbidden =
  (document: object): Provoke =>
  async (world) => {
    const [offer] = await world.search();
    await put(world, "/api/policies/refusing", { document });
    await put(world, "/api/policy-enforcement", { policyId: "refusing" });
    return {
      args: { offerId: offer?.id },
      restore: () => put(world, "/api/policy-enforcement", { policyId: null }),
    };
  };

export const kernelRefusals: readonly { tool: string; code: string; provoke: Provoke }[] = [
  { tool: "send_tokens", code: "invalid_input", provoke: () => ({ args: { ...sending, amount: "much" } }) },
  { tool: "swap_everything", code: "tool_not_found", provoke: () => ({ args: sending }) },
  { tool: "send_tokens", code: "missing_scope", provoke: keyWithout },
  { tool: "send_tokens", code: "spend_cap_exceeded", provoke: () => ({ args: sending }) },
  { tool: "send_tokens", code: "spend_limit_exceeded", provoke: limited },
  {
    tool: "book_flight",
    code: "policy_denied",
    provoke: forbidden({ rules: [{ id: "dear", severity: "deny", when: { kind: "flight", priceUsdOver: 1 } }] }),
  },
  { tool: "book_flight", code: "approval_required", provoke: forbidden({ flight: { maxPrice: { default: 1 } } }) },
];
