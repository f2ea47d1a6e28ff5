import { z } from "zod";
import { IsoDate, wordsOfOthers } from "../../domain/schemas.ts";
import { READS_AUDIT } from "../../domain/scopes.ts";
import { CURSOR_MESSAGE, dayBounds, NextCursor, pageQuery } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Reads } from "./context.ts";
import { type AuditFilter, type AuditLine, actorKinds } from "./store.ts";

const DEFAULT_LIMIT = 50;
/** A page is looked for among this many lines, so that a search for what is rare takes no longer than another. */
const MOST_LOOKED_AT = 10_000;
const LONGEST_TEXT = 100;
const LONGEST_ID = 200;
/** The names of details that a line shows otherwise, or that its record has. */
const SHOWN_ELSEWHERE: readonly string[] = ["network", "environment", "evidence"];

const LineAnswer = z.object({
  lineId: z.string(),
  at: z.string().meta({ format: "date-time" }),
  actor: z.string().describe("A member, svc:<keyId>, command, operator, or a part of the service such as job:channels"),
  actorKind: z
    .enum(actorKinds)
    .describe("person; key: an agent's; operator: whoever runs the deployment; service: the service itself"),
  actorName: wordsOfOthers("The person's or the key's name").nullable(),
  action: z.string().describe("Such as key.mint"),
  subjectId: z.string().nullable().describe("The id of the changed record, or of a version of it"),
  subjectName: wordsOfOthers("The name, if the record is a member or a key").nullable(),
  address: z.string().nullable().describe("The network address that the request came from"),
  program: wordsOfOthers("The browser, the client program, a channel such as slack, or command").nullable(),
  environment: z.enum(["sandbox", "production"]).nullable().describe("null: the line is about the whole tenant"),
  traceId: z.string().nullable(),
  details: z.record(z.string(), z.unknown()).describe("What was changed; never a secret"),
});

const AuditPage = z.object({
  lines: z.array(LineAnswer).describe("Newest first"),
  nextCursor: NextCursor.describe(
    `null on the last page. A page of a search ends early after ${MOST_LOOKED_AT} lines: go on with the cursor`,
  ),
});

const exampleLine: z.output<typeof LineAnswer> = {
  lineId: "4711",
  at: "2030-01-01T09:00:00Z",
  actor: "user_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  actorKind: "person",
  actorName: "Grace Hopper",
  action: "key.mint",
  subjectId: "key_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  subjectName: "search agent",
  address: "203.0.113.7",
  program: "Firefox on Linux",
  environment: "sandbox",
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  details: { scopes: ["flights:read"] },
};

const readAudit = defineRoute({
  id: "read_audit",
  method: "GET",
  path: "/api/audit",
  tag: "audit",
  summary: "List what was changed",
  description:
    "Who changed what, when, and from where, in the environment of the key: keys, members, sign-ins, connected agents, policies, budgets, limits, approvals, channels, travelers, and the tenant itself. Money is in `GET /api/movements`.",
  scope: READS_AUDIT,
  query: z.object({
    ...pageQuery(z.string().regex(/^\d{1,18}$/, CURSOR_MESSAGE)),
    actor: z.string().max(LONGEST_ID).describe("Exactly this actor").exactOptional(),
    actorKind: z.enum(actorKinds).exactOptional(),
    action: z
      .string()
      .regex(/^[a-z_]{1,40}(\.[a-z_]{1,40})?$/, "must be an action such as key.mint, or its first part")
      .describe("An action such as key.mint, or its first part for all that begin with it")
      .exactOptional(),
    subject: z.string().max(LONGEST_ID).describe("Exactly this id").exactOptional(),
    text: z
      .string()
      .min(1)
      .max(LONGEST_TEXT)
      .describe("A part of any text of the line, in upper or lower case")
      .exactOptional(),
    from: IsoDate.describe("First day, UTC").exactOptional(),
    to: IsoDate.describe("Last day, UTC").exactOptional(),
  }),
  answers: { 200: { description: "One page of lines.", schema: AuditPage } },
  errors: {},
  example: { answer: { lines: [exampleLine], nextCursor: null } },
  async run({ principal, query }, { reads }: { reads: Reads }) {
    const { cursor, limit: asked, from, to, ...filter } = query;
    const limit = Number(asked ?? DEFAULT_LIMIT);
    const page = {
      ...filter,
      ...dayBounds({ from, to }),
      before: cursor === undefined ? undefined : BigInt(cursor),
      limit: limit + 1,
      most: isSearch(filter) ? MOST_LOOKED_AT : limit + 1,
    };
    const { lines, stoppedAt } = await reads(principal.tenantId, ({ auditLines }) => auditLines.list(principal, page));
    const shown = lines.slice(0, limit);
    const next = lines.length > limit ? shown.at(-1)?.id : stoppedAt;
    return { lines: shown.map(describeLine), nextCursor: next?.toString() ?? null };
  },
});

export const auditRoutes = [readAudit];

const isSearch = (filter: AuditFilter): boolean => Object.values(filter).some((value) => value !== undefined);

function describeLine({ id, at, details, ...line }: AuditLine): z.input<typeof LineAnswer> {
  const shown = Object.entries(details).filter(([name]) => !SHOWN_ELSEWHERE.includes(name));
  return { ...line, lineId: id.toString(), at: at.toString(), details: Object.fromEntries(shown) };
}
