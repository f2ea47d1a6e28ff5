import type { Finding } from "../area.ts";
import type { Acknowledgement } from "../history.ts";
import type { Books } from "./books.ts";

/** Counts by a key, and names repeated items. */
export function findRepeated<Item>(items: readonly Item[], toKey: (item: Item) => string | null): string[] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = toKey(item);
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([key, count]) => `${count} times ${key}`);
}

const describe = ({ tool, key, round }: Acknowledgement): string =>
  `${tool}${key === undefined ? "" : ` by key ${key}`} in round ${round}`;

/** Every answered call is on record, at any moment, even right after a kill. */
export function checkAcknowledged(acknowledged: readonly Acknowledgement[], usage: Books["usage"]): Finding {
  const records = new Map(usage.map((record) => [record.id, record]));
  const problems = acknowledged.flatMap((answer) => {
    const { meterId, priceMicroUsdc, tool, replayed } = answer;
    if (meterId === undefined) return replayed ? [] : [`${describe(answer)} was answered without a usage record`];
    const record = records.get(meterId);
    if (record === undefined) return [`${meterId} of ${describe(answer)} is not there`];
    if (record.price !== priceMicroUsdc) return [`${meterId} says ${record.price}, the answer ${priceMicroUsdc}`];
    return record.tool === tool ? [] : [`${meterId} of ${describe(answer)} is a record of ${record.tool}`];
  });
  return {
    invariant: "every acknowledged usage record is there, with the acknowledged price",
    checked: acknowledged.length,
    problems,
  };
}

export function checkNoneTwice(usage: Books["usage"]): Finding {
  const keyed = usage.filter((record) => record.idempotency_key !== null);
  const problems = [
    ...findRepeated(usage, ({ id }) => `record ${id}`),
    ...findRepeated(usage, ({ call_id }) => (call_id === null ? null : `a record of ${call_id}`)),
    ...findRepeated(
      keyed,
      ({ tenant_id, subject, tool, idempotency_key }) =>
        `a record of ${tool} by key ${idempotency_key} of ${subject} (${tenant_id})`,
    ),
  ];
  return { invariant: "no usage record is there twice, by id, call or key", checked: usage.length, problems };
}

export function checkOneAnswerPerKey(acknowledged: readonly Acknowledgement[]): Finding {
  const meters = new Map<string, string>();
  const problems: string[] = [];
  for (const { key, tool, userId, meterId } of acknowledged) {
    if (key === undefined || meterId === undefined) continue;
    const name = `${tool} by key ${key} of ${userId ?? "the service account"}`;
    const before = meters.get(name);
    if (before !== undefined && before !== meterId) problems.push(`${name} was metered as ${before} and as ${meterId}`);
    meters.set(name, meterId);
  }
  return { invariant: "one idempotency key was metered once", checked: meters.size, problems };
}

export function checkSigned(acknowledged: readonly Acknowledgement[]): Finding {
  const problems = acknowledged.filter(({ signed }) => !signed).map((answer) => `${describe(answer)} is not`);
  return { invariant: "every answer is signed with the tenant's secret", checked: acknowledged.length, problems };
}

/** The surface of records paid by a payment. */
const PAID = "paid";
/** Open matters that reserve nothing of a tenant's spending. */
const WORK: ReadonlySet<string> = new Set(["open bookings", "open chain transactions"]);

export function checkSpent({ usage, spends, open }: Books): Finding {
  const problems: string[] = [];
  for (const { tenant_id, spent } of sumByTenant(spends)) {
    const recorded = usage
      .filter((record) => record.tenant_id === tenant_id && record.surface !== PAID)
      .reduce((sum, { price }) => sum + price, 0n);
    if (recorded !== spent) problems.push(`${tenant_id} spent ${spent} and has records of ${recorded} micro-USDC`);
  }
  for (const { matter, count } of open) {
    if (!WORK.has(matter) && count > 0n) problems.push(`${count} ${matter} are left`);
  }
  return {
    invariant: "spent is the sum of the usage records; no reservation is left",
    checked: spends.length,
    problems,
  };
}

/** Over months: a run may cross midnight UTC at a month's end. */
function sumByTenant(spends: Books["spends"]): { tenant_id: string; spent: bigint }[] {
  const totals = new Map<string, bigint>();
  for (const { tenant_id, spent } of spends) totals.set(tenant_id, (totals.get(tenant_id) ?? 0n) + spent);
  return [...totals].map(([tenant_id, spent]) => ({ tenant_id, spent }));
}
