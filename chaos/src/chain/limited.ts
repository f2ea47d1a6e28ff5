import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "../call.ts";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../random.ts";
import { restBeside, runWorkers } from "../workers.ts";
import { type LimitedBooks, readLimited } from "./check-limits.ts";
import type { Sender } from "./operations.ts";

const MICRO = 1_000_000n;
/** The callers of both tenants together. */
const CALLERS = 64;
const MONTHLY_LIMIT = 60n * MICRO;
const FIRST_BUDGET_USDC = 40;
const MORE_EACH_ROUND_USDC = 20;
const BUDGET_ID = "chaos";
const MOST_TRIES = 4;

/** Two tenants with many callers and little to spend: one under a monthly limit, one with a budget that grows each round. */
export class LimitedStorm {
  readonly #deployment: Deployment;
  readonly #limited: Sender;
  readonly #budgeted: Sender;
  readonly #share: number;
  readonly #refused = new Set<string>();
  #calls = 0;
  #budgetUsdc = FIRST_BUDGET_USDC;

  private constructor(deployment: Deployment, [limited, budgeted]: readonly [Sender, Sender], share: number) {
    this.#deployment = deployment;
    this.#limited = limited;
    this.#budgeted = budgeted;
    this.#share = share;
  }

  static async open(deployment: Deployment, tenants: readonly [Sender, Sender], share: number): Promise<LimitedStorm> {
    const storm = new LimitedStorm(deployment, tenants, share);
    await deployment.limitSpending(storm.#limited.tenantId, MONTHLY_LIMIT);
    await storm.#setBudget();
    return storm;
  }

  async run(round: number, random: Random, signal: AbortSignal): Promise<void> {
    this.#budgetUsdc = FIRST_BUDGET_USDC + round * MORE_EACH_ROUND_USDC;
    // When the service is away just now, the next round raises it.
    await this.#setBudget().catch(() => undefined);
    const callers = Math.ceil(CALLERS * this.#share);
    await runWorkers(callers, random, signal, async (own, index) => {
      const sender = index % 2 === 0 ? this.#limited : this.#budgeted;
      while (!signal.aborted) {
        const isSpent = await this.#send(sender, own, signal);
        // Another refusal shows little.
        for (let rests = isSpent ? 5 : 1; rests > 0; rests -= 1) await restBeside(this.#share, signal);
      }
    });
  }

  /** The tenants' highest allowances, and their outcome. */
  read(): Promise<LimitedBooks> {
    return readLimited(this.#deployment, [
      { ...this.#limited, allowed: MONTHLY_LIMIT },
      { ...this.#budgeted, allowed: BigInt(this.#budgetUsdc) * MICRO },
    ]);
  }

  /** Whether callers were told that the limit, and that the budget leaves too little: else nothing was shown of them. */
  covered(): ReadonlyMap<string, boolean> {
    return new Map([
      ["a limit that is used up", this.#refused.has(this.#limited.tenantId)],
      ["a budget that is used up", this.#refused.has(this.#budgeted.tenantId)],
    ]);
  }

  /** True: there is nothing left to spend. */
  async #send(sender: Sender, random: Random, signal: AbortSignal): Promise<boolean> {
    this.#calls += 1;
    const number = this.#calls;
    const to = `0x${createHash("sha256").update(`limited ${number}`).digest("hex").slice(0, 40)}`;
    const key = random.chance(0.5) ? { key: `chaos-limited-${number}` } : {};
    const request = { tool: "send_tokens", args: { to, amount: `${random.between(1, 3)}.25` }, ...key };
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const answer = await sender.client.call(request, signal);
      if (isRefusal(answer)) this.#refused.add(sender.tenantId);
      await delay(random.between(20, 400), undefined, { signal });
      // Without a key nobody may ask a second time.
      if (request.key === undefined || answer.kind === "ok" || isRefusal(answer)) return isRefusal(answer);
    }
    return false;
  }

  async #setBudget(): Promise<void> {
    await this.#budgeted.client.put("/api/budgets", {
      budgetId: BUDGET_ID,
      amountUsdc: String(this.#budgetUsdc),
      costCentre: "chaos",
    });
  }
}

function isRefusal(answer: Answer): boolean {
  return answer.kind === "refused" && answer.code === "spend_limit_exceeded";
}
