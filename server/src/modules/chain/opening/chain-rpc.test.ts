import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createRpc } from "../../../adapters/evm/rpc.ts";
import { createHttpClient } from "../../../platform/http-client/http-client.ts";

interface Question {
  id: number;
  method: string;
}

const bodies: (Question | Question[])[] = [];
let answer: (question: Question) => unknown = ({ id, method }) => ({ jsonrpc: "2.0", id, result: method });

/** A node that answers a batch in another order. */
const server = createServer(async (incoming, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const body: Question | Question[] = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  bodies.push(body);
  const found = Array.isArray(body) ? body.map(answer).filter(Boolean).toReversed() : answer(body);
  response.end(JSON.stringify(found));
});
const http = createHttpClient();
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address === "object" && address !== null) url = `http://127.0.0.1:${address.port}`;
});
beforeEach(() => {
  bodies.length = 0;
});
afterAll(() => {
  http.close();
  server.close();
});

const open = (isBatched: boolean) => createRpc({ url, http, timeoutMilliseconds: 60_000, retries: 0, isBatched });
const methods = ["eth_chainId", "eth_call", "eth_sendRawTransaction", "eth_blockNumber", "eth_sendRawTransaction"];
const askAll = (rpc: ReturnType<typeof open>) =>
  Promise.allSettled(methods.map(async (method) => await rpc.request({ method })));

test("concurrent questions are one request, and transactions are sent separately", async () => {
  const answers = await askAll(open(true));
  expect(answers).toEqual(methods.map((value) => ({ status: "fulfilled", value })));
  expect(bodies.map((body) => [body].flat().map(({ method }) => method))).toEqual(
    expect.arrayContaining([
      ["eth_chainId", "eth_call", "eth_blockNumber"],
      ["eth_sendRawTransaction", "eth_sendRawTransaction"],
    ]),
  );
  expect(bodies).toHaveLength(2);
});

test("each is a separate request for a node that is not known to accept batches", async () => {
  const answers = await askAll(open(false));
  expect(answers).toEqual(methods.map((value) => ({ status: "fulfilled", value })));
  expect(bodies).toHaveLength(methods.length);
});

test("in a batch, one that is refused or not answered fails alone", async () => {
  const error = { code: 3, message: "execution reverted" };
  const before = answer;
  answer = (question) => {
    if (question.method === "eth_call") return { jsonrpc: "2.0", id: question.id, error };
    return question.method === "eth_chainId" ? undefined : before(question);
  };
  const rpc = open(true);
  const [unanswered, refused, fine] = await Promise.allSettled([
    rpc.request({ method: "eth_chainId" }),
    rpc.request({ method: "eth_call" }),
    rpc.request({ method: "eth_blockNumber" }),
  ]);
  answer = before;
  expect(unanswered).toMatchObject({ status: "rejected", reason: { name: "RpcBroken" } });
  expect(refused).toMatchObject({ status: "rejected", reason: { name: "RpcRefusal", ...error } });
  expect(fine).toEqual({ status: "fulfilled", value: "eth_blockNumber" });
});
