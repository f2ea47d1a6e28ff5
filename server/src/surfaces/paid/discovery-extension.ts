import type { CatalogEntry } from "../../kernel/contracts/catalog.ts";

/** A JSON schema, or a part of one. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * The extension's level of detail: everything; no result; no descriptions either; names and types only; only that it is an
 * object.
 */
export const discoveryDetails = ["full", "input", "terse", "names", "bare"] as const;
type DiscoveryDetail = (typeof discoveryDetails)[number];

/**
 * The `bazaar` extension of x402: the resource's input and output, for catalogs of purchasable resources. Its shape is that of
 * @x402/extensions.
 */
export function discoveryExtension(
  entry: CatalogEntry,
  today: Temporal.PlainDate,
  detail: DiscoveryDetail,
): { bazaar: Record<string, unknown> } {
  const isFull = detail === "full";
  const body = entry.tool.example(today);
  return {
    bazaar: {
      info: {
        input: { type: "http", method: "POST", bodyType: "json", body },
        ...(isFull ? { output: { type: "json" } } : {}),
      },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          input: {
            type: "object",
            properties: {
              type: { type: "string", const: "http" },
              method: { type: "string", enum: ["POST"] },
              bodyType: { type: "string", enum: ["json"] },
              body: inputSchema(entry, detail),
            },
            required: ["type", "method", "bodyType", "body"],
            additionalProperties: false,
          },
          ...(isFull ? { output: outputSchema(entry) } : {}),
        },
        required: ["input"],
      },
    },
  };
}

function inputSchema({ inputSchema: schema }: CatalogEntry, detail: DiscoveryDetail): Schema {
  if (detail === "full" || detail === "input") return schema;
  if (detail === "terse") return withoutWords(schema);
  const { required, properties } = schema;
  return {
    type: "object",
    ...(required === undefined ? {} : { required }),
    ...(detail === "names" ? { properties: pickTypes(properties) } : {}),
  };
}

function outputSchema({ tool, outputSchema: result }: CatalogEntry): Schema {
  return {
    type: "object",
    properties: { type: { type: "string" }, example: paidEnvelopeSchema(tool.name, result) },
    required: ["type"],
  };
}

/** The envelope of a paid call's answer. */
export function paidEnvelopeSchema(toolName: string, result: Schema): Schema {
  return {
    type: "object",
    required: ["tool", "paid", "priceUsdc", "payment", "result"],
    properties: {
      tool: { type: "string", const: toolName },
      paid: { type: "boolean", description: "false: nothing was taken for this answer" },
      priceUsdc: { type: "string", description: "What was paid, in USDC" },
      payment: {
        type: "object",
        description: "The payment for this answer; for a replay, an earlier payment",
        required: ["payer", "amountUsdc", "settlementTx"],
        properties: {
          payer: { type: "string" },
          amountUsdc: { type: "string" },
          settlementTx: {
            type: ["string", "null"],
            description:
              "Hash of the transaction that moved the money. Null only if paid is false: the key's tenant had already paid for this answer, and nothing was taken now",
          },
        },
      },
      result,
    },
    if: { properties: { paid: { const: true } } },
    then: settlementTxIs("string"),
    else: settlementTxIs("null"),
  };
}

const settlementTxIs = (type: string): Schema => ({
  properties: { payment: { properties: { settlementTx: { type } } } },
});

/** Removes descriptions from a schema; the keys of `properties` are names, one of which may be "description". */
function withoutWords(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => {
      if (name === "description" || name === "title") return [];
      if (name === "properties" && isSchema(value)) {
        const kept = Object.entries(value).map(([property, of]) => [property, isSchema(of) ? withoutWords(of) : of]);
        return [[name, Object.fromEntries(kept)]];
      }
      return [[name, isSchema(value) ? withoutWords(value) : value]];
    }),
  );
}

function pickTypes(properties: unknown): Schema {
  if (!isSchema(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, of]) => [
      name,
      isSchema(of) && typeof of.type === "string" ? { type: of.type } : {},
    ]),
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
