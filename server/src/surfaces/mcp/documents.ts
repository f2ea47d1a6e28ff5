import { type ReadResourceResult, type Resource, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { isListed, type Page } from "../page.ts";
import type { McpExtras } from "./extras.ts";

export interface Documents {
  readonly list: Resource[];
  /** Throws the protocol's error for an unknown URI. */
  read(uri: string): Promise<ReadResourceResult>;
}

const MARKDOWN = "text/markdown";

/** The documentation's pages as resources, for clients without web access. */
export function createDocuments(pages: readonly Page[], extras: McpExtras | undefined): Documents {
  const offered = new Map<string, { definition: Resource; read(): Promise<ReadResourceResult> }>();
  const unlisted = new Set(pages.filter((page) => !isListed(page)).map(({ slug }) => slug));
  for (const { slug, title, summary, markdown } of pages) {
    const uri = `wayfare://docs/${slug}`;
    const definition = { uri, name: slug, title, description: summary, mimeType: MARKDOWN };
    const contents = [{ uri, mimeType: MARKDOWN, text: markdown }];
    offered.set(uri, { definition, read: async () => ({ contents }) });
  }
  for (const extra of extras?.resources ?? []) offered.set(extra.definition.uri, extra);
  const templates = extras?.resourceTemplates ?? [];
  return {
    list: [...offered.values()].map(({ definition }) => definition).filter(({ name }) => !unlisted.has(name)),
    async read(uri) {
      const found = offered.get(uri);
      if (found !== undefined) return found.read();
      for (const template of templates) {
        const read = await template.read(uri);
        if (read !== undefined) return read;
      }
      throw new ResourceNotFoundError(uri);
    },
  };
}
