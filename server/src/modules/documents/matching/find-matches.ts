import { z } from "zod";
import { earliestId } from "../../../domain/ids.ts";
import { parseDecimal } from "../../../domain/money.ts";
import { isSameFamilyName, isSameGivenName } from "../../../domain/same-name.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Booking } from "../../bookings/index.ts";
import { type OrderRecord, readableKinds } from "../../orders/index.ts";
import { ERASED_NAME } from "../../travelers/index.ts";
import type { Ports } from "../context.ts";
import { type DocumentKind, KIND_TRAITS } from "../document-kinds.ts";
import type { Fields, Scan } from "../scan.ts";

export const Match = z.object({
  orderId: z.string().describe("read_order has the details"),
  by: z.enum(["order_id", "booking_reference", "invoice_number", "flight", "amount_and_date"]),
  certain: z.boolean().describe("false: only a suggestion"),
  differs: z
    .array(z.enum(["amount", "currency", "passenger"]))
    .optional()
    .describe("Differences from the order, which make the match uncertain"),
});
type Match = z.output<typeof Match>;

const MOST_REFERENCES = 50;
const MOST_MATCHES = 10;
/** The forms of suppliers' order ids, and of airlines' and hotels' booking references. */
const ORDER_ID = /^[a-z]{3}_[A-Za-z0-9]{8,60}$/;
const BOOKING_REFERENCE = /^[A-Z0-9]{5,10}$/;
const INVOICE_NUMBER = /^[A-Z0-9][A-Z0-9/-]{3,59}$/;

/** An invoice names an order that was booked shortly before it. */
const BOOKED_BEFORE = { days: 7 };
const BOOKED_AFTER = { days: 2 };
const MOST_COMPARED = 200;

/** The caller's orders that the document is about, as far as the key may read them. Nothing of the question is stored. */
export async function findMatches(
  kind: DocumentKind,
  scan: Scan,
  { reads, caller }: Pick<Ports, "reads"> & { caller: Caller },
): Promise<Match[]> {
  const kinds = readableKinds(caller.scopes);
  const { matches: matching } = KIND_TRAITS[kind];
  if (kinds.length === 0 || matching === "nothing") return [];
  const asked = { ...caller, kinds };
  const matches = matching === "flights" ? await findFlights(scan, reads, asked) : await findBought(scan, reads, asked);
  return matches.slice(0, MOST_MATCHES);
}

type Asked = Pick<Caller, "tenantId" | "environment"> & { kinds: OrderRecord["kind"][] };

async function findBought(scan: Scan, reads: Ports["reads"], asked: Asked): Promise<Match[]> {
  const { tenantId, environment, kinds } = asked;
  const references = listReferences(scan);
  const orderIds = references.filter((text) => ORDER_ID.test(text));
  const pnrs = references.filter((text) => BOOKING_REFERENCE.test(text));
  const named = await reads(tenantId, async ({ orders, invoices }) => {
    const invoiced = await invoices.listOrderIds(
      { tenantId, environment },
      references.filter((text) => INVOICE_NUMBER.test(text)),
    );
    const found = await orders.listNamed(tenantId, environment, { orderIds: [...orderIds, ...invoiced], pnrs, kinds });
    return found.map((order) => ({ order, by: namedBy(order, orderIds, invoiced) }));
  });
  if (named.length === 0) return await suggestByAmount(scan.fields, reads, asked);
  // Airlines reuse booking references.
  const count = (reference: string | undefined) => named.filter(({ order }) => order.pnr === reference).length;
  return named.map(({ order, by }) => {
    const differs = differingPrice(scan.fields, order);
    return {
      ...toMatch(order, by),
      certain: differs.length === 0 && (by !== "booking_reference" || count(order.pnr) === 1),
      ...(differs.length === 0 ? {} : { differs }),
    };
  });
}

/** A receipt may be for all of an order, for its booking or for one of its changes. */
function differingPrice({ totalAmount, currency }: Fields, order: OrderRecord): ("amount" | "currency")[] {
  if (currency !== undefined && currency.value !== order.totalCurrency) return ["currency"];
  const amount = totalAmount === undefined ? undefined : parseDecimal(totalAmount.value);
  const paid = [order.totalAmount, ...order.priceParts].map((part) => parseDecimal(part.replace(/^-/, "")));
  return amount === undefined || paid.includes(amount) ? [] : ["amount"];
}

function namedBy({ orderId }: OrderRecord, orderIds: readonly string[], invoiced: readonly string[]): Match["by"] {
  if (orderIds.includes(orderId)) return "order_id";
  return invoiced.includes(orderId) ? "invoice_number" : "booking_reference";
}

const toMatch = ({ orderId }: OrderRecord, by: Match["by"]) => ({ orderId, by });

function listReferences({ references, fields, legs = [] }: Scan): string[] {
  const named = [
    fields.invoiceNumber,
    fields.bookingReference,
    ...legs.map(({ bookingReference }) => bookingReference),
  ];
  const texts = [...named.flatMap((field) => field?.value ?? []), ...references].map((text) => text.trim());
  // Only order ids are case-sensitive.
  const known = texts.map((text) => (ORDER_ID.test(text) ? text : text.toUpperCase()));
  return [...new Set(known)].slice(0, MOST_REFERENCES);
}

/** Other orders may cost the same: the date makes it likely, not certain. */
async function suggestByAmount(
  { totalAmount, currency, issuedOn }: Fields,
  reads: Ports["reads"],
  { tenantId, environment, kinds }: Asked,
): Promise<Match[]> {
  const amount = totalAmount === undefined ? undefined : parseDecimal(totalAmount.value);
  const day = readDay(issuedOn?.value);
  if (amount === undefined || currency === undefined || day === undefined) return [];
  const [from, until] = [day.subtract(BOOKED_BEFORE), day.add(BOOKED_AFTER)].map(startOfDay);
  if (from === undefined || until === undefined) return [];
  const before = earliestId("bkg_", until.epochMilliseconds);
  const booked = await reads(tenantId, ({ orders }) =>
    orders.list(tenantId, environment, { limit: MOST_COMPARED, before, kinds, status: "confirmed" }),
  );
  return booked
    .filter(({ createdAt }) => Temporal.Instant.compare(createdAt, from) >= 0)
    .filter((order) => order.totalCurrency === currency.value && parseDecimal(order.totalAmount) === amount)
    .map((order) => ({ ...toMatch(order, "amount_and_date"), certain: false }));
}

const startOfDay = (day: Temporal.PlainDate): Temporal.Instant => day.toZonedDateTime("UTC").toInstant();

function readDay(text: string | undefined): Temporal.PlainDate | undefined {
  try {
    return text === undefined ? undefined : Temporal.PlainDate.from(text);
  } catch {
    return undefined;
  }
}

/** By booking reference; certain if a flight of the order leaves on the same day under the same number. */
async function findFlights(
  scan: Scan,
  reads: Ports["reads"],
  { tenantId, environment, kinds }: Asked,
): Promise<Match[]> {
  if (!kinds.includes("flight")) return [];
  const pnrs = listReferences(scan).filter((text) => BOOKING_REFERENCE.test(text));
  const found = await reads(tenantId, async ({ orders, bookings }) => {
    const named = await orders.listNamed(tenantId, environment, { orderIds: [], pnrs, kinds: ["flight"] });
    return await Promise.all(
      named.map(async (order) => ({ order, travelers: (await bookings.get(order.bookingId))?.travelers ?? [] })),
    );
  });
  return found.map(({ order, travelers }) => {
    const isSame = (scan.legs ?? []).some((leg) => isOnBoard(leg, order));
    const isOthers = isOfNobody(scan.fields, travelers);
    return {
      ...toMatch(order, isSame ? "flight" : "booking_reference"),
      certain: isSame && !isOthers,
      ...(isOthers ? { differs: ["passenger" as const] } : {}),
    };
  });
}

/** Whether a boarding pass names none of an order's travelers. False if the travelers are unknown or one was erased. */
function isOfNobody({ familyName, givenName }: Fields, travelers: Booking["travelers"]): boolean {
  if (familyName === undefined || travelers.length === 0) return false;
  if (travelers.some((traveler) => traveler.familyName === ERASED_NAME)) return false;
  return !travelers.some(
    (traveler) =>
      isSameFamilyName(traveler.familyName, familyName.value) &&
      (givenName === undefined || isSameGivenName(traveler.givenName, givenName.value)),
  );
}

function isOnBoard({ bookingReference, carrier, flightNumber, departsOn }: Fields, order: OrderRecord): boolean {
  if (bookingReference?.value.toUpperCase() !== order.pnr) return false;
  if (flightNumber === undefined || departsOn === undefined) return false;
  const [flight, day] = [normalizeFlight(`${carrier?.value ?? ""}${flightNumber.value}`), departsOn.value];
  return order.slices
    .flatMap(({ segments }) => segments)
    .some((segment) => normalizeFlight(segment.flightNumber) === flight && segment.departingAt.startsWith(day));
}

/** BA0117 and BA 117 are one flight. */
const normalizeFlight = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(" ", "")
    .replace(/^([A-Z0-9]{2})0+(?=\d)/, "$1");
