import type { Micro } from "../../domain/money.ts";
import type { CallPlan, LazyPlan } from "../../kernel/contracts/call-plan.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import { ConfirmationRequired, type Gate } from "../../kernel/contracts/gate.ts";
import type { FxRates } from "../../ports/fx.ts";
import { hashPlan, redactText, showConfirmation } from "../conversations/index.ts";
import { planShownSpend, spendsNothing } from "../limits/index.ts";
import type { Stores } from "./context.ts";

interface ConfirmationGateOptions {
  stores: Pick<Stores, "spendLimits" | "travelerRecords">;
  fx: FxRates;
}

/** The client's own language and zone are not told. */
const LOCALE = "en";
const TIME_ZONE = "UTC";

/**
 * Asks the person at the client before a call moves money or does what cannot be undone, from the amount that the limits of the
 * key or its tenant name. It depends on what the client can do: what must be enforced is a limit, a policy or an approval.
 */
export class ConfirmationGate implements Gate {
  readonly name = "confirmation";
  readonly #options: ConfirmationGateOptions;

  constructor(options: ConfirmationGateOptions) {
    this.#options = options;
  }

  check(call: PendingCall, plan: LazyPlan): Promise<void> | void {
    const { confirming, keyId, tool } = call;
    if (confirming === undefined || confirming.isPreview === true) return;
    if (keyId === "" || tool.effect === "read" || tool.plan === undefined) return;
    return this.#check(call, plan);
  }

  async warn(call: PendingCall, plan: LazyPlan): Promise<readonly string[]> {
    if (call.confirming?.isPreview !== true || call.tool.plan === undefined) return [];
    return (await this.#mustAsk(call, await plan()))
      ? ["Your client asks the person who uses it before the call runs: that person can decline."]
      : [];
  }

  async #check(call: PendingCall, plan: LazyPlan): Promise<void> {
    const planned = await plan();
    if (!(await this.#mustAsk(call, planned))) return;
    const { tool, confirming } = call;
    const args = redactText(call.args);
    const subject = await planned.readSubject?.();
    const confirmed = { tool, args, plan: planned, subject, refund: undefined, needsApproval: false };
    const planHash = hashPlan(confirmed);
    if (confirming?.confirmedPlan === planHash) return;
    const circumstances = { locale: LOCALE, timeZone: TIME_ZONE, names: await this.#readNames(call, planned) };
    const again = confirming?.confirmedPlan !== undefined ? "changed" : confirming?.isExpired ? "expired" : undefined;
    const { text: question } = showConfirmation(confirmed, { ...circumstances, again });
    throw new ConfirmationRequired({ question, planHash });
  }

  async #mustAsk(call: PendingCall, planned: CallPlan): Promise<boolean> {
    // The run itself refuses the one, and the other only gives an earlier call's answer.
    if (planned.refusal !== undefined || planned.isRepeat === true) return false;
    const { key, tenant } = await this.#options.stores.spendLimits.inForce(call);
    const from = least(key.confirmFrom, tenant.confirmFrom);
    if (from === undefined) return false;
    const spend = await planShownSpend(planned, () => this.#options.fx.table(new AbortController().signal));
    if (spendsNothing(spend)) return planned.irreversible.length > 0;
    return spend.isOpen || spend.paid + spend.escrowed + spend.committed >= from;
  }

  async #readNames({ tenantId, environment }: PendingCall, { travelerIds, bought }: CallPlan) {
    const names = new Map<string, string>();
    for (const userId of travelerIds ?? bought?.travelerIds ?? []) {
      const profile = await this.#options.stores.travelerRecords.get(tenantId, userId, environment);
      const name = [profile?.givenName, profile?.familyName].filter((part) => part !== undefined).join(" ");
      if (name !== "") names.set(userId, name);
    }
    return names;
  }
}

function least(one: Micro | undefined, other: Micro | undefined): Micro | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
