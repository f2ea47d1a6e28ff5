import { connect } from "node:net";

export interface PaidSlice {
  /** Answered with 200 each second. */
  paidPerSecond: number;
  paid: number;
  /** Answered with anything else, by status. */
  refused: ReadonlyMap<string, number>;
  p50Milliseconds: number;
  p99Milliseconds: number;
}

/**
 * Closed-loop load over keep-alive connections, one for each list of requests: a client sends its next request, which is another
 * one as nothing can be paid for twice, when the answer to the last one is complete. On plain sockets, as the other benches.
 */
export async function runPaidSlice(options: {
  port: number;
  /** By client. */
  requests: readonly (readonly Buffer[])[];
  seconds: number;
}): Promise<PaidSlice> {
  const { port, requests, seconds } = options;
  const latencies: number[] = [];
  const refused = new Map<string, number>();
  const begun = performance.now();
  const deadline = begun + seconds * 1000;
  await Promise.all(
    requests.map((own) =>
      drive(port, own, deadline, (milliseconds, status) => {
        if (status === "200") latencies.push(milliseconds);
        else refused.set(status, (refused.get(status) ?? 0) + 1);
      }),
    ),
  );
  const elapsed = (performance.now() - begun) / 1000;
  latencies.sort((left, right) => left - right);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  const paid = latencies.length;
  return { paidPerSecond: paid / elapsed, paid, refused, p50Milliseconds: at(0.5), p99Milliseconds: at(0.99) };
}

/** One request as it goes over the wire. */
export function toRequest(options: {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}): Buffer {
  const { port, path, headers, body } = options;
  const head = Object.entries({ host: `127.0.0.1:${port}`, "content-type": "application/json", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function drive(
  port: number,
  requests: readonly Buffer[],
  deadline: number,
  onAnswer: (milliseconds: number, status: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    let sentAt = 0;
    let sent = 0;
    const send = () => {
      const request = requests[sent];
      if (request === undefined) return reject(new Error("A client ran out of payments: sign more of them."));
      sent += 1;
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setNoDelay(true);
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const length = completeLength(text);
      if (length === undefined || text.length < length) return;
      onAnswer(performance.now() - sentAt, text.slice(9, 12));
      text = "";
      if (performance.now() < deadline) send();
      else socket.end();
    });
  });
}

/** The length of a whole answer; undefined if it is not known yet. */
function completeLength(text: string): number | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = text.slice(0, headEnd + 2);
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
  if (length !== undefined) return headEnd + 4 + Number(length);
  if (!/\r\ntransfer-encoding: chunked\r\n/i.test(head)) throw new Error(`An answer without a length: ${head}`);
  const end = text.indexOf("\r\n0\r\n\r\n", headEnd);
  return end === -1 ? undefined : end + 7;
}
