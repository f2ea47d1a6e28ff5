import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { IsoDate } from "../../../domain/schemas.ts";
import { hasScope } from "../../../domain/scopes.ts";
import { isUserId, USER_ID_RULE } from "../../../domain/user-ids.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { defineTool, type Ports } from "../context.ts";
import { maskNumbers, missingForFlights, ShownProfile } from "../describe-traveler.ts";
import { fieldsFromScan } from "../from-scan.ts";
import { birthProblem, profileFields } from "../profile-schema.ts";
import { contradictions } from "../same-person.ts";
import type { TravelerProfile } from "../traveler-profile.ts";

const NOT_FOUND = "A service account (svc:…) needs an active key of yours. Use an id of your own instead.";

const NO_SCAN =
  "The scan does not exist: it was used, is over ten minutes old, or belongs to another tenant or environment. Call scan_document again and send its scanId at once.";

const OF_ANOTHER =
  "The scan shows a different person from the profile: the listed `fields` do not match. Send another userId, or, if it is the same person, send these fields yourself with the same scanId.";

const NOBODY: TravelerProfile = { loyaltyProgrammeAccounts: [], passports: [] };

export const saveTraveler = defineTool({
  name: "save_traveler",
  title: "Save a traveler",
  titles: {
    en: "Save these traveler details",
    de: "Diese Reisendendaten speichern",
    fr: "Enregistrer ces données du voyageur",
    es: "Guardar estos datos del viajero",
    pt: "Guardar estes dados do viajante",
    "pt-BR": "Salvar estes dados do viajante",
    ja: "この旅行者情報を保存",
  },
  summary:
    "Create or complete a traveler's profile. Omitted fields stay unchanged; lists are replaced. Its userId identifies the person in book_flight.",
  advice:
    "Flights require givenName, familyName, bornOn, title, gender, email and phoneNumber. Stays need no profile: book_stay takes the guests' names.",
  area: "travelers",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["travelers", "stores", "clock"],
  input: z
    .strictObject({
      userId: z
        .string()
        .refine(isUserId, { message: `must be ${USER_ID_RULE}` })
        .optional()
        .describe("Your own id for the person, such as user_ada; default: the caller"),
      ...profileFields,
      loyaltyProgrammeAccounts: profileFields.loyaltyProgrammeAccounts.exactOptional(),
      passports: profileFields.passports.exactOptional(),
      scanId: z
        .string()
        .optional()
        .describe("From scan_document: fills fields that you do not send, and adds the passport"),
      passportIssuedOn: IsoDate.optional().describe("If the scan lacks it"),
    })
    .refine(({ scanId, passportIssuedOn }) => passportIssuedOn === undefined || scanId !== undefined, {
      path: ["passportIssuedOn"],
      message: "is of a scanned passport: send the scanId too",
    }),
  output: z.object({
    userId: z.string().describe("For additionalCustomerUserIds of book_flight"),
    created: z.boolean(),
    customerUserId: z
      .string()
      .nullable()
      .describe("At the supplier; null until the first booking, or ensure_flight_customer"),
    profile: ShownProfile.describe("The current profile; without the scope travelers:read, only the sent fields"),
    missingForFlights: z.array(z.string()).describe("What book_flight still needs; some flights also need passports"),
    notTaken: z
      .array(z.object({ field: z.string(), reason: z.string() }))
      .readonly()
      .optional()
      .describe(
        "For a scan: the fields that it did not fill, each with a reason code from scan_document or docs/scanning",
      ),
  }),
  errors: {
    traveler_not_found: NOT_FOUND,
    scan_not_found: NO_SCAN,
    scan_of_another_person: OF_ANOTHER,
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

  probe: (input, ports) => readSavable(input, ports),

  async run(input, { travelers, stores, clock, caller }) {
    const { tenantId, environment, scopes } = caller;
    const { userId, stored, fields, notTaken } = await readSavable(input, { travelers, stores, clock, caller });
    // Before the profile is written: only one of two concurrent calls with the same scan gets it.
    if (input.scanId !== undefined) await useScan(input.scanId, { stores, caller });
    const profile = { ...stored, ...fields };
    const created = await travelers.put(tenantId, userId, environment, profile, caller.userId);
    const customerUserId = await travelers.findCustomerUserId(tenantId, userId, environment);
    return {
      userId,
      created,
      customerUserId: customerUserId ?? null,
      profile: maskNumbers(hasScope(scopes, "travelers:read") ? profile : fields),
      missingForFlights: missingForFlights(profile),
      ...(notTaken.length === 0 ? {} : { notTaken }),
    };
  },
});

interface Input extends Partial<TravelerProfile> {
  userId?: string | undefined;
  scanId?: string | undefined;
  passportIssuedOn?: string | undefined;
}
type Saving = Pick<Ports, "travelers" | "stores" | "clock"> & { caller: Caller };

/**
 * Reads the traveler and the new fields. Throws `invalid_input`, `traveler_not_found`, `scan_not_found` or
 * `scan_of_another_person`.
 */
async function readSavable({ userId: named, scanId, passportIssuedOn, ...given }: Input, saving: Saving) {
  const { travelers, stores, clock, caller } = saving;
  const { tenantId, environment } = caller;
  const userId = await requireSavable({ userId: named, ...given }, saving);
  const stored = (await travelers.get(tenantId, userId, environment)) ?? NOBODY;
  if (scanId === undefined) return { userId, stored, fields: given, notTaken: [] };
  const person = await stores.scans.look({ tenantId, environment }, scanId);
  if (person === undefined) throw new Failure("scan_not_found", { detail: NO_SCAN });
  const differing = contradictions(stored, person).filter((field) => given[field] === undefined);
  if (differing.length > 0)
    throw new Failure("scan_of_another_person", { detail: OF_ANOTHER, extra: { fields: differing } });
  const scanned = fieldsFromScan(person, { given, stored, passportIssuedOn }, clock);
  if ("path" in scanned) throw invalidInput([scanned]);
  const { passports = given.passports } = scanned.fields;
  const fields = { ...scanned.fields, ...given, ...(passports === undefined ? {} : { passports }) };
  return { userId, stored, fields, notTaken: scanned.notTaken };
}

async function useScan(scanId: string, { stores, caller }: Pick<Ports, "stores"> & { caller: Caller }): Promise<void> {
  const owner = { tenantId: caller.tenantId, environment: caller.environment };
  if ((await stores.scans.take(owner, scanId)) === undefined) throw new Failure("scan_not_found", { detail: NO_SCAN });
}

/** The traveler of the profile. Throws `invalid_input` or `traveler_not_found`. */
async function requireSavable(
  { userId: named, bornOn }: Pick<Input, "userId" | "bornOn">,
  { travelers, clock, caller }: Pick<Saving, "travelers" | "clock" | "caller">,
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
