import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { emailProblem, languageProblem, nameProblem } from "../../../domain/profile-fields.ts";
import { Email, PhoneNumber } from "../../../domain/schemas.ts";
import { SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { type TravelerProfile, travelerErrors } from "../../travelers/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { ensureCustomer } from "../ordering/ensure-customer.ts";

const Input = z
  .strictObject({
    clerkUserId: z.string().optional().describe("Traveler's user id; default: the caller"),
    tenantId: z.string().optional().describe("The calling tenant"),
    email: Email.optional(),
    givenName: z.string().optional(),
    familyName: z.string().optional(),
    phoneNumber: PhoneNumber.optional(),
    preferredLanguage: z.string().optional().describe("BCP-47"),
  })
  .superRefine((input, context) => {
    const check = (path: string, text: string | undefined, findProblem: (text: string) => string | undefined) => {
      const message = text === undefined ? undefined : findProblem(text);
      if (message !== undefined) context.addIssue({ code: "custom", path: [path], message });
    };
    check("email", input.email, emailProblem);
    check("givenName", input.givenName, nameProblem);
    check("familyName", input.familyName, nameProblem);
    check("preferredLanguage", input.preferredLanguage, languageProblem);
  });

const errors = {
  ...supplierErrors,
  customer_in_progress: "Another call is doing this for the same traveler. Call again in a few seconds.",
  customer_not_found: travelerErrors.traveler_not_found,
  customer_email_taken:
    "Another customer at the supplier has this email address. Use save_traveler to set a different one.",
  traveler_incomplete: "The name, email address or phone number is missing. Give it here or in the profile.",
} as const;

export const ensureFlightCustomer = defineTool({
  name: "ensure_flight_customer",
  title: "Ensure flight customer",
  summary:
    "Make sure a traveler exists at the flight supplier and return the customer user id. Fields given here are stored in the traveler's profile.",
  advice: "book_flight does this itself.",
  area: "flights",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["flights", "travelers", "stores"],
  input: Input,
  output: SupplierResult.extend({
    customerUserId: z.string().describe("For additionalCustomerUserIds and customerUserId"),
    userId: z.string(),
    created: z.boolean().describe("false: the supplier knew the traveler"),
    profileUpdated: z.boolean(),
  }),
  errors,
  example: () => ({
    givenName: "Amelia",
    familyName: "Hart",
    email: "amelia@example.com",
    phoneNumber: "+442080160508",
  }),

  plan: () => EMPTY_PLAN,

  probe: (input, ports) => readCustomer(input, ports),

  async run(input, { flights, travelers, stores, caller, call }) {
    const { userId, stored, profile } = await readCustomer(input, { travelers, caller });
    const profileUpdated = profile !== stored;
    if (profileUpdated) await travelers.put(caller.tenantId, userId, caller.environment, profile, caller.userId);

    const { givenName = "", familyName = "", email = "", phoneNumber = null } = profile;
    const details = { givenName, familyName, email, phoneNumber };
    const { customerUserId, created } = await ensureCustomer(
      { flights, travelers, bookings: stores.bookings },
      { tenantId: caller.tenantId, userId, environment: caller.environment },
      details,
      call.id,
    );
    if (profileUpdated && !created) await flights.updateCustomer(customerUserId, details);
    return { customerUserId, userId, created, profileUpdated, ...flights.provenance(), sandbox: flights.sandbox };
  },
});

/** The customer's user, with the profile after the change. Throws the call's refusals before it stores or asks anything. */
async function readCustomer(
  { clerkUserId, tenantId, ...given }: z.output<typeof Input>,
  { travelers, caller }: Pick<Ports, "travelers"> & { caller: Caller },
) {
  if (tenantId !== undefined && tenantId !== caller.tenantId) {
    throw invalidInput([{ path: "tenantId", message: "must be the calling tenant" }]);
  }
  const userId = clerkUserId ?? caller.travelerId;
  const stored = await travelers.get(caller.tenantId, userId, caller.environment);
  if (stored === undefined && userId !== caller.travelerId && userId !== caller.userId) {
    throw new Failure("customer_not_found", {
      detail: errors.customer_not_found,
      extra: { clerkUserId: userId },
    });
  }
  const profile = withFields(stored, given);
  const fields = missingCustomerFields(profile);
  if (fields.length > 0) {
    throw new Failure("traveler_incomplete", {
      detail: errors.traveler_incomplete,
      extra: { travelers: [{ userId, fields }] },
    });
  }
  return { userId, stored, profile };
}

const CUSTOMER_FIELDS = ["givenName", "familyName", "email", "phoneNumber"] as const;

interface ProfileFields {
  givenName?: string | undefined;
  familyName?: string | undefined;
  email?: string | undefined;
  phoneNumber?: string | undefined;
  preferredLanguage?: string | undefined;
}

/** The stored profile with the call's fields; the same object if the call changes nothing. */
function withFields(stored: TravelerProfile | undefined, given: ProfileFields): TravelerProfile {
  const base = stored ?? { loyaltyProgrammeAccounts: [], passports: [] };
  const { givenName, familyName, email, phoneNumber, preferredLanguage } = given;
  const changes = {
    ...(givenName === undefined || givenName === base.givenName ? {} : { givenName }),
    ...(familyName === undefined || familyName === base.familyName ? {} : { familyName }),
    ...(email === undefined || email === base.email ? {} : { email }),
    ...(phoneNumber === undefined || phoneNumber === base.phoneNumber ? {} : { phoneNumber }),
    ...(preferredLanguage === undefined || preferredLanguage === base.preferredLanguage ? {} : { preferredLanguage }),
  };
  return Object.keys(changes).length === 0 && stored !== undefined ? stored : { ...base, ...changes };
}

/** The fields that the supplier requires and the profile lacks. */
function missingCustomerFields(profile: TravelerProfile): string[] {
  return CUSTOMER_FIELDS.filter((field) => (profile[field] ?? "").trim() === "");
}
