/**
 * Ids that examples of tools name, each with a sample of its form. Where examples are really run, one after another, a tool
 * that says so in `gives` replaces the sample by what its answer held; alone, an example names the sample.
 */
export const sampleIds = {
  offerId: "off_00009htYpSCXrwaB9DnUm0",
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
};

export type ExampleIds = Readonly<Record<keyof typeof sampleIds, string>>;
