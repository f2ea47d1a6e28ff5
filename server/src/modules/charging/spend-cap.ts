import { Failure } from "../../domain/errors.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import { defineGate, type Gate } from "../../kernel/contracts/gate.ts";
import type { Allowance } from "../../kernel/contracts/preview-answer.ts";
import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from "../../platform/batching/group-commit.ts";
import type { Calls, ChargeLine } from "./calls.ts";
import { formatMonth } from "./charge-line.ts";

export interface SpendCapOptions extends Omit<GroupCommitOptions<ChargeLine, boolean>, "flush"> {
  calls: Pick<Calls, "charge" | "reserve" | "room">;
  processId: string;
}

/** How long a room known to be too small is not read again. */
const ROOM_MEMORY_MILLISECONDS = 250;
const MOST_REMEMBERED = 10_000;

/** The rest of a cap when last read, less what this process has used since. */
interface Room {
  micro: bigint;
  seenAt: number;
}

/**
 * A tenant's monthly cap in each environment, the first gate. Unlike other gates it does not reserve in the call's transaction:
 * cap and reservation, or cap and usage record, are one statement for all calls that arrive together.
 */
export class SpendCap {
  readonly gate: Gate = defineGate({
    name: "spend_cap",
    check: (call) => this.#check(call),
    preview: (call) => this.#preview(call),
  });
  readonly #calls: SpendCapOptions["calls"];
  readonly #isTransient: SpendCapOptions["isTransient"];
  readonly #charges: GroupCommit<ChargeLine, boolean>;
  readonly #reservations: GroupCommit<ChargeLine, boolean>;
  /** Keyed by tenant, environment and month. */
  readonly #rooms = new Map<string, Room>();
  readonly #looks = new Map<string, Promise<void>>();

  constructor({ calls, processId, ...group }: SpendCapOptions) {
    this.#calls = calls;
    this.#isTransient = group.isTransient;
    this.#charges = createGroupCommit({
      ...group,
      flush: (lines) => grantTwice(lines, (some) => calls.charge(some, processId)),
    });
    this.#reservations = createGroupCommit({
      ...group,
      flush: (lines) => grantTwice(lines, (some) => calls.reserve(some, processId)),
    });
  }

  /** Charges a read that has run. False: it exceeds the cap, or has lost its idempotency key. */
  async charge(line: ChargeLine): Promise<boolean> {
    return this.#use(line, await this.#charges.submit(line));
  }

  /** Reserves for a write or a spend before it runs. False as for `charge`. */
  async reserve(line: ChargeLine): Promise<boolean> {
    return this.#use(line, await this.#reservations.submit(line));
  }

  /** Refuses a call over the cap and remembers this for the following reads. */
  refuse(call: PendingCall): Failure {
    const cap = capKey(call);
    const known = this.#rooms.get(cap)?.micro;
    const tooLittle = call.price - 1n;
    this.#remember(cap, known !== undefined && known < tooLittle ? known : tooLittle);
    return spendCapExceeded();
  }

  /** Throws if the cap is known to leave too little for a read, which is charged only after its run. */
  async requireRoom(call: PendingCall): Promise<void> {
    const cap = capKey(call);
    const known = this.#rooms.get(cap);
    if (known !== undefined && known.micro >= call.price) return;
    if (known === undefined || performance.now() >= known.seenAt + ROOM_MEMORY_MILLISECONDS)
      await this.#look(cap, call);
    const seen = this.#rooms.get(cap);
    if (seen !== undefined && seen.micro < call.price) throw spendCapExceeded();
  }

  async idle(): Promise<void> {
    await Promise.all([this.#charges.idle(), this.#reservations.idle()]);
  }

  /** A read with a key may already be paid; its charge checks the room once that is known. */
  #check(call: PendingCall): Promise<void> | void {
    const { tool, price, paidBy, idempotencyKey } = call;
    if (tool.effect !== "read" || paidBy !== "tenant" || idempotencyKey !== undefined) return;
    const known = this.#rooms.get(capKey(call));
    if (known === undefined || known.micro < price) return this.requireRoom(call);
  }

  /** A real call is decided by the statement that charges it. */
  async #preview({ tenantId, environment, price, paidBy, startedAt }: PendingCall): Promise<readonly Allowance[]> {
    if (paidBy !== "tenant") return [];
    const left = await this.#calls.room({ tenantId, environment, period: formatMonth(startedAt) });
    if (price > left) throw spendCapExceeded();
    return [{ name: "monthly cap", token: "USDC", left: formatDecimal(left), leftAfter: formatDecimal(left - price) }];
  }

  /** One read for all waiting calls. If the database is away, nothing is refused here: the charge waits for it. */
  async #look(cap: string, call: PendingCall): Promise<void> {
    const looking = this.#looks.get(cap) ?? this.#readRoom(cap, call).finally(() => this.#looks.delete(cap));
    this.#looks.set(cap, looking);
    await looking;
  }

  async #readRoom(cap: string, { tenantId, environment, startedAt }: PendingCall): Promise<void> {
    try {
      const room = await this.#calls.room({ tenantId, environment, period: formatMonth(startedAt) });
      this.#remember(cap, room);
    } catch (error) {
      if (!this.#isTransient(error)) throw error;
    }
  }

  #remember(cap: string, micro: bigint): void {
    if (this.#rooms.size >= MOST_REMEMBERED) this.#rooms.clear();
    this.#rooms.set(cap, { micro, seenAt: performance.now() });
  }

  #use({ tenantId, environment, period, price }: ChargeLine, isGranted: boolean): boolean {
    const room = isGranted ? this.#rooms.get(`${tenantId} ${environment} ${period}`) : undefined;
    if (room !== undefined) room.micro -= price;
    return isGranted;
  }
}

function capKey({ tenantId, environment, startedAt }: PendingCall): string {
  return `${tenantId} ${environment} ${formatMonth(startedAt)}`;
}

/** A grant is a prefix, so an expensive call blocks cheaper ones behind it: those are tried once more, cheapest first. */
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
      "The remaining monthly spend cap of the tenant does not cover this call. The operator can raise it: npm run tenant -- set <tenantId> --cap <USDC>.",
  });
}
