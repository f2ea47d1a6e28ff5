import { Failure } from "../../domain/errors.ts";
import type { PendingCall } from "../../kernel/charge.ts";
import { defineGate, type Gate } from "../../kernel/gate.ts";
import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from "../../platform/batching/group-commit.ts";
import type { Calls, ChargeLine } from "./calls.ts";

export interface SpendCapOptions extends Omit<GroupCommitOptions<ChargeLine, boolean>, "flush"> {
  calls: Pick<Calls, "charge" | "reserve">;
  processId: string;
}

/** For how long a refused read keeps reads of the same price and up from running in vain. */
const ROOM_MEMORY_MILLISECONDS = 250;
const MOST_REMEMBERED = 10_000;

/**
 * A tenant's monthly cap, the first gate. It holds in each environment for itself. What it is used up by is not reserved in a transaction of the call's own, as other gates
 * do: cap and reservation, or cap and usage record, are one statement for all calls that arrive at the same time.
 */
export class SpendCap {
  readonly gate: Gate = defineGate({ name: "spend_cap", check: (call) => this.#check(call) });
  readonly #charges: GroupCommit<ChargeLine, boolean>;
  readonly #reservations: GroupCommit<ChargeLine, boolean>;
  /** Tenants, each in its environment, that were refused a moment ago: `price` is known not to fit. */
  readonly #refusals = new Map<string, { price: bigint; until: number }>();

  constructor({ calls, processId, ...group }: SpendCapOptions) {
    this.#charges = createGroupCommit({ ...group, flush: (lines) => grantTwice(lines, (some) => calls.charge(some)) });
    this.#reservations = createGroupCommit({
      ...group,
      flush: (lines) => grantTwice(lines, (some) => calls.reserve(some, processId)),
    });
  }

  /** Of a read that has run. False: it does not fit under the cap, or has lost its idempotency key. */
  charge(line: ChargeLine): Promise<boolean> {
    return this.#charges.submit(line);
  }

  /** Of a write or a spend that is to run. False as for `charge`. */
  reserve(line: ChargeLine): Promise<boolean> {
    return this.#reservations.submit(line);
  }

  /** What a call is told that does not fit; remembered for the reads that come next. */
  refuse(call: PendingCall): Failure {
    if (this.#refusals.size > MOST_REMEMBERED) this.#refusals.clear();
    this.#refusals.set(capOf(call), { price: call.price, until: performance.now() + ROOM_MEMORY_MILLISECONDS });
    return spendCapExceeded();
  }

  async idle(): Promise<void> {
    await Promise.all([this.#charges.idle(), this.#reservations.idle()]);
  }

  /** From memory: the statement that charges or reserves has the last word. */
  #check(call: PendingCall): void {
    const { tool, price, paidBy } = call;
    if (tool.effect !== "read" || paidBy !== "tenant") return;
    const refusal = this.#refusals.get(capOf(call));
    if (refusal !== undefined && refusal.until > performance.now() && price >= refusal.price) throw spendCapExceeded();
  }
}

function capOf({ tenantId, environment }: PendingCall): string {
  return `${tenantId} ${environment}`;
}

/** A grant is a prefix, so a dear call keeps cheaper ones behind it out: those are asked for once more, cheapest first. */
async function grantTwice(
  lines: readonly ChargeLine[],
  grant: (lines: readonly ChargeLine[]) => Promise<readonly boolean[]>,
): Promise<readonly boolean[]> {
  const first = await grant(lines);
  const refused = lines.filter((_, index) => first[index] === false);
  const [some] = refused;
  if (some === undefined || refused.every((line) => line.price === some.price)) return first;
  const again = refused.toSorted((left, right) => Number(left.price - right.price));
  const second = await grant(again);
  const granted = new Set(again.filter((_, index) => second[index] === true).map((line) => line.id));
  return lines.map((line, index) => first[index] === true || granted.has(line.id));
}

function spendCapExceeded(): Failure {
  return new Failure("spend_cap_exceeded", {
    detail:
      "The tenant's monthly spend cap leaves no room for this call. The operator can raise it: npm run tenant -- set <tenantId> --cap <USDC>.",
  });
}
