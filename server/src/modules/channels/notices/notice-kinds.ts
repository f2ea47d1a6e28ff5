/** Channels in which notices can reach people. */
export const NOTICE_CHANNELS = ["email", "slack", "whatsapp"] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

/** Comes before each flight of a booking. */
export const CHECK_IN = "checkin.opens";
/** Comes to whoever a paused run waits for. */
export const RUN_WAITING = "run.waiting";

interface NoticeTraits {
  /** True: it comes at any hour. */
  readonly isUrgent: boolean;
  /** True: nobody can do without it, and so it has no link to end it. */
  readonly isNecessary: boolean;
  /** The beginning of the names of its texts. */
  readonly text: "ticketed" | "changed" | "cancelled" | "invoice" | "credit" | "checkIn" | "waiting";
}

/** By the type of the event that it tells, or a kind of our own. */
const KINDS = {
  "order.ticketed": { isUrgent: false, isNecessary: false, text: "ticketed" },
  "order.schedule_changed": { isUrgent: true, isNecessary: true, text: "changed" },
  "order.cancelled": { isUrgent: true, isNecessary: true, text: "cancelled" },
  "invoice.issued": { isUrgent: false, isNecessary: false, text: "invoice" },
  "invoice.credited": { isUrgent: false, isNecessary: false, text: "credit" },
  [CHECK_IN]: { isUrgent: false, isNecessary: false, text: "checkIn" },
  [RUN_WAITING]: { isUrgent: false, isNecessary: true, text: "waiting" },
} as const satisfies Record<string, NoticeTraits>;

/** The kinds that a person can do without. */
export const MUTABLE_KINDS = ["order.ticketed", "invoice.issued", "invoice.credited", CHECK_IN] as const;

const byName: ReadonlyMap<string, NoticeTraits> = new Map(Object.entries(KINDS));

/** Undefined: nobody is told of such events. */
export const readNoticeKind = (kind: string): NoticeTraits | undefined => byName.get(kind);
