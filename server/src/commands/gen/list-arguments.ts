import { z } from "zod";
import { findArgumentMeaning } from "./argument-meanings.ts";

/** The parts of JSON Schema that fit in a table; the rest is in the schema itself. */
const PropertySchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  items: z.looseObject({ type: z.string().optional(), description: z.string().optional() }).optional(),
  anyOf: z.array(z.unknown()).optional(),
});
const Arguments = z.object({
  properties: z.record(z.string(), PropertySchema).default({}),
  required: z.array(z.string()).default([]),
});

export type Property = z.infer<typeof PropertySchema>;

interface Argument {
  /** `slices.add[].origin` is an argument of each object of a list. */
  path: string;
  property: Property;
  isRequired: boolean;
  /** From the schema, or else from the documentation's own list. */
  meaning: string | undefined;
}

/** The arguments of a tool with those inside them, each followed by its own. */
export function listArguments(toolName: string, schema: unknown, within = ""): readonly Argument[] {
  const { properties, required } = Arguments.parse(schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = within === "" ? name : `${within}.${name}`;
    const meaning =
      property.description ?? property.items?.description ?? findArgumentMeaning(toolName, path.replaceAll("[]", ""));
    const own = { path, property, isRequired: required.includes(name), meaning };
    return [own, ...listInner(toolName, property, path)];
  });
}

function listInner(toolName: string, { items, anyOf = [], ...property }: Property, path: string): readonly Argument[] {
  const inner = [
    ...listArguments(toolName, property, path),
    ...(items === undefined ? [] : listInner(toolName, PropertySchema.parse(items), `${path}[]`)),
    ...anyOf.flatMap((one) => listInner(toolName, PropertySchema.parse(one), path)),
  ];
  // Several forms of an argument can have the same members.
  return [...new Map(inner.map((argument) => [argument.path, argument])).values()];
}
