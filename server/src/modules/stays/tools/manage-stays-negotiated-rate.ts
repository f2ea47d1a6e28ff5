import { z } from "zod";
import { SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import { defineTool } from "../context.ts";
import { createRate, deleteRate, requireOwnRate, updateRate } from "../negotiated-rates.ts";

const ACTIONS = ["create", "update", "delete"] as const;
type Action = (typeof ACTIONS)[number];
const FIELDS = ["negotiatedRateId", "displayName", "rateAccessCode", "accommodationIds"] as const;
type Field = (typeof FIELDS)[number];

/** The required and the optional fields of each action. */
const RULES: Readonly<Record<Action, { needs: readonly Field[]; takes: readonly Field[] }>> = {
  create: { needs: ["displayName", "rateAccessCode", "accommodationIds"], takes: [] },
  update: { needs: ["negotiatedRateId"], takes: ["displayName", "accommodationIds"] },
  delete: { needs: ["negotiatedRateId"], takes: [] },
};
const LONGEST_TEXT = 100;

export const manageStaysNegotiatedRate = defineTool({
  name: "manage_stays_negotiated_rate",
  title: "Manage negotiated rate",
  summary:
    "Create, change or delete a rate that you have agreed with hotels. search_hotels looks for your rates, and only you see them.",
  area: "stays",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["stays", "stayBookings", "stores"],
  input: z
    .strictObject({
      action: z.enum(ACTIONS),
      negotiatedRateId: z.string().optional().describe("nre_…, required for update and delete"),
      displayName: z.string().optional(),
      rateAccessCode: z
        .string()
        .optional()
        .describe("create needs displayName, rateAccessCode and accommodationIds; update cannot change it"),
      accommodationIds: z
        .array(z.string())
        .min(1)
        .max(500)
        .optional()
        .describe("Accommodation ids from search_hotels; update replaces them all"),
    })
    .superRefine((input, context) => {
      const issue = (path: Field, message: string) => context.addIssue({ code: "custom", path: [path], message });
      const { needs, takes } = RULES[input.action];
      for (const field of FIELDS) {
        const given = input[field] !== undefined;
        if (needs.includes(field) && !given) issue(field, `is required to ${input.action}`);
        if (given && !needs.includes(field) && !takes.includes(field)) {
          const another = "cannot be changed; create another negotiated rate";
          const isCode = input.action === "update" && field === "rateAccessCode";
          issue(field, isCode ? another : `is not allowed with ${input.action}`);
        }
      }
      if (input.action === "update" && takes.every((field) => input[field] === undefined)) {
        issue("displayName", "or accommodationIds must be given: there is nothing to update");
      }
      for (const field of ["displayName", "rateAccessCode"] as const) {
        const text = input[field];
        if (text === undefined) continue;
        if (text.trim() === "") issue(field, "must not be empty");
        if (text.length > LONGEST_TEXT) issue(field, `must not be longer than ${LONGEST_TEXT} characters`);
      }
    }),
  output: SupplierResult.extend({
    action: z.enum(ACTIONS),
    negotiatedRateId: z.string(),
    displayName: z.string().nullable().describe("null: deleted"),
    accommodationIds: z.array(z.string()).readonly(),
  }),
  errors: {
    ...supplierErrors,
    negotiated_rate_not_found: "You have no such negotiated rate. The answer to create gives the id.",
  },
  example: (_today, { accommodationId }) => ({
    action: "create" as const,
    displayName: "Hart Travel corporate rate",
    rateAccessCode: "HART2026",
    accommodationIds: [accommodationId],
  }),

  plan: () => EMPTY_PLAN,

  async probe({ action, negotiatedRateId = "" }, { stores: { negotiatedRates }, caller }) {
    if (action !== "create") await requireOwnRate({ negotiatedRates }, caller, action, negotiatedRateId);
  },

  async run(input, { stays, stayBookings, stores, caller }) {
    const { action, negotiatedRateId = "", displayName, rateAccessCode = "", accommodationIds } = input;
    const ports = { stayBookings, negotiatedRates: stores.negotiatedRates };
    const about = { action, ...stays.provenance(), sandbox: stays.sandbox };
    if (action === "delete") {
      await deleteRate(ports, caller, negotiatedRateId);
      return { ...about, negotiatedRateId, displayName: null, accommodationIds: [] };
    }
    const rate =
      action === "create"
        ? await createRate(ports, caller, {
            displayName: displayName ?? "",
            rateAccessCode,
            accommodationIds: accommodationIds ?? [],
          })
        : await updateRate(ports, caller, negotiatedRateId, {
            ...(displayName === undefined ? {} : { displayName }),
            ...(accommodationIds === undefined ? {} : { accommodationIds }),
          });
    return {
      ...about,
      negotiatedRateId: rate.id,
      displayName: rate.displayName,
      accommodationIds: rate.accommodationIds,
    };
  },
});
