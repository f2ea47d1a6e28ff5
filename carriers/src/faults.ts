import { z } from "zod";

/**
 * A request to a carrier:
 * - `rate_limited`: 429 with `Retry-After`; `rate_limited_bare`: 429 without
 * - `away`: 503, and nothing is done
 * - `lost_answer`: 503 after the request was carried out
 * - `reset`: the connection breaks after the request was carried out
 * - `revoked`: the token has ended
 * - `missing_scope`: Slack was not asked for this permission
 * - `never_delivered`: accepted and carried out for nobody to see
 *
 * An event that a carrier sends, matched by the path `/_events/<carrier>`:
 * - `duplicated`: sent twice at once
 * - `late`: sent after the next one
 *
 * An event of WhatsApp, matched by the path `/_webhooks/whatsapp`:
 * - `lost`: never sent
 * - `old`: it claims to be eight days old
 * - `forged`: signed with another secret
 */
const KINDS = [
  "rate_limited",
  "rate_limited_bare",
  "away",
  "lost_answer",
  "reset",
  "never_delivered",
  "revoked",
  "missing_scope",
  "duplicated",
  "late",
  "lost",
  "old",
  "forged",
] as const;
export type FaultKind = (typeof KINDS)[number];

export const Scenario = z.strictObject({
  path: z.string().startsWith("/").max(200),
  /** Only for this playground. */
  playground: z.string().max(100).exactOptional(),
  fault: z.enum(KINDS),
  times: z.int().min(1).max(10_000).default(1),
});

type Armed = z.output<typeof Scenario>;

/** Faults that are armed for the next requests and events. */
export function createFaults() {
  let armed: Armed[] = [];
  return {
    arm(scenario: Armed): void {
      armed.push({ ...scenario });
    },
    list: (): readonly Armed[] => armed,
    /** With a playground, only those that are armed for it. */
    clear(playground?: string): void {
      armed = playground === undefined ? [] : armed.filter((one) => one.playground !== playground);
    },
    /** The fault that this request or event meets. It is used up once. */
    take(path: string, playground: string | undefined): FaultKind | undefined {
      const found = armed.find(
        (one) => path.startsWith(one.path) && (one.playground === undefined || one.playground === playground),
      );
      if (found === undefined) return undefined;
      found.times -= 1;
      armed = armed.filter(({ times }) => times > 0);
      return found.fault;
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;
