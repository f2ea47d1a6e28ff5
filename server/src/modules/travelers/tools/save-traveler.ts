import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { hasScope } from "../../../domain/scopes.ts";
import { isUserId, USER_ID_RULE } from "../../../domain/user-ids.ts";
import { EMPTY_PLAN } from "../../../kernel/plan.ts";
import { type Caller, defineTool, type Ports } from "../../../kernel/tool.ts";
import { maskNumbers, missingForFlights, ShownProfile } from "../describe-traveler.ts";
import { birthProblem, profileFields } from "../profile-schema.ts";
import type { TravelerProfile } from "../traveler-profile.ts";

const NOT_FOUND = "A service account (svc:…) needs a key of yours in force. Take an id of your own instead.";

const NOBODY: TravelerProfile = { loyaltyProgrammeAccounts: [], passports: [] };

export const saveTraveler = defineTool({
  name: "save_traveler",
  title: "Save a traveler",
  summary:
    "Make or complete a traveler's profile. Fields left out stay as they are, lists are replaced. Then ensure_flight_customer gives the id for bookings.",
  advice:
    "A flight needs all of givenName, familyName, bornOn, title, gender, email and phoneNumber. A stay needs no profile: book_stay takes the guests' names.",
  area: "travelers",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["travelers", "clock"],
  input: z.strictObject({
    userId: z
      .string()
      .refine(isUserId, { message: `must be ${USER_ID_RULE}` })
      .optional()
      .describe("Your own id for the person, such as user_ada; default: the caller"),
    ...profileFields,
    loyaltyProgrammeAccounts: profileFields.loyaltyProgrammeAccounts.exactOptional(),
    passports: profileFields.passports.exactOptional(),
  }),
  output: z.object({
    userId: z.string().describe("clerkUserId of ensure_flight_customer"),
    created: z.boolean(),
    customerUserId: z
      .string()
      .nullable()
      .describe("For additionalCustomerUserIds; null: ensure_flight_customer gives it"),
    profile: ShownProfile.describe("As it is now; without the scope travelers:read, what was given"),
    missingForFlights: z.array(z.string()).describe("What book_flight still needs; some flights need passports, too"),
  }),
  errors: {
    traveler_not_found: NOT_FOUND,
  },
  example: () => ({
    userId: "user_grace",
    givenName: "Grace",
    familyName: "Hopper",
    bornOn: "1986-12-09",
    title: "ms" as const,
    gender: "f" as const,
    email: "grace@example.com",
    phoneNumber: "+442080160509",
  }),

  plan: () => EMPTY_PLAN,

  probe: (input, ports) => requireSavable(input, ports),

  async run({ userId: named, ...given }, { travelers, clock, caller }) {
    const { tenantId, environment, scopes } = caller;
    const userId = await requireSavable({ userId: named, ...given }, { travelers, clock, caller });
    const stored = await travelers.get(tenantId, userId, environment);
    const profile = { ...(stored ?? NOBODY), ...given };
    const created = await travelers.put(tenantId, userId, environment, profile, caller.userId);
    const customerUserId = await travelers.findCustomerUserId(tenantId, userId, environment);
    return {
      userId,
      created,
      customerUserId: customerUserId ?? null,
      profile: maskNumbers(hasScope(scopes, "travelers:read") ? profile : given),
      missingForFlights: missingForFlights(profile),
    };
  },
});

/** The traveler whose profile it is. Throws `invalid_input` or `traveler_not_found`. */
async function requireSavable(
  { userId: named, bornOn }: { userId?: string | undefined; bornOn?: string | undefined },
  { travelers, clock, caller }: Pick<Ports, "travelers" | "clock"> & { caller: Caller },
): Promise<string> {
  const { tenantId, environment } = caller;
  const issues = birthProblem(bornOn, clock);
  if (issues.length > 0) throw invalidInput(issues);
  const userId = named ?? caller.travelerId;
  const isOwn = userId === caller.userId || userId === caller.travelerId;
  if (userId.startsWith("svc:") && !isOwn && !(await travelers.isUser(tenantId, userId, environment))) {
    throw new Failure("traveler_not_found", { detail: NOT_FOUND });
  }
  return userId;
}
