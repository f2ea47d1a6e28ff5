import { WORDS_OF_OTHERS } from "../../../domain/schemas.ts";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import type { ModelMessage } from "../../../ports/language-model.ts";

/** Marks the texts of others in tool results, so that a generative model can tell them from ours. */
export function markUntrusted(catalog: Catalog, messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== "tools") return message;
    const results = message.results.map((one) => {
      const schema = catalog.find(one.name)?.outputSchema;
      return schema === undefined ? one : { ...one, result: mark(one.result, schema, schema) };
    });
    return { ...message, results };
  });
}

const MARKED_LENGTH = 2;

function mark(value: unknown, schema: unknown, root: unknown): unknown {
  const own = resolve(schema, root);
  if (typeof value === "string") return isOfOthers(own) && value.length >= MARKED_LENGTH ? wrap(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (isOfOthers(own)) return markAll(value);
  const branches = [own, ...listBranches(own)];
  if (Array.isArray(value)) {
    const items = branches.map((branch) => branch.items).find((found) => found !== undefined);
    return value.map((member) => mark(member, items, root));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mark(member, findMember(branches, name, root), root)]),
  );
}

type Schema = Readonly<Record<string, unknown>>;

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function resolve(schema: unknown, root: unknown): Schema {
  if (!isSchema(schema)) return {};
  if (typeof schema.$ref !== "string") return schema;
  const target = schema.$ref
    .split("/")
    .slice(1)
    .reduce<unknown>((at, step) => (isSchema(at) ? at[step] : undefined), root);
  return isSchema(target) ? target : {};
}

function listBranches({ anyOf, oneOf, allOf }: Schema): readonly Schema[] {
  return [anyOf, oneOf, allOf].flatMap((branches) => (Array.isArray(branches) ? branches.filter(isSchema) : []));
}

function findMember(branches: readonly Schema[], name: string, root: unknown): unknown {
  for (const branch of branches.map((one) => resolve(one, root))) {
    const { properties, additionalProperties } = branch;
    if (isSchema(properties) && properties[name] !== undefined) return properties[name];
    if (isSchema(additionalProperties)) return additionalProperties;
  }
  return undefined;
}

/** Nullable texts carry the mark on one of their branches. */
function isOfOthers(schema: Schema): boolean {
  const says = ({ description }: Schema) => typeof description === "string" && description.includes(WORDS_OF_OTHERS);
  return says(schema) || listBranches(schema).some(says);
}

function markAll(value: unknown): unknown {
  if (typeof value === "string") return wrap(value);
  if (Array.isArray(value)) return value.map(markAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, markAll(member)]));
}

/** A text cannot end its own block. */
function wrap(text: string): string {
  return `<untrusted>${text.replaceAll(/<(?=\/?untrusted>)/gi, "‹")}</untrusted>`;
}
