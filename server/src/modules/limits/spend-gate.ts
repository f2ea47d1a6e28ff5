import type { Hex } from "../../domain/tokens.ts";
import type { PendingCall } from "../../kernel/charge.ts";
import type { Gate } from "../../kernel/gate.ts";
import type { LazyPlan } from "../../kernel/plan.ts";
import type { Allowance } from "../../kernel/preview-answer.ts";
import type { Aggregates, Stores } from "../../kernel/stores.ts";
import type { FxRates, RateTable } from "../../ports/fx.ts";
import {
  allowancesOf,
  countedIn,
  countedInBudget,
  linesOf,
  requireRoom,
  requireSmallEnough,
  totalOf,
} from "./judge-spend.ts";
import { limitExceeded, whoseLimit } from "./limit-exceeded.ts";
import { type PlannedSpend, planSpend, spendsNothing } from "./plan-spend.ts";
import type { LimitsInForce } from "./spend-limits.ts";

export interface SpendGateOptions {
  stores: Pick<Stores, "budgets" | "spendLimits" | "callSpends" | "wallets">;
  fx: FxRates;
}

/** So long a read rests on limits that were looked up before, as it rests on a key. */
const MEMORY_MILLISECONDS = 15_000;
const MOST_REMEMBERED = 10_000;
const LIMITED = ["key", "tenant"] as const;

/** What a key and its tenant may spend, on whom and by which tools: the gate after the monthly cap. */
export class SpendGate implements Gate {
  readonly name = "spend_limits";
  readonly #options: SpendGateOptions;
  /** By keys: each belongs to one tenant and one environment. */
  readonly #remembered = new Map<string, { inForce: LimitsInForce; until: number }>();
  /** Worked out once for a call. Entries go with their plans. */
  readonly #spends = new WeakMap<LazyPlan, Promise<PlannedSpend>>();

  constructor(options: SpendGateOptions) {
    this.#options = options;
  }

  check(call: PendingCall, plan: LazyPlan): Promise<void> | void {
    // Who calls without a key spends nothing but what it pays with.
    if (call.keyId === "") return;
    if (call.tool.effect !== "read") return this.#checkFresh(call, plan);
    const remembered = this.#remembered.get(call.keyId);
    if (remembered === undefined || remembered.until < performance.now()) return this.#checkRead(call);
    requireTool(call, remembered.inForce);
  }

  async preview(call: PendingCall, plan: LazyPlan): Promise<readonly Allowance[]> {
    if (call.keyId === "" || call.tool.effect === "read") return [];
    const spend = await this.#spendOf(plan);
    const [inForce, { covering, counters, lines }] = await Promise.all([
      this.#options.stores.spendLimits.inForce(call),
      this.#count(call, spend),
    ]);
    return allowancesOf({ inForce, budgets: covering }, counters, { lines, isOpen: spend.isOpen });
  }

  async uses({ keyId }: PendingCall, plan: LazyPlan): Promise<boolean> {
    return keyId !== "" && !spendsNothing(await this.#spendOf(plan));
  }

  async reserve(call: PendingCall, plan: LazyPlan, { callSpends }: Aggregates): Promise<void> {
    await callSpends.reserve(call, call, await this.#spendOf(plan));
  }

  async settle({ id }: PendingCall): Promise<void> {
    await this.#options.stores.callSpends.settle(id);
  }

  async #checkRead(call: PendingCall): Promise<void> {
    const inForce = await this.#options.stores.spendLimits.inForce(call);
    if (this.#remembered.size > MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(call.keyId, { inForce, until: performance.now() + MEMORY_MILLISECONDS });
    requireTool(call, inForce);
  }

  async #checkFresh(call: PendingCall, plan: LazyPlan): Promise<void> {
    const inForce = await this.#options.stores.spendLimits.inForce(call);
    requireTool(call, inForce);
    const spend = await this.#spendOf(plan);
    await this.#requireRecipients(call, inForce, spend.recipients);
    if (!spendsNothing(spend)) await this.#requireRoom(call, inForce, spend);
  }

  async #requireRoom(call: PendingCall, inForce: LimitsInForce, spend: PlannedSpend): Promise<void> {
    requireSmallEnough(call, inForce, totalOf(spend));
    const { covering, counters, lines } = await this.#count(call, spend);
    requireRoom(call, { inForce, budgets: covering }, counters, { lines, isOpen: spend.isOpen });
  }

  /** Where the call's spending counts, and what is used there. */
  async #count(call: PendingCall, spend: PlannedSpend) {
    const { budgets, callSpends } = this.#options.stores;
    const { keyId, travelerId, startedAt: at } = call;
    const covering = await budgets.covering(call, { keyId, travelerId, tripId: spend.tripId, at });
    const counted = [...countedIn(call, at), ...covering.map(countedInBudget)];
    const counters = await callSpends.counters(call, counted);
    return { covering, counters, lines: linesOf(counted, counters, spend) };
  }

  async #requireRecipients(call: PendingCall, inForce: LimitsInForce, recipients: readonly Hex[]): Promise<void> {
    for (const limited of LIMITED) {
      const allowed = inForce[limited].recipients;
      const others = allowed === undefined ? [] : recipients.filter((address) => !allowed.includes(address));
      for (const address of others) {
        if (await this.#isOwn(call, address)) continue;
        throw limitExceeded(call, {
          limited,
          limit: "recipients",
          says: `The limits of ${whoseLimit[limited]} do not allow ${address} as a recipient.`,
          extra: { recipient: address, allowed },
        });
      }
    }
  }

  /** The tenant's treasury, or the service's collection account. */
  async #isOwn({ tenantId, environment }: PendingCall, address: Hex): Promise<boolean> {
    const wallet = (await this.#options.stores.wallets.findByAddress(environment, [address])).get(address);
    return wallet?.kind === "collection" || (wallet?.kind === "treasury" && wallet.tenantId === tenantId);
  }

  #spendOf(plan: LazyPlan): Promise<PlannedSpend> {
    const known = this.#spends.get(plan);
    if (known !== undefined) return known;
    const rates = (): Promise<RateTable> => this.#options.fx.table(new AbortController().signal);
    const spend = plan().then((planned) => planSpend(planned, rates));
    this.#spends.set(plan, spend);
    return spend;
  }
}

function requireTool(call: PendingCall, inForce: LimitsInForce): void {
  const { tool } = call;
  for (const limited of LIMITED) {
    const allowed = inForce[limited].tools;
    if (allowed === undefined || allowed.includes(tool.name)) continue;
    throw limitExceeded(call, {
      limited,
      limit: "tools",
      says: `The limits of ${whoseLimit[limited]} do not allow the tool ${tool.name}.`,
      extra: { allowed },
    });
  }
}
