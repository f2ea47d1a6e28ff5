/**
 * Ids in examples of tools, each with a sample. When examples are really run in sequence, a tool's `gives` replaces the sample
 * with the id from its answer; otherwise an example uses the sample.
 */
export const sampleIds = {
  offerId: "off_00009htYpSCXrwaB9DnUm0",
  /** An offer that the airline holds without payment. */
  holdableOfferId: "off_00009htYpSCXrwaB9DnUm1",
  orderId: "ord_00009hthhsUZ8W4LxQgkjo",
  sliceId: "sli_00009htYpSCXrwaB9Dn123",
  changeOfferId: "oco_0000A3vUda8dKRtUSQPSXw",
  changeId: "oce_0000A4QasEUIjJ6jHKfhHU",
  /** The price of the change. */
  changeAmount: "90.80",
  /** An order whose change is completed, so that a quote of its cancellation stays valid. */
  changedOrderId: "ord_00009hthhsUZ8W4LxQgkjo",
  cancellationId: "ore_00009qzZWzjDipIkqpaUAj",
  /** A search for stays that is kept. */
  staySearchId: "sea_01JDQ5Y7Z2AAAAAAAAAAAAAAAA",
  accommodationId: "acc_0000AWr2VsUNIF1Vl91xg0",
  rateId: "rat_0000ARxBI85qTkbVapZDD2",
  quoteId: "quo_0000AS0NZdKjjnnHZmSUbI",
  /** The caller's own agent, and the wallet that owns it. */
  ownAgentId: "2",
  treasuryAddress: "0x00000000000000000000000000000000000a11ce",
  /** A validation that this wallet is to answer. */
  requestHash: "0x6c00000000000000000000000000000000000000000000000000000000000001",
  /** A transfer by the caller. */
  txHash: "0x7a00000000000000000000000000000000000000000000000000000000000001",
  tripId: "0x7215000000000000000000000000000000000000000000000000000000000001",
  /** The guest link of that trip. */
  guestLink:
    "https://trips.example/claim/0x7215000000000000000000000000000000000000000000000000000000000001#c2VjcmV0IHRoYXQgb25seSB0aGUgZ3Vlc3QgbWF5IGg",
  claimCode: "314159",
  /** Bookings of that trip, each in a different state. */
  reservedBookingId: "0xb00c000000000000000000000000000000000000000000000000000000000001",
  committedBookingId: "0xb00c000000000000000000000000000000000000000000000000000000000002",
  ticketedBookingId: "0xb00c000000000000000000000000000000000000000000000000000000000003",
  settledBookingId: "0xb00c000000000000000000000000000000000000000000000000000000000004",
  /** A run of a workflow, and its current pause. */
  runId: "run_01JDQ5Y7Z2AAAAAAAAAAAAAAAA",
  sessionId: "ses_abcdefghijklmnopqrstuvwxyz012345",
  /** A turn of the agent. */
  conversationId: "cnv_01JDQ5Y7Z2AAAAAAAAAAAAAAAA",
  turnId: "trn_01JDQ5Y7Z2AAAAAAAAAAAAAAAA",
};

export type ExampleIds = Readonly<Record<keyof typeof sampleIds, string>>;

/** The ids that one run of an example gives; undefined: it has used the id up. */
export type GivenIds = { readonly [Name in keyof ExampleIds]?: string | undefined };
