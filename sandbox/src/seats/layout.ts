// Where the seats of an aircraft are. The same for every flight of a type and cabin.
import type { AircraftRecord, CabinClass } from "../reference/data.ts";

export type SeatKind = "standard" | "preferred" | "legroom" | "exit" | "restricted";
export type SeatPlace = { readonly row: number; readonly column: string; readonly kind: SeatKind };
export type Element =
  | { readonly seat: SeatPlace }
  | { readonly fitting: "bassinet" | "empty" | "exit_row" | "lavatory" | "galley" | "closet" | "stairs" };
export type CabinLayout = {
  readonly aisles: number;
  readonly rows: readonly (readonly (readonly Element[])[])[];
  readonly wings: { readonly first_row_index: number; readonly last_row_index: number } | null;
};

/** Turboprops are boarded without seat numbers: their airlines have no seat maps. */
const WITHOUT_SEAT_MAP = new Set(["AT7", "DH4"]);
const DOUBLE_DECKED = new Set(["388"]);
const TEN_ABREAST = new Set(["388", "77W", "772", "77L"]);

const COLUMNS: Record<AircraftRecord["body"], Record<CabinClass, readonly string[]>> = {
  regional: { economy: ["AC", "DF"], premium_economy: ["AC", "DF"], business: ["A", "DF"], first: ["A", "DF"] },
  narrow: { economy: ["ABC", "DEF"], premium_economy: ["ABC", "DEF"], business: ["AC", "DF"], first: ["AC", "DF"] },
  wide: {
    economy: ["ABC", "DEF", "GHJ"],
    premium_economy: ["AC", "DEF", "HK"],
    business: ["A", "DG", "K"],
    first: ["A", "DG", "K"],
  },
};
const FIRST_ROW: Record<CabinClass, number> = { first: 1, business: 1, premium_economy: 15, economy: 20 };
const PREFERRED_ROWS = 5;

function rowCount(aircraft: AircraftRecord, cabin: CabinClass, abreast: number): number {
  if (cabin === "first") return 3;
  if (cabin === "premium_economy") return 5;
  if (cabin === "business") return aircraft.body === "wide" ? 10 : 4;
  const share = aircraft.cabins.length > 2 ? 0.75 : 0.9;
  return Math.max(8, Math.floor((aircraft.seats * share) / abreast));
}

function seatKind(cabin: CabinClass, index: number, rows: number, exitRow: number): SeatKind {
  if (cabin !== "economy") return "standard";
  if (index === exitRow) return "exit";
  if (index === 0) return "legroom";
  if (index === rows - 1) return "restricted";
  return index <= PREFERRED_ROWS ? "preferred" : "standard";
}

/** Undefined where the airline has no seat map for this aircraft. */
export function findLayout(aircraft: AircraftRecord, cabin: CabinClass): CabinLayout | undefined {
  if (WITHOUT_SEAT_MAP.has(aircraft.iata)) return undefined;
  const sections =
    cabin === "economy" && TEN_ABREAST.has(aircraft.iata) ? ["ABC", "DEFG", "HJK"] : COLUMNS[aircraft.body][cabin];
  const rows = rowCount(
    aircraft,
    cabin,
    sections.reduce((sum, section) => sum + section.length, 0),
  );
  const exitRow = cabin === "economy" ? Math.floor(rows / 2) : -1;
  const firstRow = aircraft.body === "wide" ? FIRST_ROW[cabin] : cabin === "economy" ? 6 : FIRST_ROW[cabin];
  const laid: Element[][][] = [];
  const isOuter = (section: number) => section === 0 || section === sections.length - 1;
  // Between two aisles there is no door, so that the section has nothing in this row.
  const exits = (): Element[][] => sections.map((_, section) => (isOuter(section) ? [{ fitting: "exit_row" }] : []));
  if (cabin === "economy" && aircraft.body === "wide") {
    // Cradles hang on the wall in front of the middle section.
    laid.push(
      sections.map((section, place) =>
        [...section].map((): Element => ({ fitting: place === 1 ? "bassinet" : "empty" })),
      ),
    );
  }
  for (let index = 0; index < rows; index += 1) {
    if (index === exitRow) laid.push(exits());
    const kind = seatKind(cabin, index, rows, exitRow);
    laid.push(
      sections.map((section) =>
        [...section].map((column): Element => ({ seat: { row: firstRow + index, column, kind } })),
      ),
    );
  }
  laid.push(
    sections.map((_, section): Element[] => [{ fitting: isOuter(section) && section > 0 ? "lavatory" : "galley" }]),
  );
  if (cabin !== "economy")
    laid.unshift(sections.map((_, section): Element[] => (section === 0 ? [{ fitting: "closet" }] : [])));
  if (DOUBLE_DECKED.has(aircraft.iata)) laid.push(sections.map(() => [{ fitting: "stairs" }]));
  const wings =
    cabin === "economy"
      ? { first_row_index: Math.floor(laid.length * 0.35), last_row_index: Math.floor(laid.length * 0.65) }
      : null;
  return { aisles: sections.length - 1, rows: laid, wings };
}
