// JSON Schema (2020-12, as the API description has it: without references) to the text of a TypeScript type.

export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
}

/**
 * `sent`: values that callers write, so that lists may be read-only and optional members may be undefined. `received`: values
 * that they read.
 */
export type Direction = "sent" | "received";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

export function writeType(schema: Schema, direction: Direction, indent = ""): string {
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return unite(alternatives.map((one) => writeType(one, direction, indent)));
  if (schema.allOf !== undefined) {
    return schema.allOf.map((one) => bracket(writeType(one, direction, indent))).join(" & ");
  }
  if (typeof schema.type === "object") {
    return unite(schema.type.map((type) => writeType({ ...schema, type }, direction, indent)));
  }
  return writeSimpleType(schema, direction, indent);
}

function writeSimpleType(schema: Schema, direction: Direction, indent: string): string {
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return writeList(schema, direction, indent);
    case "object":
      return writeObject(schema, direction, indent);
    case undefined:
      return "unknown";
    default:
      throw new Error(`No TypeScript type is known for the schema type ${schema.type}.`);
  }
}

function writeList({ items, prefixItems }: Schema, direction: Direction, indent: string): string {
  const readOnly = direction === "sent" ? "readonly " : "";
  if (prefixItems !== undefined) {
    return `${readOnly}[${prefixItems.map((item) => writeType(item, direction, indent)).join(", ")}]`;
  }
  return `${readOnly}${bracket(writeType(items ?? {}, direction, indent))}[]`;
}

function writeObject(schema: Schema, direction: Direction, indent: string): string {
  const members = Object.entries(schema.properties ?? {});
  const rest = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  if (members.length === 0) {
    const isClosed = schema.additionalProperties === false;
    return `Record<string, ${isClosed ? "never" : rest === undefined ? "unknown" : writeType(rest, direction, indent)}>`;
  }
  const inner = `${indent}  `;
  const lines = members.map(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const mayBeUndefined = !isRequired && direction === "sent" ? " | undefined" : "";
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    const type = writeType(member, direction, inner);
    return `${writeComment(member.description, inner)}${inner}${key}${isRequired ? "" : "?"}: ${type}${mayBeUndefined};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

/** A doc comment as a line of its own, or nothing. */
export function writeComment(text: string | undefined, indent: string): string {
  if (text === undefined || text === "") return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

const unite = (types: readonly string[]): string => [...new Set(types)].join(" | ");

const bracket = (type: string): string =>
  /^(?:readonly |.*[|&])/s.test(type) && !/^\{[^|&]*\}$/s.test(type) ? `(${type})` : type;
