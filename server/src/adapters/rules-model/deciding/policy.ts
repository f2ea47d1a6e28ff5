import { z } from "zod";
import type { Speaker } from "../replies/speaker.ts";
import type { Wish } from "../state/state.ts";
import { type Deciding, need, type Outcome, tell } from "./outcome.ts";

const Limit = z
  .looseObject({ severity: z.string().nullish(), default: z.union([z.number(), z.string()]).nullish() })
  .nullish();
const Policy = z.looseObject({
  enforcedPolicyId: z.string().nullish(),
  policies: z.array(z.looseObject({ policyId: z.string(), state: z.string().nullish() })).nullish(),
  document: z
    .looseObject({
      title: z.string().nullish(),
      currency: z.string().nullish(),
      flight: z.looseObject({ maxPrice: Limit, maxCabin: Limit }).nullish(),
      hotel: z.looseObject({ maxNightly: Limit }).nullish(),
      approval: z.looseObject({ role: z.string().nullish() }).nullish(),
      rules: z
        .array(
          z.looseObject({
            severity: z.string().nullish(),
            when: z.looseObject({ kind: z.string().nullish(), priceUsdOver: z.number().nullish() }).nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});
type Policy = z.output<typeof Policy>;

/** The rules that apply now; the default ones where the tenant has none of its own. */
export function tellPolicy(deciding: Deciding, wish: Wish): Outcome {
  const { speaker } = deciding;
  const found = need(deciding, { name: "read_policy", args: {} });
  if ("outcome" in found) return found.outcome;
  let policy = Policy.safeParse(found.result).data;
  const policyId = policy?.enforcedPolicyId ?? policy?.policies?.find(({ state }) => state !== "draft")?.policyId;
  if (policy?.document == null && policyId != null) {
    const named = need(deciding, { name: "read_policy", args: { policyId } });
    if ("outcome" in named) return named.outcome;
    policy = Policy.safeParse(named.result).data;
  }
  if (policy?.document == null) return tell(speaker.say("noPolicy"));
  const rules = listRules(deciding, policy, wish);
  const enforced = speaker.say(policy.enforcedPolicyId == null ? "notEnforced" : "isEnforced");
  const title = speaker.say("policy", { title: policy.document.title ?? policyId ?? "" });
  const role = policy.document.approval?.role ?? "approver";
  const approvers = APPROVAL.test(wish.reading.folded) ? [speaker.say("approvedBy", { role })] : [];
  return tell([...sayCabin(deciding, policy, wish), title, ...rules, enforced, ...approvers].join("\n"));
}

const APPROVAL = /\b(?:approv\w*|genehmig\w*|freigeb\w*|freigabe|aprueb\w*|aprob\w*|autoriz\w*)\b/;
const CABINS = ["economy", "premium_economy", "business", "first"];

/** "May Carla fly business?" */
function sayCabin({ speaker }: Deciding, { document }: Policy, { reading: { cabin } }: Wish): readonly string[] {
  const { default: most, severity } = document?.flight?.maxCabin ?? {};
  if (cabin === undefined || most == null) return [];
  const isAbove = CABINS.indexOf(cabin) > CABINS.indexOf(String(most));
  const consequence = isAbove ? sayConsequence(speaker, severity) : speaker.say("allowed");
  const name = cabin.replaceAll("_", " ");
  return [speaker.say("cabinIs", { cabin: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, consequence })];
}

const sayConsequence = ({ say }: Speaker, severity: string | null | undefined): string =>
  say(severity === "deny" ? "deny" : severity === "warn" ? "warn" : "requireApproval");

function listRules({ speaker }: Deciding, { document }: Policy, { reading: { kinds } }: Wish): string[] {
  const { say } = speaker;
  const amount = (value: unknown) => speaker.money(String(value), document?.currency ?? "USD");
  const consequence = (severity: string | null | undefined) => sayConsequence(speaker, severity);
  const { maxPrice, maxCabin } = document?.flight ?? {};
  const nightly = document?.hotel?.maxNightly;
  const lines: string[] = [];
  const isAboutStays = kinds.has("stay") && !kinds.has("flight");
  const isAboutFlights = (kinds.has("flight") || kinds.has("cabin")) && !kinds.has("stay");
  if (!isAboutStays) {
    if (maxPrice?.default != null)
      lines.push(say("flightPrice", { amount: amount(maxPrice.default), consequence: consequence(maxPrice.severity) }));
    for (const { severity, when } of document?.rules ?? []) {
      if (when?.kind === "flight" && when.priceUsdOver != null) {
        lines.push(say("flightPrice", { amount: amount(when.priceUsdOver), consequence: consequence(severity) }));
      }
    }
    if (maxCabin?.default != null) {
      const cabin = String(maxCabin.default).replaceAll("_", " ");
      lines.push(say("cabinAbove", { cabin, consequence: consequence(maxCabin.severity) }));
    }
  }
  if (!isAboutFlights && nightly?.default != null) {
    lines.push(say("hotelNight", { amount: amount(nightly.default), consequence: consequence(nightly.severity) }));
  }
  return lines.map((line) => `- ${line}`);
}
