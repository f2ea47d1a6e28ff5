import type { TenantEventKind } from "../../kernel/contracts/events.ts";
import { json, NOTICE, table } from "./markdown.ts";

export function eventTypesPage(kinds: readonly TenantEventKind[]): string {
  const rows = kinds.map(({ type, summary }) => [`[\`${type}\`](#${anchor(type)})`, summary]);
  return `${NOTICE}
# Types of events

Each [event](events.md) has one of these types. \`data\` has ids, states and amounts. Later versions may add members and types, so ignore those that you do not know. The OpenAPI description lists them under \`webhooks\`, with schemas.

${table(["Type", "When it is sent"], rows)}

${kinds.map(section).join("\n")}`;
}

const anchor = (type: string): string => type.replaceAll(".", "");

function section({ type, summary, example }: TenantEventKind): string {
  return `## ${type}

${summary}

${json({ type, timestamp: "2030-01-01T09:00:00Z", data: example })}
`;
}
