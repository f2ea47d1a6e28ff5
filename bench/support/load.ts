import { connect } from "node:net";

export interface Slice {
  requestsPerSecond: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
  refused: number;
}

/**
 * Closed-loop load over keep-alive connections: each sends its next request when the answer to the last one is complete. On
 * plain sockets, because a full HTTP client costs more CPU than the baseline server and would hide it.
 */
export async function runSlice(options: {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  connections: number;
  seconds: number;
}): Promise<Slice> {
  const { port, path, headers, body, connections, seconds } = options;
  const head = Object.entries({ host: `127.0.0.1:${port}`, "content-type": "application/json", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const request = Buffer.from(
    `POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const latencies: number[] = [];
  let refused = 0;
  const begun = performance.now();
  const deadline = begun + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, () =>
      drive(port, request, deadline, (milliseconds, status) => {
        latencies.push(milliseconds);
        if (status !== "200") refused += 1;
      }),
    ),
  );
  const elapsed = (performance.now() - begun) / 1000;
  latencies.sort((left, right) => left - right);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    requestsPerSecond: latencies.length / elapsed,
    p50Milliseconds: at(0.5),
    p99Milliseconds: at(0.99),
    refused,
  };
}

function drive(
  port: number,
  request: Buffer,
  deadline: number,
  onAnswer: (milliseconds: number, status: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setNoDelay(true);
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const headEnd = text.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      if (length === undefined) return reject(new Error("An answer without a length."));
      if (text.length < headEnd + 4 + Number(length)) return;
      onAnswer(performance.now() - sentAt, text.slice(9, 12));
      text = "";
      if (performance.now() < deadline) send();
      else socket.end();
    });
  });
}
