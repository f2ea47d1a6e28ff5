import { createServer } from "node:http";

/** A raw JSON-RPC echo over bare node:http: parses the request and answers a result in the same shape, with nothing else on. */
const server = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const text = JSON.stringify(params?.arguments ?? {}, null, 2);
    const result = { content: [{ type: "text", text }], structuredContent: params?.arguments ?? {} };
    const body = JSON.stringify({ jsonrpc: "2.0", id, result });
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
