import { api } from "../api.ts";
import type { JsonSchema } from "../parts/json-schema.ts";

/** A tool as the API description has it. */
export interface Tool {
  name: string;
  area: string;
  title: string;
  description: string;
  scope: string;
  effect: "read" | "write" | "spend";
  priceMicroUsdc: string;
  schema: JsonSchema;
  example: Readonly<Record<string, unknown>>;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: readonly string[];
  "x-scope": string;
  "x-effect": Tool["effect"];
  "x-price-micro-usdc": string;
  requestBody: {
    content: {
      "application/json": {
        examples?: Readonly<Record<string, { value: { args?: Readonly<Record<string, unknown>> } }>>;
      };
    };
  };
}

interface Description {
  paths: Readonly<Record<string, { post?: Operation }>>;
  components: { schemas: Readonly<Record<string, JsonSchema>> };
}

export const DISPATCH_PATH = "/api/agent/dispatch";

/** Every tool with its schema. The description is large: only what the forms need is kept. */
export async function readTools(signal: AbortSignal): Promise<readonly Tool[]> {
  const { paths, components } = await api<Description>("/api/openapi.json", { signal });
  return Object.entries(paths).flatMap(([path, { post }]) => {
    if (!path.startsWith(`${DISPATCH_PATH}#`) || post === undefined) return [];
    const name = post.operationId;
    return [
      {
        name,
        area: post.tags[0] ?? "",
        title: post.summary,
        description: post.description.split("\n")[0] ?? "",
        scope: post["x-scope"],
        effect: post["x-effect"],
        priceMicroUsdc: post["x-price-micro-usdc"],
        schema: components.schemas[`${name}_args`] ?? {},
        example: post.requestBody.content["application/json"].examples?.[name]?.value.args ?? {},
      },
    ];
  });
}
