import { randomBytes } from "node:crypto";
import { z } from "zod";

const TemplateName = z.string().regex(/^[a-z0-9_]{1,512}$/);
export const WhatsAppSetup = z.strictObject({
  phoneNumberId: z.string().regex(/^\d{5,30}$/),
  displayNumber: z.string().max(40),
  name: z.string().max(200),
  token: z.string().min(10),
  appSecret: z.string().min(10),
  webhookUrl: z.url(),
  /** Those that Meta has approved. */
  templates: z.strictObject({
    language: z.string(),
    update: TemplateName,
    approval: TemplateName,
    claimLink: TemplateName,
    claimCode: TemplateName,
  }),
});
export type WhatsAppSetup = z.output<typeof WhatsAppSetup>;

interface Button {
  readonly value: string;
  readonly label: string;
}

export interface WhatsAppMessage {
  readonly id: string;
  /** Otherwise the business wrote. */
  readonly isOwn: boolean;
  readonly text: string;
  readonly buttons: readonly Button[];
  /** `text`, `button`, `list`, `button_reply`, `list_reply`, or a template's name. */
  readonly type: string;
  status: "accepted" | "sent" | "delivered" | "read" | "failed";
  readonly file?: { readonly id: string; readonly name: string } | undefined;
  /** The business gave it along. */
  readonly ref: string | undefined;
}

export interface WhatsAppPerson {
  readonly key: string;
  readonly name: string;
  /** Undefined: hidden behind a user name. */
  phone: string | undefined;
  /** Known to this business only. */
  userId: string;
  /** When the person wrote last: for a day anything may be sent. */
  wroteAt: number | undefined;
  readonly messages: WhatsAppMessage[];
}

export interface WhatsAppAccount {
  setup: WhatsAppSetup;
  /** Pictures and documents that people sent, by their ids. */
  readonly media: Map<string, { readonly contentType: string; readonly content: Buffer }>;
  readonly people: readonly WhatsAppPerson[];
}

const PEOPLE = [
  { key: "traveler", name: "Tess Traveler", phone: "12025550101", userId: "US.7000000000000101" },
  { key: "approver", name: "Grace Approver", phone: "12025550102", userId: "US.7000000000000102" },
  { key: "colleague", name: "Colin Colleague", phone: undefined, userId: "US.7000000000000103" },
  { key: "guest", name: "A guest", phone: "12025550104", userId: "US.7000000000000104" },
] as const;
const MOST_MESSAGES = 1_000;
const WINDOW_MILLISECONDS = 24 * 3_600_000;

export const createAccount = (setup: WhatsAppSetup): WhatsAppAccount => ({
  setup,
  media: new Map(),
  people: PEOPLE.map((one) => ({ ...one, wroteAt: undefined, messages: [] })),
});

export const newMessageId = (): string => `wamid.${randomBytes(18).toString("base64url")}`;

export const newMediaId = (): string => String(BigInt(`0x${randomBytes(7).toString("hex")}`) + 10_000_000n);

export function addMessage(
  { messages }: WhatsAppPerson,
  message: Omit<WhatsAppMessage, "id" | "status"> & { status?: WhatsAppMessage["status"] },
): WhatsAppMessage {
  const stored = { status: "accepted" as const, ...message, id: newMessageId() };
  messages.push(stored);
  if (messages.length > MOST_MESSAGES) messages.shift();
  return stored;
}

export const findPerson = ({ people }: WhatsAppAccount, key: string): WhatsAppPerson | undefined =>
  people.find((one) => one.key === key);

export const isWindowOpen = ({ wroteAt }: WhatsAppPerson): boolean =>
  wroteAt !== undefined && Date.now() - wroteAt < WINDOW_MILLISECONDS;

/** Another id for the same person, as after a change of the phone number. */
export const newUserId = (): string => `US.${BigInt(`0x${randomBytes(7).toString("hex")}`)}`;
