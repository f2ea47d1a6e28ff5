import { z } from "zod";
import { fromNumber } from "../../../domain/money.ts";
import { CabinClass } from "../../../domain/schemas.ts";
import { defineTool } from "../context.ts";
import { DEFAULT_POLICY_ID } from "../default-corp.ts";
import { describedOffer } from "../described-offer.ts";
import { evaluate } from "../evaluate.ts";
import { policyProblem } from "../unknown-policy.ts";
import { describeVerdict, VerdictAnswer } from "../verdict-answer.ts";

const MOST_NAMED = 20;

const Usd = z.number().refine((value) => fromNumber(value) !== undefined, {
  message: "must be an amount of 0 or more with at most 6 decimal places",
});

const Offer = z.strictObject({
  kind: z.enum(["flight", "hotel"]),
  priceUsd: Usd.describe("Price of the whole booking"),
  carrierIata: z.string().optional(),
  durationHours: z
    .number()
    .refine((hours) => hours >= 0, { message: "must not be negative" })
    .optional()
    .describe("Duration of the longest leg"),
  cabin: CabinClass.optional(),
  supplierId: z.string().optional().describe("Hotel or chain, as named in the policy"),
  pricePerNightUsd: Usd.optional(),
});

export const checkPolicy = defineTool({
  name: "check_policy",
  title: "Check travel policy",
  summary:
    "Check a flight or hotel against a travel policy before booking: allow, warn, require_approval or deny, with each rule that is broken or could not be checked.",
  advice:
    "Books nothing. If a rule could not be checked, the decision is at least warn: pass the fields that note names. Direct bookings must comply only if isEnforced; runs always comply with their policyId. read_policy has the rules. Prices are US dollars, such as 1840.50.",
  area: "policy",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: false,
  uses: ["activePolicies", "clock", "remainingBudgets"],
  input: z.strictObject({
    policyId: z.string().describe(`${DEFAULT_POLICY_ID}, which every tenant has, or one that the tenant has written`),
    offer: Offer,
  }),
  output: VerdictAnswer.extend({
    note: z
      .string()
      .nullable()
      .describe(
        "Which strict rules were not checked, so that decision is at least warn, and what to pass; how an approval is asked for",
      ),
    isEnforced: z.boolean().describe("Whether direct bookings must comply with this policy"),
    policyIds: z.array(z.string()).describe("The tenant's policies"),
    budgets: z
      .array(
        z.object({
          budgetId: z.string(),
          costCentre: z.string().nullable(),
          endsOn: z.string().nullable(),
          amountUsdc: z.string(),
          leftUsdc: z.string().describe("Neither used nor reserved"),
        }),
      )
      .describe("Budgets that would cover your booking now: each must have enough left, or the booking is refused"),
  }),
  errors: {},
  example: () => ({
    policyId: DEFAULT_POLICY_ID,
    offer: {
      kind: "flight" as const,
      priceUsd: 1_840.5,
      carrierIata: "BA",
      durationHours: 7.5,
      cabin: "business" as const,
    },
  }),
  remember: ({ offer }, { decision, policyId, version }) => ({
    kind: "decision",
    text: `The policy ${policyId} judged a ${offer.kind} of ${offer.priceUsd} USD: ${decision}.`,
    details: { decision, policyId, version, kind: offer.kind, priceUsd: offer.priceUsd },
  }),

  async run({ policyId, offer }, { activePolicies, clock, remainingBudgets, caller, invalid }) {
    const policy = await activePolicies.find(caller, policyId);
    if (policy === undefined) {
      const message = (await policyProblem(activePolicies, caller, policyId)) ?? "applies only since this moment";
      throw invalid({ path: "policyId", message });
    }
    const circumstances = { now: clock.now(), booker: undefined, airport: () => undefined };
    const judged = describeVerdict(evaluate(policy.rules, describedOffer(offer), circumstances), policy);
    const open = judged.notEvaluated.filter(({ severity }) => severity !== "warn");
    const decision = judged.decision === "allow" && open.length > 0 ? "warn" : judged.decision;
    const [{ policyIds, enforcedId }, budgets] = await Promise.all([
      activePolicies.names(caller),
      remainingBudgets(caller),
    ]);
    return {
      ...judged,
      decision,
      note: joinNotes(sayOpen(open), sayWay(decision, enforcedId === policyId)),
      isEnforced: enforcedId === policyId,
      policyIds: policyIds.slice(0, MOST_NAMED),
      budgets,
    };
  },
});

const joinNotes = (...notes: readonly (string | null)[]): string | null =>
  notes.filter((note) => note !== null).join(" ") || null;

/** How a person comes to decide, which depends on whether direct bookings meet the policy. */
function sayWay(decision: string, isEnforced: boolean): string | null {
  if (decision === "require_approval") {
    return isEnforced
      ? "Make the booking's call: it is refused with approval_required, and a person is asked."
      : "This policy is not enforced, so a direct booking asks nobody: run_workflow with this policyId asks a person before it books.";
  }
  if (decision !== "deny" || isEnforced) return null;
  return "This policy is not enforced, so a direct booking is not refused; a run with this policyId is.";
}

const MOST_RULES_SAID = 5;

/** A rule that was not judged may still refuse the booking. */
function sayOpen(open: readonly { rule: string; missing: readonly string[] }[]): string | null {
  if (open.length === 0) return null;
  const missing = [...new Set(open.flatMap((one) => one.missing))];
  const fields = missing.filter((name) => Object.hasOwn(Offer.shape, name));
  const others = missing.filter((name) => !Object.hasOwn(Offer.shape, name));
  const rules = open.slice(0, MOST_RULES_SAID).map(({ rule }) => rule);
  const more = open.length - rules.length;
  return [
    `Not checked, and each may still refuse the booking: ${rules.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
    ...(fields.length === 0 ? [] : [`Call again with ${fields.map((name) => `offer.${name}`).join(", ")}.`]),
    ...(others.length === 0
      ? []
      : [
          `An offer described here does not contain ${others.join(", ")}: preview_call of the booking checks the real offer.`,
        ]),
  ].join(" ");
}
