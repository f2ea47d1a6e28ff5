import type { ChannelOwner } from "../channels.ts";
import type { NoticeChannel } from "./notice-kinds.ts";
import type { QuietHours } from "./quiet-hours.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "channels.notices": Notices;
    "channels.noticePreferences": NoticePreferences;
  }
}

export interface NoticePreference extends QuietHours {
  readonly channels: readonly NoticeChannel[];
  readonly muted: readonly string[];
}

export interface NoticePreferences {
  /** Undefined: the person gets no notices. */
  find(owner: ChannelOwner, userId: string): Promise<NoticePreference | undefined>;
  set(owner: ChannelOwner, userId: string, preference: NoticePreference): Promise<void>;
  /** False: the person has no preferences. */
  remove(owner: ChannelOwner, userId: string): Promise<boolean>;
  mute(owner: ChannelOwner, userId: string, kind: string): Promise<void>;
}

export interface Notice extends ChannelOwner {
  readonly id: string;
  readonly userId: string;
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly attempts: number;
  readonly createdAt: Temporal.Instant;
}

/** About the same, a person is told once. */
interface NewNotice extends ChannelOwner {
  readonly userId: string;
  readonly kind: string;
  readonly about: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Notices {
  /** False: the person has not said where they want notices, and so gets none. */
  add(notice: NewNotice): Promise<boolean>;
  /** It was told, and there may be more to tell: it is due again, with this. */
  goOn(id: string, data: Readonly<Record<string, unknown>>): Promise<void>;
  /** Leases those that are due. */
  take(options: { until: Temporal.Instant; limit: number }): Promise<readonly Notice[]>;
  wait(id: string, until: Temporal.Instant): Promise<void>;
  end(id: string, end: { state: "sent" | "skipped"; channel?: string; reason?: string }): Promise<void>;
  prune(before: Temporal.Instant): Promise<void>;
}
