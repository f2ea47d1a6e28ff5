import { isDeepStrictEqual } from "node:util";
import { formatDecimal } from "../../domain/money.ts";
import type { LazyPlan } from "../../kernel/contracts/call-plan.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import { type Gate, judgeByMemory } from "../../kernel/contracts/gate.ts";
import type { Allowance } from "../../kernel/contracts/preview-answer.ts";
import type { FxRates, RateTable } from "../../ports/fx.ts";
import type { Budget } from "./budgets.ts";
import type { Aggregates, Stores } from "./context.ts";
import {
  allowancesOfCall,
  type Counters,
  countedIn,
  countedInBudget,
  listAllowances,
  listLines,
  requireRoom,
  requireSmallEnough,
  totalSpend,
} from "./judge-spend.ts";
import type { KeyFees } from "./key-fees.ts";
import { type Limited, limitExceeded, whoseLimit } from "./limit-exceeded.ts";
import { type PlannedRecipient, type PlannedSpend, planShownSpend, planSpend, spendsNothing } from "./plan-spend.ts";
import { type FoundLimits, type LimitsInForce, NO_LIMITS } from "./spend-limits.ts";

export interface SpendGateOptions {
  stores: Pick<Stores, "boundChains" | "budgets" | "keyFees" | "spendLimits" | "callSpends" | "wallets">;
  fx: FxRates;
  fees: KeyFees;
}

/** How long reads are judged by cached limits, like keys. */
const MEMORY_MILLISECONDS = 15_000;
const MOST_REMEMBERED = 10_000;
const LIMITED: readonly Limited[] = ["key", "tenant"];

/** The counters of a call's spending with their used amounts, and the budgets that cover it. */
interface CallCounters {
  covering: readonly Budget[];
  counted: ReturnType<typeof countedIn>;
  counters: Counters;
}

/** The limits of a key and its tenant on amounts, recipients and tools: the gate after the monthly cap. */
export class SpendGate implements Gate {
  readonly name = "spend_limits";
  readonly #options: SpendGateOptions;
  /** By key: each belongs to one tenant and one environment. */
  readonly #remembered = new Map<string, { inForce: FoundLimits; until: number }>();
  /** Computed once per call. Entries are released with their plans. */
  readonly #planned = new WeakMap<LazyPlan, Promise<PlannedSpend>>();
  /** The records by which a call was checked, which its preview shows. Entries are released with their plans. */
  readonly #checked = new WeakMap<LazyPlan, { inForce: LimitsInForce; counted: CallCounters | undefined }>();

  constructor(options: SpendGateOptions) {
    this.#options = options;
  }

  check(call: PendingCall, plan: LazyPlan): Promise<void> | void {
    // A call without a key spends only its payment.
    if (call.keyId === "") return;
    const remembered = this.#remembered.get(call.keyId);
    if (call.tool.effect === "read") {
      if (remembered === undefined || remembered.until < performance.now()) return this.#checkTool(call);
      requireTool(call, remembered.inForce);
      if (remembered.inForce.key.fees === undefined) return;
      return this.#checkTool(call);
    }
    // A limit is read anew before it refuses.
    const isLimited = remembered === undefined || remembered.inForce.key.fees !== undefined;
    if (isLimited || notAllowing(call, remembered.inForce) !== undefined) return this.#checkFresh(call, plan);
    if (call.tool.plan !== undefined) return this.#checkByMemory(call, plan, remembered.inForce);
    if (!judgeByMemory(call, remembered.inForce.version)) return this.#checkFresh(call, plan);
  }

  async preview(call: PendingCall, plan: LazyPlan): Promise<readonly Allowance[]> {
    if (call.keyId === "") return [];
    const checked = this.#checked.get(plan);
    const inForce = checked?.inForce ?? (await this.#options.stores.spendLimits.inForce(call));
    const fees = await this.#previewFees(call, inForce);
    if (call.tool.effect === "read") return fees;
    const spend = await this.#planShown(plan);
    const counted = checked?.counted ?? (await this.#count(call, spend));
    const lines = listLines(counted.counted, counted.counters, spend);
    return [
      ...fees,
      ...allowancesOfCall(inForce, spend),
      ...listAllowances({ inForce, budgets: counted.covering }, counted.counters, { lines, isOpen: spend.isOpen }),
    ];
  }

  async #previewFees(call: PendingCall, inForce: LimitsInForce): Promise<readonly Allowance[]> {
    const { fees, stores } = this.#options;
    if (call.paidBy !== "tenant") return [];
    const found = await fees.read(stores, call, inForce, { at: call.startedAt });
    if (found === undefined) return [];
    const left = formatDecimal(found.left);
    return [{ name: "fees of this key", token: "USDC", left, leftAfter: formatDecimal(found.left - call.price) }];
  }

  /** A price that only the run finds out is judged there; a preview judges the price shown to the tenant. */
  async previewRun(call: PendingCall, plan: LazyPlan): Promise<void> {
    if (call.keyId === "" || !(await this.#planSpendOnce(plan)).isOpen) return;
    const spend = await this.#planShown(plan);
    if (spend.isOpen) return;
    // The same records as a moment ago: only the price is another one.
    const { inForce, counted } = this.#checked.get(plan) ?? {};
    await this.#requireRoom(call, inForce ?? (await this.#options.stores.spendLimits.inForce(call)), spend, counted);
  }

  uses({ keyId, tool }: PendingCall, plan: LazyPlan): Promise<boolean> | boolean {
    if (keyId === "") return false;
    if (this.#remembered.get(keyId)?.inForce.key.fees !== undefined) return true;
    return tool.plan !== undefined && this.#spends(plan);
  }

  async reserve(call: PendingCall, plan: LazyPlan, aggregates: Aggregates): Promise<void> {
    const inForce = this.#remembered.get(call.keyId)?.inForce;
    if (inForce !== undefined) await this.#options.fees.reserve(aggregates, call, inForce);
    if (call.tool.plan === undefined || !(await this.#spends(plan))) return;
    await aggregates.callSpends.reserve(call, call, await this.#planSpendOnce(plan));
  }

  async settle({ id }: PendingCall): Promise<void> {
    await this.#options.stores.callSpends.settle(id);
  }

  async #checkTool(call: PendingCall): Promise<void> {
    const inForce = await this.#look(call);
    requireTool(call, inForce);
    await this.#requireFees(call, inForce);
  }

  #requireFees(call: PendingCall, inForce: LimitsInForce): Promise<void> {
    const { fees, stores } = this.#options;
    return fees.require(stores, call, inForce);
  }

  /** A spending under limits or budgets also depends on the counters, which are read anew. */
  async #checkByMemory(call: PendingCall, plan: LazyPlan, inForce: FoundLimits): Promise<void> {
    const spend = await this.#planSpendOnce(plan);
    const isFree = spendsNothing(spend) && spend.recipients.length === 0;
    const isUnlimited = isFree || LIMITED.every((limited) => isDeepStrictEqual(inForce[limited], NO_LIMITS));
    if (!isUnlimited || !judgeByMemory(call, inForce.version)) return await this.#checkFresh(call, plan);
    if (!spendsNothing(spend) && (await this.#covering(call, spend)).length > 0) await this.#checkFresh(call, plan);
  }

  async #checkFresh(call: PendingCall, plan: LazyPlan): Promise<void> {
    const inForce = await this.#look(call);
    requireTool(call, inForce);
    await this.#requireFees(call, inForce);
    const spend = await this.#planSpendOnce(plan);
    await this.#requireRecipients(call, inForce, spend.recipients);
    const counted = spendsNothing(spend) ? undefined : await this.#requireRoom(call, inForce, spend);
    this.#checked.set(plan, { inForce, counted });
  }

  async #look(call: PendingCall): Promise<LimitsInForce> {
    const inForce = await this.#options.stores.spendLimits.inForce(call);
    if (this.#remembered.size > MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(call.keyId, { inForce, until: performance.now() + MEMORY_MILLISECONDS });
    return inForce;
  }

  async #requireRoom(
    call: PendingCall,
    inForce: LimitsInForce,
    spend: PlannedSpend,
    known?: CallCounters,
  ): Promise<CallCounters> {
    requireSmallEnough(call, inForce, totalSpend(spend));
    const found = known ?? (await this.#count(call, spend));
    const { covering, counted, counters } = found;
    const lines = listLines(counted, counters, spend);
    requireRoom(call, { inForce, budgets: covering }, counters, { lines, isOpen: spend.isOpen });
    return found;
  }

  /** The counters of the call's spending with their used amounts. */
  async #count(call: PendingCall, spend: PlannedSpend): Promise<CallCounters> {
    const covering = await this.#covering(call, spend);
    const counted = [...countedIn(call, call.startedAt), ...covering.map(countedInBudget)];
    const counters = await this.#options.stores.callSpends.counters(call, counted);
    return { covering, counted, counters };
  }

  #covering(call: PendingCall, spend: PlannedSpend): Promise<readonly Budget[]> {
    const { keyId, travelerId, startedAt: at } = call;
    const travelerIds = [travelerId, ...spend.travelerIds];
    return this.#options.stores.budgets.covering(call, { keyId, travelerIds, tripId: spend.tripId, at });
  }

  async #requireRecipients(
    call: PendingCall,
    inForce: LimitsInForce,
    recipients: readonly PlannedRecipient[],
  ): Promise<void> {
    for (const limited of LIMITED) {
      const allowed = inForce[limited].recipients;
      const others = allowed === undefined ? [] : recipients.filter(({ address }) => !allowed.includes(address));
      for (const recipient of others) {
        if (await this.#isOwn(call, recipient)) continue;
        const { address } = recipient;
        throw limitExceeded(call, {
          limited,
          limit: "recipients",
          says: `The limits of ${whoseLimit[limited]} do not allow ${address} as a recipient.`,
          extra: { recipient: address, allowed },
        });
      }
    }
  }

  /** The tenant's treasury, or the service's collection account, on the chain of the movement. */
  async #isOwn({ tenantId, environment }: PendingCall, { address, chain }: PlannedRecipient): Promise<boolean> {
    const { boundChains, wallets } = this.#options.stores;
    const key = chain === undefined ? await boundChains.requireHome(environment) : { environment, chain };
    const wallet = (await wallets.findByAddress(key, [address])).get(address);
    return wallet?.kind === "collection" || (wallet?.kind === "treasury" && wallet.tenantId === tenantId);
  }

  async #spends(plan: LazyPlan): Promise<boolean> {
    return !spendsNothing(await this.#planSpendOnce(plan));
  }

  async #planShown(plan: LazyPlan): Promise<PlannedSpend> {
    return await planShownSpend(await plan(), () => this.#rates());
  }

  #rates(): Promise<RateTable> {
    return this.#options.fx.table(new AbortController().signal);
  }

  #planSpendOnce(plan: LazyPlan): Promise<PlannedSpend> {
    const known = this.#planned.get(plan);
    if (known !== undefined) return known;
    const spend = plan().then((planned) => planSpend(planned, () => this.#rates()));
    this.#planned.set(plan, spend);
    return spend;
  }
}

function requireTool(call: PendingCall, inForce: LimitsInForce): void {
  const limited = notAllowing(call, inForce);
  if (limited === undefined) return;
  throw limitExceeded(call, {
    limited,
    limit: "tools",
    says: `The limits of ${whoseLimit[limited]} do not allow the tool ${call.tool.name}.`,
    extra: { allowed: inForce[limited].tools },
  });
}

/** The holder of the limits that exclude the call's tool. */
function notAllowing({ tool }: PendingCall, inForce: LimitsInForce): Limited | undefined {
  return LIMITED.find((limited) => inForce[limited].tools?.includes(tool.name) === false);
}
