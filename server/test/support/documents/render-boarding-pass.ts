import { toBuffer } from "bwip-js/node";
import { type PassFacts, type PassLeg, writePassCode } from "./boarding-pass-code.ts";
import { type Random, seededRandom } from "./random.ts";
import { drawPdf, drawPng, drawScannedPdf, Sheet } from "./sheet.ts";
import type { FieldTruths, RenderedDocument } from "./truth.ts";

const symbologies = ["pdf417", "aztec", "qr", "data_matrix"] as const;
type Symbology = (typeof symbologies)[number];
const ENCODERS = { pdf417: "pdf417", aztec: "azteccode", qr: "qrcode", data_matrix: "datamatrix" } as const;

const AIRPORTS = {
  LHR: "London",
  CDG: "Paris",
  JFK: "New York",
  FRA: "Frankfurt",
  NRT: "Tokyo",
  GRU: "Sao Paulo",
  MAD: "Madrid",
  LIS: "Lisbon",
  SIN: "Singapore",
  ORD: "Chicago",
  ZRH: "Zurich",
  SYD: "Sydney",
  MEX: "Mexico City",
} as const;
const CARRIERS = {
  BA: "British Airways",
  LH: "Lufthansa",
  AF: "Air France",
  UA: "United",
  QF: "Qantas",
  TP: "TAP",
} as const;
const PASSENGERS = [
  ["LINDQVIST", "ASTRID MRS"],
  ["OKAFOR", "DANIEL"],
  ["TANAKA", "YUKI MS"],
  ["VANDERHEIDEN", "MAXIMILIAN"],
  ["OBRIEN", "SEAN MR"],
  ["DASILVA", "ANALUCIA"],
] as const;

/** The seed decides the symbology: four seeds side by side have all of them. */
export async function renderBoardingPass(
  seed: number,
  today: Temporal.PlainDate,
  form: "image" | "text_pdf" | "scanned_pdf" = "image",
): Promise<RenderedDocument> {
  const random = seededRandom(seed + 30_000);
  const symbology = symbologies[seed % symbologies.length] ?? "aztec";
  const facts = makeFacts(random, seed, today);
  const code = await drawCode(symbology, writePassCode(facts));
  const isPhone = symbology !== "pdf417" && seed % 3 === 0;
  const sheet = isPhone ? drawPhone(facts, code) : drawPaper(random, facts, { symbology, code });
  const image = form === "text_pdf" ? undefined : drawPng(sheet, isPhone ? 2.5 : 2.8);
  const bytes =
    image === undefined ? await drawPdf([sheet]) : form === "image" ? image : await drawScannedPdf([image], sheet);
  return {
    name: `boarding/${symbology}/${isPhone ? "phone" : "paper"}/${facts.legs.length} legs/${seed}/${form}`,
    kind: "boarding_pass",
    bytes,
    mediaType: form === "image" ? "image/png" : "application/pdf",
    truth: { fields: passTruths(facts), legs: facts.legs.map(legTruths) },
  };
}

function passTruths({ passenger, legs: [first] }: PassFacts): FieldTruths {
  const [family = "", given = ""] = passenger.split("/");
  // A title at the end of the given name may stay or go.
  const givenName = [given, given.replace(/ ?(MRS|MR|MS)$/, "")];
  return {
    passengerName: [passenger],
    familyName: [family],
    givenName,
    bookingReference: [first?.bookingReference ?? ""],
    ticketIndicator: ["E"],
  };
}

const legTruths = (leg: PassLeg): FieldTruths => ({
  bookingReference: [leg.bookingReference],
  carrier: [leg.carrier],
  flightNumber: [leg.flight],
  origin: [leg.origin],
  destination: [leg.destination],
  departsOn: [leg.date.toString()],
  cabinClassCode: [leg.cabin],
  // An infant on a lap has no seat.
  ...(leg.seat === "INF" ? {} : { seat: [leg.seat] }),
  sequenceNumber: [leg.sequence],
  passengerStatus: [leg.status],
});

function makeFacts(random: Random, seed: number, today: Temporal.PlainDate): PassFacts {
  const legCount = 1 + (Math.floor(seed / symbologies.length) % 4);
  const firstDay = today.add({ days: random.between(-20, 40) });
  const stops: string[] = [random.pick(Object.keys(AIRPORTS))];
  while (stops.length <= legCount) stops.push(random.pick(Object.keys(AIRPORTS).filter((one) => one !== stops.at(-1))));
  const carrier = random.pick(Object.keys(CARRIERS));
  const bookingReference = random.code(6);
  const legs = stops.slice(0, -1).map((origin, index): PassLeg => {
    const suffix = random.chance(0.08) ? "A" : "";
    return {
      bookingReference,
      origin,
      carrier,
      destination: stops[index + 1] ?? "",
      flight: `${random.between(1, 4_999)}${suffix}`,
      date: firstDay.add({ days: Math.floor(index / 2) }),
      cabin: random.pick(["Y", "M", "J", "F", "W"]),
      seat: random.chance(0.06) ? "INF" : `${random.between(1, 58)}${random.pick([..."ABCDEFK"])}`,
      sequence: String(random.between(1, 380)),
      status: random.pick(["0", "1", "3"]),
    };
  });
  const [family, given] = random.pick(PASSENGERS);
  const version = random.pick(["5", "6", "7", "8"]);
  const issuedOn = random.chance(0.7) ? firstDay.subtract({ days: random.between(0, 1) }) : undefined;
  const airlineText = random.pick(["", "LH FQTV", "GATE CLOSES 15 MIN"]);
  return {
    passenger: `${family}/${given}`.slice(0, 20).trimEnd(),
    legs,
    conditional: random.chance(0.7) ? { version, issuedOn, airlineText } : undefined,
    security: random.chance(0.3) ? random.code(60) : undefined,
  };
}

async function drawCode(symbology: Symbology, text: string): Promise<Buffer> {
  const shape = symbology === "pdf417" ? { columns: 9, rowmult: 3 } : {};
  return await toBuffer({ bcid: ENCODERS[symbology], text, scale: 4, ...shape, backgroundcolor: "FFFFFF" });
}

const airline = (carrier: string): string =>
  Object.entries(CARRIERS).find(([code]) => code === carrier)?.[1] ?? carrier;
const city = (airport: string): string => Object.entries(AIRPORTS).find(([code]) => code === airport)?.[1] ?? airport;
const printedDay = (date: Temporal.PlainDate): string =>
  `${String(date.day).padStart(2, "0")} ${date.toLocaleString("en", { month: "short" }).toUpperCase()}`;

/** Nearly a third have the name and the bar code only. */
function drawPaper(
  random: Random,
  facts: PassFacts,
  { symbology, code }: { symbology: Symbology; code: Buffer },
): Sheet {
  const rows = facts.legs.length;
  const sheet = new Sheet({
    width: 560,
    height: 190 + rows * 34,
    font: random.pick(["roboto", "inconsolata", "dejavu"]),
  });
  const [leg] = facts.legs;
  sheet.rectangle(0, 0, sheet.width, 26, random.pick(["#1d3c78", "#2b2b2b", "#7a1f2b"]));
  sheet.text(14, 18, airline(leg?.carrier ?? ""), { color: "#ffffff", size: 12, bold: true });
  sheet.text(546, 18, "BOARDING PASS", { color: "#ffffff", size: 11, align: "end" });
  sheet.text(14, 46, facts.passenger, { size: 12, bold: true });
  if (random.chance(0.7)) {
    for (const [index, one] of facts.legs.entries()) {
      const y = 66 + index * 34;
      sheet.text(14, y, `${city(one.origin)} ${one.origin} - ${city(one.destination)} ${one.destination}`, {
        size: 9.5,
      });
      const printed = `${one.carrier}${one.flight}  ${printedDay(one.date)}  SEAT ${one.seat}  CLASS ${one.cabin}  SEQ ${one.sequence.padStart(3, "0")}`;
      sheet.text(14, y + 14, printed, { size: 10, bold: true });
      sheet.text(
        400,
        y,
        `GATE ${random.between(1, 60)}   BOARDING ${random.between(6, 21)}:${random.pick(["05", "20", "45"])}`,
      );
    }
    sheet.text(400, 46, `PNR ${leg?.bookingReference ?? ""}`, { size: 10 });
  }
  const top = 66 + rows * 34;
  if (symbology === "pdf417") sheet.picture(code, 20, top, 380, 100);
  else sheet.picture(code, 20, top, 110, 110);
  return sheet;
}

function drawPhone(facts: PassFacts, code: Buffer): Sheet {
  const sheet = new Sheet({ width: 390, height: 760, font: "roboto", paper: "#eef1f5" });
  const [leg] = facts.legs;
  sheet.rectangle(20, 30, 350, 700, "#ffffff");
  sheet.text(36, 62, airline(leg?.carrier ?? ""), { size: 17, bold: true });
  sheet.text(36, 100, facts.passenger, { size: 15 });
  sheet.text(36, 150, leg?.origin ?? "", { size: 36, bold: true });
  sheet.text(354, 150, leg?.destination ?? "", { size: 36, bold: true, align: "end" });
  sheet.text(36, 190, `${leg?.carrier ?? ""} ${leg?.flight ?? ""}`, { size: 15 });
  sheet.text(195, 190, leg === undefined ? "" : printedDay(leg.date), { size: 15, align: "middle" });
  sheet.text(354, 190, leg?.seat ?? "", { size: 15, align: "end" });
  sheet.picture(code, 85, 300, 220, 220);
  sheet.text(195, 560, facts.legs.length > 1 ? `1 of ${facts.legs.length} flights` : "", { size: 12, align: "middle" });
  return sheet;
}
