import { type Issue, invalidInput } from "../../domain/errors.ts";
import { nearest } from "../../domain/near-match.ts";
import { MAXIMUM_ISSUES } from "../../kernel/call/validate.ts";

/** Where the caller shows the reply. */
const CHANNELS = ["web", "mcp", "whatsapp", "slack", "email"] as const;
type Channel = (typeof CHANNELS)[number];

const LONGEST_TEXT = 8_000;
const LONGEST_ID = 128;

/** A turn of a conversation, as either of its two bodies asks for it. */
export interface AskedTurn {
  channel: Channel;
  text: string;
  locale: string | undefined;
  /** Undefined: the key's own tenant. */
  tenantId: string | undefined;
  userId: string | undefined;
  conversationId: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** The bodies of a dispatch, by the member that tells each from the others. */
const memberLists = {
  tool: ["tool", "args", "tenantId", "userId"],
  input: ["channel", "input", "conversationId"],
  text: ["channel", "text", "locale", "tenantId", "userId", "conversationId"],
} as const;
type BodyKind = keyof typeof memberLists;

const kindNames: Readonly<Record<BodyKind, string>> = {
  tool: "a tool call (tool and args)",
  input: "a turn with input (channel and input)",
  text: "a turn with text (channel, locale, tenantId, userId and text)",
};
const KINDS = ["tool", "input", "text"] as const;

/** Whether the body, which has no tool, is meant as a turn. */
export function isTurn(body: Members): boolean {
  return ["channel", "input", "text", "locale", "conversationId"].some((name) => Object.hasOwn(body, name));
}

/** Unknown members, and those that belong to another of the three bodies. */
export function listForeignMembers(body: Members, kind: BodyKind): Issue[] {
  const own: readonly string[] = memberLists[kind];
  return Object.keys(body)
    .filter((name) => !own.includes(name))
    .slice(0, MAXIMUM_ISSUES)
    .map((path) => ({ path, message: describeForeign(path, own, kind) }));
}

function describeForeign(name: string, own: readonly string[], kind: BodyKind): string {
  const homes = KINDS.filter((other) => memberLists[other].some((member) => member === name));
  if (homes.length > 0) {
    return `belongs to ${homes.map((home) => kindNames[home]).join(" or ")}; this body is ${kindNames[kind]}`;
  }
  const near = nearest(name, own);
  return `unknown property${near === undefined ? "" : `; did you mean "${near}"?`}`;
}

/** Throws `invalid_input`. */
export function readTurn(body: Members): AskedTurn {
  const kind = Object.hasOwn(body, "input") ? "input" : "text";
  const issues = listForeignMembers(body, kind);
  const refuse = (path: string, message: string): undefined => {
    issues.push({ path, message });
  };
  const channel = CHANNELS.find((name) => name === body.channel) ?? refuse("channel", sayChannels(body.channel));
  const text = readText(body[kind], (message) => refuse(kind, message));
  const locale = readLocale(body.locale, (message) => refuse("locale", message));
  const readId = (path: string, what: string): string | undefined => {
    const value = body[path];
    if (value === undefined || (typeof value === "string" && value !== "" && value.length <= LONGEST_ID)) return value;
    return refuse(path, `must be ${what}, 1 to ${LONGEST_ID} characters`);
  };
  const tenantId = readId("tenantId", "the calling tenant's id");
  const userId = readId("userId", "a user of the tenant");
  const conversationId = readId("conversationId", "the id of an earlier turn's conversation");
  if (issues.length > 0 || channel === undefined || text === undefined) throw invalidInput(issues);
  return { channel, text, locale, tenantId, userId, conversationId };
}

function sayChannels(given: unknown): string {
  const near = typeof given === "string" ? nearest(given, CHANNELS) : undefined;
  return `must be one of ${CHANNELS.join(", ")}${near === undefined ? "" : `; did you mean "${near}"?`}`;
}

function readText(value: unknown, refuse: (message: string) => undefined): string | undefined {
  if (typeof value !== "string") return refuse("must be what the user said, a string");
  if (value.trim() === "") return refuse("must not be empty");
  // Characters, not UTF-16 units: the second count is only needed near the limit.
  if (value.length > LONGEST_TEXT && (value.length > 2 * LONGEST_TEXT || [...value].length > LONGEST_TEXT)) {
    return refuse(`must have at most ${LONGEST_TEXT} characters`);
  }
  return value;
}

function readLocale(value: unknown, refuse: (message: string) => undefined): string | undefined {
  if (value === undefined) return undefined;
  const locale = typeof value === "string" && value.length <= 100 ? canonicalize(value) : undefined;
  return locale ?? refuse("must be a BCP 47 tag, such as en-GB or de");
}

function canonicalize(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.trim().replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}
