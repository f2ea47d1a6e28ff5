import { createServer } from "node:http";
import { wireOffer } from "../../server/src/adapters/duffel/__fixtures__/wire.ts";

/** The supplier with answers of five megabytes, as live ones are. */
const BYTES = 5_000_000;

const offers: (typeof wireOffer)[] = [];
for (let bytes = 0; bytes < BYTES; ) {
  const number = offers.length;
  const hour = String(number % 24).padStart(2, "0");
  const slices = wireOffer.slices.map((slice) => ({
    ...slice,
    id: `sli_${number}`,
    segments: slice.segments.map((segment) => ({ ...segment, departing_at: `2026-12-20T${hour}:15:00` })),
  }));
  const offer = { ...wireOffer, id: `off_${number}`, total_amount: `${400 + (number % 97)}.25`, slices };
  offers.push(offer);
  bytes += JSON.stringify(offer).length + 1;
}
const body = Buffer.from(JSON.stringify({ data: { offers } }));

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(201, { "content-type": "application/json", "content-length": body.byteLength });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ port, offers: offers.length, bytes: body.byteLength })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
