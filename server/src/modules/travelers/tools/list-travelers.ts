import { z } from "zod";
import { WORDS_OF_OTHERS } from "../../../domain/schemas.ts";
import { isUserId } from "../../../domain/user-ids.ts";
import { CURSOR_MESSAGE, NextCursor, pageInput, readPage } from "../../../kernel/contracts/page.ts";
import { defineTool } from "../context.ts";
import { maskNumbers, missingForFlights, ShownProfile } from "../describe-traveler.ts";

export const listTravelers = defineTool({
  name: "list_travelers",
  title: "List travelers",
  summary: "List your travelers: names and what each profile lacks for a flight. Document numbers are masked.",
  area: "travelers",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["reads"],
  input: z.strictObject(pageInput(z.string().refine(isUserId, { message: CURSOR_MESSAGE }))),
  output: z.object({
    travelers: z
      .array(
        z.object({
          userId: z.string().describe("For userId of save_traveler and clerkUserId of ensure_flight_customer"),
          customerUserId: z.string().nullable().describe("At the supplier; null until the first booking"),
          isCaller: z.boolean().describe("Whose profile your own trips use"),
          profile: ShownProfile.describe(WORDS_OF_OTHERS),
          missingForFlights: z.array(z.string()).describe("Fields for save_traveler; some flights also need passports"),
        }),
      )
      .readonly(),
    nextCursor: NextCursor,
  }),
  errors: {},
  example: () => ({ limit: 10 }),

  async run({ cursor, ...page }, { reads, caller: { tenantId, travelerId, environment } }) {
    const { shown, nextCursor } = await readPage(
      page,
      (limit) =>
        reads(tenantId, ({ travelerRecords }) => travelerRecords.list(tenantId, environment, { after: cursor, limit })),
      ({ userId }) => userId,
    );
    return {
      travelers: shown.map(({ userId, customerUserId, profile }) => ({
        userId,
        customerUserId: customerUserId ?? null,
        isCaller: userId === travelerId,
        profile: maskNumbers(profile),
        missingForFlights: missingForFlights(profile),
      })),
      nextCursor,
    };
  },
});
