// A receiver of webhooks, on a separate port.
import { createServer } from "node:http";
import { z } from "zod";

const Event = z.looseObject({
  id: z.string().startsWith("wev_0000"),
  api_version: z.literal("v2"),
  type: z.string(),
  data: z.object({ object: z.looseObject({ id: z.string().optional() }) }),
  live_mode: z.literal(false),
  idempotency_key: z.string(),
});
export const WebhookEvent = Event;
export type Received = { event: z.infer<typeof Event>; raw: string; signature: string };

export class Receiver {
  readonly received: Received[] = [];
  /** Its answer; undefined keeps the sender waiting. */
  answerWith: number | undefined = 200;
  /** Types that it answers with 500, however often they come. */
  readonly refused = new Set<string>();
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(): Promise<Receiver> {
    let receiver: Receiver | undefined;
    const server = createServer((incoming, response) => {
      let raw = "";
      incoming.on("data", (chunk) => {
        raw += String(chunk);
      });
      incoming.on("end", () => {
        if (receiver === undefined) return;
        const event = Event.parse(JSON.parse(raw));
        receiver.received.push({ event, raw, signature: String(incoming.headers["x-duffel-signature"]) });
        const status = receiver.refused.has(event.type) ? 500 : receiver.answerWith;
        if (status !== undefined) response.writeHead(status).end("heard");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    receiver = new Receiver(`http://127.0.0.1:${port}/hook`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return receiver;
  }

  /** Types of what came, in the order of its coming. */
  types(): string[] {
    return this.received.map((delivery) => delivery.event.type);
  }

  reset(): void {
    this.received.length = 0;
    this.answerWith = 200;
    this.refused.clear();
  }

  close(): Promise<void> {
    return this.#close();
  }
}
