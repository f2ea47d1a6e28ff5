import { z } from "zod";
import { table } from "./markdown.ts";

/** Of JSON Schema, what a table can say; the rest stands in the schema itself. */
const Property = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  items: z.looseObject({ type: z.string().optional() }).optional(),
});
const Arguments = z.object({
  properties: z.record(z.string(), Property).default({}),
  required: z.array(z.string()).default([]),
});

export function argumentTable(inputSchema: unknown): string {
  const { properties, required } = Arguments.parse(inputSchema);
  const rows = Object.entries(properties).map(([name, property]) => [
    `\`${name}\``,
    kindOf(property),
    needOf(property, required.includes(name)),
    property.description ?? "",
  ]);
  return rows.length === 0 ? "None." : table(["Name", "Kind", "Needed", "Meaning"], rows);
}

function kindOf({ type, format, enum: values, minimum, maximum, items, ...rest }: z.infer<typeof Property>): string {
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(", ");
  if (rest.const !== undefined) return `\`${String(rest.const)}\``;
  const base =
    type === "array"
      ? `list${items?.type === undefined ? "" : ` of ${items.type}`}`
      : [type ?? "see the schema"].flat().join(" or ");
  const words = format === undefined ? base : `${base}, ${format}`;
  const isBounded = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBounded(minimum) && isBounded(maximum)) return `${words}, ${minimum} to ${maximum}`;
  if (isBounded(minimum)) return `${words}, at least ${minimum}`;
  return isBounded(maximum) ? `${words}, at most ${maximum}` : words;
}

function needOf(property: z.infer<typeof Property>, isRequired: boolean): string {
  if (property.default !== undefined) return `no; \`${JSON.stringify(property.default)}\``;
  return isRequired ? "yes" : "no";
}
