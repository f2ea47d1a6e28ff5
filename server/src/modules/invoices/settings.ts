import { z } from "zod";
import { Email } from "../../domain/schemas.ts";

const LONGEST_LINE = 100;
const MOST_LINES = 4;
/** Ends in a separator, so that a series and a number are unambiguous. */
const SERIES = /^[A-Z0-9][A-Z0-9/-]{0,14}[/-]$/;

const Line = z.string().trim().min(1).max(LONGEST_LINE);
const Series = z
  .string()
  .regex(SERIES, "must be 2 to 16 capital letters, digits, - and /, ending in - or /")
  .describe("Precedes the number; each series counts from 1 without gaps. Ends in - or /");

const Party = z.strictObject({
  name: Line.describe("Legal name"),
  addressLines: z.array(Line).min(1).max(MOST_LINES).describe("As on an envelope, without the country"),
  countryCode: z.string().regex(/^[A-Z]{2}$/, "must be an ISO 3166 code of two letters, such as DE"),
  taxId: z.string().trim().min(1).max(40).exactOptional().describe("VAT or other tax number"),
  email: Email.exactOptional(),
});

export const taxTreatments = ["none", "included", "exempt", "reverse_charge", "margin_scheme"] as const;

const dateOfSupplyKinds = ["settlement", "journey"] as const;

const RATE = /^(?:[1-9]?\d)(?:\.\d{1,2})?$/;

const Tax = z
  .strictObject({
    treatment: z
      .enum(taxTreatments)
      .describe(
        "Your decision, never guessed. included: markup and service fee include tax at ratePercent. The others print their note and no tax",
      ),
    ratePercent: z
      .string()
      .regex(RATE, "must be a percentage with at most 2 places, such as 19 or 7.7")
      .exactOptional()
      .describe("Only with treatment included"),
    note: z.string().trim().min(1).max(200).exactOptional().describe("Replaces the standard wording for the treatment"),
  })
  .superRefine(({ treatment, ratePercent }, context) => {
    if ((treatment === "included") === (ratePercent !== undefined)) return;
    context.addIssue({
      code: "custom",
      path: ["ratePercent"],
      message: "is needed with the treatment included, and with no other",
    });
  });

const isTimeZone = (name: string): boolean => {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId !== "";
  } catch {
    return false;
  }
};

export const InvoicingSettings = z.strictObject({
  seller: Party.describe("The seller: you, or the party for whom you invoice"),
  buyer: Party.extend({
    reference: Line.exactOptional().describe("Purchase order or cost centre to show to the buyer"),
  }),
  language: z.string().max(35).default("en").describe("The buyer's language as a BCP 47 tag, such as de or pt-BR"),
  timeZone: z
    .string()
    .max(64)
    .refine(isTimeZone, { message: "must be an IANA time zone, such as Europe/Berlin" })
    .default("UTC")
    .describe("Time zone in which invoices are dated"),
  invoiceSeries: Series.default("INV-"),
  creditNoteSeries: Series.default("CN-"),
  dueDays: z.int().min(0).max(365).default(0).describe("Counted from the invoice date"),
  showMarkup: z.boolean().default(false).describe("false: your markup and the service's fee are on one line"),
  dateOfSupply: z
    .enum(dateOfSupplyKinds)
    .exactOptional()
    .describe(
      "settlement: the day on which the booking was settled, as for an agent's services. journey: the days of travel. Default: journey with margin_scheme, otherwise settlement",
    ),
  tax: Tax,
});
export type InvoicingSettings = z.output<typeof InvoicingSettings>;
