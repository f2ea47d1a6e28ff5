/** Channels in which notices can reach people. */
export const NOTICE_CHANNELS = ["email", "slack", "whatsapp"] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

interface NoticeTraits {
  /** True: it comes at any hour. */
  readonly isUrgent: boolean;
  /** True: nobody can do without it, and so it has no link to end it. */
  readonly isNecessary: boolean;
  readonly subject: string;
  readonly says: string;
}

/** By the type of the event that it tells. */
const KINDS = {
  "order.ticketed": {
    isUrgent: false,
    isNecessary: false,
    subject: "Your tickets were issued",
    says: "Your tickets were issued, and your booking is complete.",
  },
  "order.schedule_changed": {
    isUrgent: true,
    isNecessary: true,
    subject: "The airline changed your flight",
    says: "The airline changed the times of your flights. The change must be accepted or refused. Reply to see what is possible.",
  },
  "order.cancelled": {
    isUrgent: true,
    isNecessary: true,
    subject: "Your booking was cancelled",
    says: "Your booking was cancelled.",
  },
  "invoice.issued": {
    isUrgent: false,
    isNecessary: false,
    subject: "Your invoice",
    says: "An invoice for your booking was issued.",
  },
  "invoice.credited": {
    isUrgent: false,
    isNecessary: false,
    subject: "Your credit note",
    says: "A credit note for your booking was issued.",
  },
} as const satisfies Record<string, NoticeTraits>;

/** The kinds that a person can do without. */
export const MUTABLE_KINDS = ["order.ticketed", "invoice.issued", "invoice.credited"] as const;

const byName: ReadonlyMap<string, NoticeTraits> = new Map(Object.entries(KINDS));

/** Undefined: nobody is told of such events. */
export const readNoticeKind = (kind: string): NoticeTraits | undefined => byName.get(kind);
