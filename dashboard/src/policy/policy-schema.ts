import { useQuery } from "@tanstack/react-query";
import { api } from "../api.ts";
import type { JsonSchema } from "../parts/json-schema.ts";

interface Description {
  paths: Readonly<
    Record<string, { put?: { requestBody?: { content: { "application/json": { schema: JsonSchema } } } } }>
  >;
}

/** The schema of a policy's document, as the service describes it: the one that it checks documents with. */
export function usePolicySchema() {
  return useQuery({
    queryKey: ["policy-schema"],
    queryFn: async ({ signal }) => {
      const { paths } = await api<Description>("/api/openapi.json", { signal });
      const { put } = paths["/api/policies/{policyId}"] ?? {};
      const schema = put?.requestBody?.content["application/json"].schema.properties?.document;
      if (schema === undefined) throw new Error("The service does not describe policies.");
      return schema;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
