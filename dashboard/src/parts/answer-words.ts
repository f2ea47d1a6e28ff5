import { money } from "../format.ts";

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** With a zone: a moment, and not the local time of a place. */
export const isInstant = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*(Z|[+-]\d{2}:\d{2})$/.test(text);

/** Only the service's own: the page loads nothing from elsewhere. */
export function isOwnPicture(text: string): boolean {
  if (!/\.(svg|png|jpe?g)$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).origin === location.origin;
}

/** "totalAmount" is "Total amount"; ids and abbreviations stay readable. */
export function sayMember(name: string): string {
  // A code, such as an airport's, is no name.
  if (/^[A-Z]{3}$/.test(name)) return name;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .replace(/\busdc\b/g, "USDC")
    .replace(/\busd\b/g, "USD")
    .replace(/\biata\b/g, "IATA")
    .replace(/\bbps\b/g, "(hundredths of a percent)")
    .replace(/\bid\b/g, "ID")
    .replace(/\bpnr\b/g, "PNR")
    .replace(/\burl\b/g, "URL");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const DECIMAL = /^-?\d+(\.\d+)?$/;
const MICRO = 1_000_000;

/** An amount with its currency. "shown elsewhere": the currency of an amount that is shown with it. */
export function describeAmount(name: string, members: Json): string | undefined {
  const value = members[name];
  const amountName = name.replace(/Currency$/, "Amount");
  if (amountName !== name && typeof members[amountName] === "string") return "shown elsewhere";
  if (typeof value !== "string" || !DECIMAL.test(value)) return undefined;
  if (name.endsWith("MicroUsdc")) return `${money(String(Number(value) / MICRO))} USDC`;
  if (name.endsWith("Usdc")) return `${money(value)} USDC`;
  const currency = members[name.replace(/Amount$/, "Currency")];
  return name.endsWith("Amount") && typeof currency === "string" ? `${money(value)} ${currency}` : undefined;
}

const NAMES = [
  "name",
  "title",
  "label",
  "what",
  "accommodationName",
  "roomName",
  "toolName",
  "tool",
  "step",
  "text",
  "rule",
  "type",
  "kind",
  "id",
];

/** A thing by its name and its price. */
export function summarize(value: Json): { title: string; amount: string | undefined } {
  const owner = isRecord(value.owner) && typeof value.owner.name === "string" ? value.owner.name : undefined;
  const own = NAMES.map((name) => value[name]).find((text) => typeof text === "string" && text !== "");
  const brand = typeof value.fareName === "string" ? value.fareName : undefined;
  const title =
    owner === undefined ? String(own ?? "") : [owner, brand].filter((text) => text !== undefined).join(", ");
  const rate = isRecord(value.cheapestRate) ? value.cheapestRate : value;
  return { title, amount: describeAmount("totalAmount", rate) ?? describeAmount("amount", rate) };
}

export interface LegShape {
  origin: string;
  destination: string;
  departingAt: string;
  arrivingAt: string;
  name: string;
}

export function readLeg(value: Json): LegShape | undefined {
  const { origin, destination, departingAt, arrivingAt, flightNumber } = value;
  if (typeof origin !== "string" || typeof destination !== "string") return undefined;
  if (typeof departingAt !== "string" || typeof arrivingAt !== "string") return undefined;
  return { origin, destination, departingAt, arrivingAt, name: typeof flightNumber === "string" ? flightNumber : "" };
}

/** The flights of an offer, wherever it keeps them. */
export function listLegs(value: Json): LegShape[] {
  const own = readLeg(value);
  if (own !== undefined) return [own];
  return ["slices", "segments"].flatMap((name) => {
    const inner = value[name];
    return Array.isArray(inner) ? inner.filter(isRecord).flatMap(listLegs) : [];
  });
}
