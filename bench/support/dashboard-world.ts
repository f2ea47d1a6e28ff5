import { z } from "zod";
import { bookByRun, prepareTrip } from "../../server/test/support/whole-bookings.ts";
import type { startProduct } from "./processes.ts";

type Product = Awaited<ReturnType<typeof startProduct>>;

const day = (ahead: number) => Temporal.Now.plainDateISO("UTC").add({ days: ahead }).toString();
const Found = z.object({ offers: z.array(z.object({ id: z.string() })).min(1) });

/** One of everything that views list, so that there is a row to multiply and a page to open. */
export async function makeOneOfEach(product: Product): Promise<void> {
  const { appUrl, tenantId, apiKey, quickstart } = product;
  const send = async (path: string, method: "POST" | "PUT", body: object, key = quickstart.operatorKey) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(appUrl + path, { method, headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const call = async (tool: string, args: object) => {
    const { body } = await send("/api/agent/dispatch", "POST", { tenantId, tool, args }, apiKey);
    return z.object({ result: z.unknown() }).parse(body).result;
  };
  const { offers } = Found.parse(
    await call("search_flights", { origin: "LHR", destination: "JFK", departureDate: day(60) }),
  );
  await call("book_flight", { offerId: offers[0]?.id });
  await bookByRun(product, await prepareTrip(product), day(60));
  await call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "2" });
  await send("/api/policies/bench", "PUT", { document: { title: "Bench", payments: { maxAmountUsd: 1 } } });
  await send("/api/policy-enforcement", "PUT", { policyId: "bench" });
  const refused = { tenantId, tool: "send_tokens", args: { to: `0x${"8".repeat(40)}`, amount: "3" } };
  await send("/api/agent/dispatch", "POST", refused, apiKey);
  await send("/api/policy-enforcement", "PUT", { policyId: null });
  await send("/api/budgets", "PUT", { budgetId: "year", amountUsdc: "500", costCentre: "Travel" });
  await send("/api/event-endpoints", "POST", { url: "https://example.com/hook", description: "Bench" });
}
