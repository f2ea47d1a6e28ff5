import { BlockList, isIP, isIPv4 } from "node:net";
import { MICRO_PER_UNIT, parseDecimal } from "../domain/money.ts";
import type { Hex } from "../domain/tokens.ts";
import { readWebOrigin } from "../domain/web-origins.ts";

/** Parsers for the environment's texts; `config.ts` has the variables themselves. */

export interface Variable<Value> {
  name: string;
  /** Undefined: unset means "off" or "derived". */
  fallback: string | undefined;
  meaning: string;
  /** Throws an Error whose message completes the sentence "<NAME> …". */
  read(text: string | undefined): Value;
}

export const text = (name: string, meaning: string): Variable<string | undefined> => ({
  name,
  fallback: undefined,
  meaning,
  read: (value) => value,
});

export const withDefault = <Value>(
  name: string,
  fallback: string,
  meaning: string,
  parse: (value: string) => Value,
): Variable<Value> => ({ name, fallback, meaning, read: (value) => parse(value ?? fallback) });

export function wholeNumber(minimum: number, maximum: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
  };
}

/** Comma-separated parts in lower case, as hosts and origins are compared. */
export function list(value: string): readonly string[] {
  return value
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");
}

/** Comma-separated parts. */
export function origins(value: string): readonly string[] {
  return list(value).map((part) => {
    const origin = readWebOrigin(part);
    if (origin !== undefined) return origin;
    throw new Error("must be origins such as https://app.example.com, separated by commas, without a path");
  });
}

/** Comma-separated addresses and networks. */
export function networks(value: string): BlockList {
  const found = new BlockList();
  for (const part of list(value)) {
    const [address = "", prefix, ...more] = part.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const bits = family === "ipv4" ? 32 : 128;
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
    if (isIP(address) === 0 || !isPrefix || more.length > 0) {
      throw new Error("must be addresses or networks such as 127.0.0.1 or 10.0.0.0/8, separated by commas");
    }
    found.addSubnet(address, prefix === undefined ? bits : Number(prefix), family);
  }
  return found;
}

/** Comma-separated parts, unchanged. */
export function secrets(value: string): readonly string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

export function choiceAmong<const Choice extends string>(...choices: readonly Choice[]): (value: string) => Choice {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw new Error(`must be one of: ${choices.join(", ")}`);
  };
}

/** Some of these names, comma-separated and without repetitions, in their order of preference. */
export function choicesAmong<const Choice extends string>(
  ...choices: readonly Choice[]
): (value: string) => readonly Choice[] {
  const choose = choiceAmong(...choices);
  return (value) => {
    const names = list(value).map(choose);
    if (names.length > 0 && new Set(names).size === names.length) return names;
    throw new Error(`must name each of these at most once, separated by commas: ${choices.join(", ")}`);
  };
}

/** Part of a header that outside systems read. */
export function readProvidersContact(value: string | undefined): string | undefined {
  if (value === undefined || /^[\x21-\x27\x2a-\x7e]{3,200}$/.test(value)) return value;
  throw new Error("must be an address such as ops@example.com or https://example.com/contact");
}

export const url = (name: string, protocols: readonly string[], meaning: string): Variable<string | undefined> => ({
  name,
  fallback: undefined,
  meaning,
  read(value) {
    if (value === undefined) return undefined;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/$/, "");
    throw new Error(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`);
  },
});

export const address = (name: string, meaning: string): Variable<Hex | undefined> => ({
  name,
  fallback: undefined,
  meaning,
  read(value) {
    if (value === undefined) return undefined;
    const digits = /^0x([0-9a-fA-F]{40})$/.exec(value)?.[1];
    if (digits === undefined) throw new Error("must be an address: 0x and 40 hexadecimal digits");
    return `0x${digits.toLowerCase()}`;
  },
});

export interface MailServer {
  host: string;
  port: number;
  tls: "wrapped" | "required" | "optional" | "off";
  credentials: { user: string; password: string } | undefined;
}

const SUBMISSION_PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };
const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Never repeats a malformed value: it contains a password. */
export function readMailServer(value: string | undefined): MailServer | undefined {
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  const usual = url === null ? undefined : SUBMISSION_PORTS[url.protocol];
  if (url === null || usual === undefined || url.hostname === "" || url.hash !== "" || !/^\/?$/.test(url.pathname)) {
    throw new Error("must be a URL such as smtps://user:password@mail.example.com");
  }
  const asked = Object.fromEntries(url.searchParams);
  if (Object.keys(asked).some((name) => name !== "tls") || !["optional", undefined].includes(asked.tls)) {
    throw new Error("may have ?tls=optional behind the host and nothing else");
  }
  if ((url.username === "") !== (url.password === "")) throw new Error("must have a user and a password, or neither");
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? usual : Number(url.port),
    tls: url.protocol === "smtps:" ? "wrapped" : tlsFor(url.hostname, asked.tls === "optional"),
    credentials: url.username === "" ? undefined : { user: decoded(url.username), password: decoded(url.password) },
  };
}

function tlsFor(host: string, isOptional: boolean): MailServer["tls"] {
  // Mail within this machine needs no encryption, and a local mail server seldom has a trusted certificate.
  if (THIS_MACHINE.test(host)) return "off";
  return isOptional ? "optional" : "required";
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error("has a user or password that is not percent-encoded");
  }
}

const MAILBOX = /^(?:"?([^"<>\p{Cc}]*?)"?\s*<)?([^\s<>,;:"()[\]\\@]+@[^\s<>,;:"()[\]\\@]+)(>)?$/u;

export function readMailbox(value: string | undefined): { address: string; name: string | undefined } | undefined {
  if (value === undefined) return undefined;
  const [all, name, address, closing] = MAILBOX.exec(value) ?? [];
  if (all === undefined || address === undefined || (name === undefined) !== (closing === undefined)) {
    throw new Error("must be an email address, such as Wayfare <trips@example.com>");
  }
  return { address, name: name === "" ? undefined : name };
}

export const port = wholeNumber(0, 65_535);
export const http = ["http:", "https:"] as const;

export const osrmUrl = (name: string, whom: string): Variable<string | undefined> =>
  url(
    name,
    http,
    `URL of an OSRM server ${whom}, such as your own; each mode has its own. Unset: travel times are estimated from the distance.`,
  );

export function readContact(value: string | undefined): string | undefined {
  if (value === undefined || (/^(mailto:|https:|tel:)\S+$/.test(value) && URL.canParse(value))) return value;
  throw new Error("must be a URI that begins with mailto:, https: or tel:");
}

export function readInstant(value: string | undefined): Temporal.Instant | undefined {
  if (value === undefined) return undefined;
  try {
    return Temporal.Instant.from(value);
  } catch {
    throw new Error("must be a time with its offset, such as 2027-06-30T00:00:00Z");
  }
}

/** The total that the development tokens may mint, enough for a thousand tenants with this much. */
const MOST_DEVELOPMENT_MONEY = 1_000_000_000n * MICRO_PER_UNIT;

export const developmentMoney = (value: string): bigint => {
  const amount = parseDecimal(value);
  if (amount === undefined) throw new Error("must be a decimal amount of USDC");
  if (amount > MOST_DEVELOPMENT_MONEY) throw new Error("must be at most 1000000000");
  return amount;
};
