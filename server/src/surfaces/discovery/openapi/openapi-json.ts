/** A part of the description under construction. */
export type JsonObject = Readonly<Record<string, unknown>>;

type Shared = "schemas" | "headers" | "parameters";

/** References a part that several operations share. */
export function ref(kind: Shared, name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}
