import type { McpExtras } from "../extras.ts";
import { PNG_PIXEL } from "./media.ts";

export const resources: McpExtras["resources"] = [
  {
    definition: {
      uri: "test://static-text",
      name: "static-text",
      description: "A text that never changes.",
      mimeType: "text/plain",
    },
    read: async () => ({
      contents: [
        {
          uri: "test://static-text",
          mimeType: "text/plain",
          text: "This is the content of the static text resource.",
        },
      ],
    }),
  },
  {
    definition: {
      uri: "test://static-binary",
      name: "static-binary",
      description: "An image that never changes.",
      mimeType: "image/png",
    },
    read: async () => ({
      contents: [{ uri: "test://static-binary", mimeType: "image/png", blob: PNG_PIXEL }],
    }),
  },
];

const TEMPLATE_URI = /^test:\/\/template\/([^/]+)\/data$/;

export const resourceTemplates: McpExtras["resourceTemplates"] = [
  {
    definition: {
      uriTemplate: "test://template/{id}/data",
      name: "template-data",
      description: "Data for an id.",
      mimeType: "application/json",
    },
    async read(uri) {
      const id = TEMPLATE_URI.exec(uri)?.[1];
      if (id === undefined) return undefined;
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: "application/json", text }] };
    },
  },
];
