import type { Words } from "../domain/texts.ts";
import type { Environment } from "./identity.ts";

/** The person who is told of an event, and the event's data. */
interface NoticedEvent {
  readonly tenantId: string;
  readonly environment: Environment;
  readonly userId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A document that goes with the notice of an event. */
export interface NoticeDocument {
  /** The types of the events. */
  readonly types: readonly string[];
  /** As it is now. Undefined: there is none any more. */
  make(
    event: NoticedEvent,
    words: Words,
  ): Promise<{ fileName: string; contentType: string; content: Uint8Array } | undefined>;
}
