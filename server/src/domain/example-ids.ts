/**
 * Ids that examples of tools name, each with a sample of its form. Where examples are really run, one after another, a tool
 * that says so in `gives` replaces the sample by what its answer held; alone, an example names the sample.
 */
export const sampleIds = {
  offerId: "off_00009htYpSCXrwaB9DnUm0",
  /** Of an offer that the airline holds without payment. */
  holdableOfferId: "off_00009htYpSCXrwaB9DnUm1",
  orderId: "ord_00009hthhsUZ8W4LxQgkjo",
  sliceId: "sli_00009htYpSCXrwaB9Dn123",
  changeOfferId: "oco_0000A3vUda8dKRtUSQPSXw",
  changeId: "oce_0000A4QasEUIjJ6jHKfhHU",
  /** What the change asks. */
  changeAmount: "90.80",
  /** An order whose change is over, so that a quote of its cancellation stays true. */
  changedOrderId: "ord_00009hthhsUZ8W4LxQgkjo",
  cancellationId: "ore_00009qzZWzjDipIkqpaUAj",
  accommodationId: "acc_0000AWr2VsUNIF1Vl91xg0",
  rateId: "rat_0000ARxBI85qTkbVapZDD2",
  quoteId: "quo_0000AS0NZdKjjnnHZmSUbI",
  /** The caller's own, and its wallet, which owns it. */
  ownAgentId: "2",
  treasuryAddress: "0x00000000000000000000000000000000000a11ce",
  /** Of a validation that this wallet is to give. */
  requestHash: "0x6c00000000000000000000000000000000000000000000000000000000000001",
  /** Of a transfer by the caller. */
  txHash: "0x7a00000000000000000000000000000000000000000000000000000000000001",
  tripId: "0x7215000000000000000000000000000000000000000000000000000000000001",
  /** Of that trip. */
  guestLink:
    "https://trips.example/claim/0x7215000000000000000000000000000000000000000000000000000000000001#c2VjcmV0IHRoYXQgb25seSB0aGUgZ3Vlc3QgbWF5IGg",
  claimCode: "314159",
  /** Bookings of that trip, each at a state of its own. */
  reservedBookingId: "0xb00c000000000000000000000000000000000000000000000000000000000001",
  committedBookingId: "0xb00c000000000000000000000000000000000000000000000000000000000002",
  ticketedBookingId: "0xb00c000000000000000000000000000000000000000000000000000000000003",
  settledBookingId: "0xb00c000000000000000000000000000000000000000000000000000000000004",
  /** Of a run of a workflow, and of the pause that it is in. */
  runId: "run_01JDQ5Y7Z2AAAAAAAAAAAAAAAA",
  sessionId: "ses_abcdefghijklmnopqrstuvwxyz012345",
};

export type ExampleIds = Readonly<Record<keyof typeof sampleIds, string>>;

/** What one run of an example gives; undefined: it has used the id up. */
export type GivenIds = { readonly [Name in keyof ExampleIds]?: string | undefined };
