import { request } from "node:http";
import { z } from "zod";
import type { Answer } from "../../server/test/support/documents/judge.ts";
import type { RenderedDocument } from "../../server/test/support/documents/truth.ts";

export interface Service {
  port: number;
  tenantId: string;
  apiKey: string;
}

const Fields = z.record(z.string(), z.object({ value: z.string() }));
const Scanned = z.object({
  result: z.object({
    fields: Fields,
    lines: z.array(Fields).optional(),
    taxes: z.array(Fields).optional(),
    legs: z.array(Fields).optional(),
    needsReview: z.boolean(),
    reasons: z.array(z.object({ code: z.string() })),
    pages: z.number(),
  }),
});

type Scan = { answer: Answer; pages: number; seconds: number } | { refused: string; seconds: number };

export const scanBody = ({ tenantId }: Service, { kind, bytes, mediaType }: RenderedDocument): string =>
  JSON.stringify({ tenantId, tool: "scan_document", args: { kind, data: bytes.toString("base64"), mediaType } });

export async function scanDocument(service: Service, document: RenderedDocument): Promise<Scan> {
  const body = scanBody(service, document);
  const start = performance.now();
  const { status, text } = await dispatch(service, body);
  const seconds = (performance.now() - start) / 1_000;
  if (status !== 200) return { refused: `${status} ${text.slice(0, 300)}`, seconds };
  const { result } = Scanned.parse(JSON.parse(text));
  if (result.needsReview !== result.reasons.length > 0) throw new Error(`${document.name}: needsReview has no reason.`);
  return { answer: result, pages: result.pages, seconds };
}

/** A scan may wait longer for its turn than `fetch` waits for the head of an answer. */
export function dispatch(service: Service, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: "127.0.0.1",
        port: service.port,
        path: "/api/agent/dispatch",
        method: "POST",
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") }),
        );
      },
    );
    call.once("error", reject);
    call.end(body);
  });
}
