import { changed, forget, once, type Refusals } from "./refusal.ts";

const guests = [{ givenName: "Amelia", familyName: "Hart" }];
const bookingArgs = (quoteId: string) => ({
  quoteId,
  email: "amelia@example.com",
  phoneNumber: "+442080160508",
  guests,
});

const quoteId = once(async ({ quoted }) => (await quoted()).id);
const bookedQuote = once(async ({ quoted, bookStay }) => {
  const { id } = await quoted();
  await bookStay(id);
  return id;
});

export const stayRefusals: Readonly<Record<string, Refusals>> = {
  book_stay: {
    provider_timeout: "supplier",
    provider_unavailable: "supplier",
    outcome_unknown: "supplier",
    booking_in_progress: "concurrent",
    already_booked: async (world) => ({
      args: { ...bookingArgs(await bookedQuote(world)), guests: [{ givenName: "Dan", familyName: "Hart" }] },
    }),
    quote_not_found: () => ({ args: bookingArgs("quo_0000UnheardOf0000000000") }),
    quote_expired: "time",
    rate_unavailable: "supplier",
    price_changed: async (world) => {
      const id = await quoteId(world);
      const set = `offer = jsonb_set(offer::jsonb, '{totalAmount}', '"1.00"')`;
      const where = ["offer_id", id] as const;
      return { args: bookingArgs(id), restore: await changed(world, { table: "seen_offer", set, where }) };
    },
    booking_rejected: "supplier",
    rate_stale: "rates",
    rate_not_available: "rates",
    reservation_not_available: "run",
    insufficient_balance: async (world) => {
      const { id } = await world.quoted();
      await forget(world, id);
      return { args: bookingArgs(id) };
    },
    settlement_stopped: async (world) => ({ args: bookingArgs(await quoteId(world)) }),
    customer_not_found: async (world) => ({
      args: { ...bookingArgs(await quoteId(world)), additionalCustomerUserIds: ["icu_0000UnheardOf0000000000"] },
    }),
    traveler_incomplete: async (world) => {
      const userId = "user_without_phone";
      await world.result("save_traveler", { userId, givenName: "Kim" });
      const { phoneNumber: _, ...args } = bookingArgs(await quoteId(world));
      return { args, as: { userId } };
    },
  },
  manage_stays_negotiated_rate: {
    provider_timeout: "supplier",
    provider_unavailable: "supplier",
    negotiated_rate_not_found: () => ({
      args: { action: "update", negotiatedRateId: "nre_0000UnheardOf0000000000", displayName: "Another" },
    }),
  },
};
