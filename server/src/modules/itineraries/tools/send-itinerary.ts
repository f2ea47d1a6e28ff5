import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { EMPTY_PLAN, final, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { type BoughtOrder, describeTravelers, readableKinds } from "../../orders/index.ts";
import { defineTool, type Stores } from "../context.ts";
import { ItineraryNotDrawn } from "../drawing/itinerary-renderer.ts";
import { describeItinerary } from "../itinerary.ts";
import { mailItinerary, wouldMail } from "../mail-itinerary.ts";
import { makeFiles } from "../make-files.ts";

const errors = {
  order_not_found: "You have no order with this id. list_orders gives the ids.",
  order_not_confirmed: "The order is not confirmed, so it has no itinerary. read_order shows its state.",
  itinerary_not_drawn: "The PDF could not be made now, and nothing was sent. Call again shortly.",
} as const;

const FILE_LIFETIME = { hours: 90 * 24 };

export const sendItinerary = defineTool({
  name: "send_itinerary",
  title: "Send an itinerary",
  summary: "Make an order's itinerary as a PDF and a calendar file, and email it to its travelers.",
  advice: "Each traveler with an email address in the profile gets one email, and another only if the order changes.",
  area: "trip",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["stores", "clock", "maps", "travelers", "delivery", "fileShelf", "itineraryRenderer", "itineraryKind"],
  input: z.strictObject({
    orderId: z.string().describe("ord_… or bok_…"),
    mail: z.boolean().default(true).describe("false: make only the files"),
    language: z
      .string()
      .default("en")
      .describe("Language of the files; emails are in each traveler's preferred language"),
  }),
  output: z.object({
    pdfUrl: z.string(),
    icsUrl: z.string(),
    expiresAt: z.string().describe("Until then, anyone with the URL can read the file"),
    mails: z.array(z.object({ userId: z.string(), sent: z.boolean(), reason: z.string() })),
    language: LanguageAnswer,
  }),
  errors,
  example: (_today, { orderId }) => ({ orderId }),

  plan: (input, { stores, delivery, travelers, maps, caller }) =>
    planOrRefusal(async () => {
      const order = await requireOrder(input.orderId, stores, caller);
      if (!input.mail || !(await wouldMail(order, { stores, delivery, travelers, maps }))) return EMPTY_PLAN;
      return { movements: [], irreversible: [final("the email to the travelers of the order")] };
    }),

  async run(
    input,
    { stores, clock, maps, travelers, delivery, fileShelf, itineraryRenderer, itineraryKind, caller, fail },
  ) {
    const order = await requireOrder(input.orderId, stores, caller);
    const words = wordsIn(input.language);
    const shown = describeItinerary(order, describeTravelers(order.booking.travelers, caller.scopes), maps);
    const madeAt = clock.now();
    const files = await makeFiles(itineraryRenderer, shown, words, madeAt).catch((cause: unknown) => {
      throw cause instanceof ItineraryNotDrawn ? fail("itinerary_not_drawn", { cause }) : cause;
    });
    const expiresAt = madeAt.add(FILE_LIFETIME);
    const [pdfUrl = "", icsUrl = ""] = await fileShelf.share(caller.tenantId, files, expiresAt);
    const ports = { stores, clock, delivery, travelers, maps };
    return {
      pdfUrl,
      icsUrl,
      expiresAt: expiresAt.toString(),
      mails: input.mail ? await mailItinerary(order, ports, itineraryKind) : [],
      language: words.answer,
    };
  },
});

async function requireOrder(
  orderId: string,
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment, scopes }: Caller,
): Promise<BoughtOrder> {
  const order = await orders.findBought(tenantId, environment, orderId);
  const refuse = (code: "order_not_found" | "order_not_confirmed") => new Failure(code, { detail: errors[code] });
  if (order === undefined || !readableKinds(scopes).includes(order.kind)) throw refuse("order_not_found");
  if (order.status !== "confirmed") throw refuse("order_not_confirmed");
  return order;
}
