import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type RequestOptions, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { READ_METHODS } from "../src/methods.ts";
import { findNodes } from "../src/orphans.ts";
import { account, createDevnetFixture, type Devnet, signTransfer } from "./support/devnet-fixture.ts";

const fixture = createDevnetFixture();
let chain: Devnet;
beforeAll(async () => {
  chain = await fixture.start();
});
afterAll(() => fixture.cleanUp());

const post = (body: string | Buffer) =>
  fetch(chain.url, { method: "POST", headers: { "content-type": "application/json" }, body });
/** By hand, as fetch writes the host itself. Returns the status. */
const send = (options: RequestOptions, url = chain.url) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, method: "POST", ...options }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", reject).end('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}');
  });
const JSON_TYPE = { "content-type": "application/json" };
/** Browsers and fetch keep to the same list of ports that they never connect to. */
const fetchProblem = async (url: string) => {
  const problem = await fetch(url).catch((error: Error) => error.cause);
  return problem instanceof Error ? problem.message : "answered";
};
const postJson = async (body: string) => (await post(body)).json();
const code = (error: number) => ({ jsonrpc: "2.0", error: { code: error, message: expect.any(String) } });

test("only the listed methods exist: nothing that changes the chain past its log", async () => {
  const forbidden = [
    ...["anvil_setBalance", "anvil_mine", "anvil_dumpState", "anvil_loadState", "anvil_setCode", "anvil_reset"],
    ...["evm_mine", "evm_snapshot", "evm_revert", "evm_setNextBlockTimestamp", "evm_increaseTime", "evm_setTime"],
    ...["hardhat_setBalance", "eth_sendTransaction", "eth_sign", "eth_signTypedData_v4", "eth_sendUnsignedTransaction"],
    ...[
      "txpool_content",
      "debug_traceTransaction",
      "eth_subscribe",
      "personal_unlockAccount",
      "wallet_addEthereumChain",
    ],
    ...["constructor", "__proto__", ""],
  ];
  for (const method of forbidden) {
    expect(await chain.ask(method)).toMatchObject({ id: 1, error: { code: -32_601 } });
  }
  // The node knows every listed method, whatever it answers to a call without parameters.
  for (const method of READ_METHODS.keys()) {
    expect([method, (await chain.ask(method)).error?.code]).not.toEqual([method, -32_601]);
  }
  expect(await chain.client.getBlockNumber()).toBe(0n);
});

test("ids come back as they were, batches keep their order, and notifications get no answer", async () => {
  const [raw, next] = [await signTransfer(0, 0), await signTransfer(0, 1)];
  const batch = [
    { jsonrpc: "2.0", id: "a", method: "eth_chainId" },
    { jsonrpc: "2.0", method: "eth_chainId" },
    { jsonrpc: "2.0", id: 9_007_199_254_740_991, method: "eth_sendRawTransaction", params: [next] },
    { jsonrpc: "2.0", id: null, method: "eth_sendRawTransaction", params: [raw] },
    { jsonrpc: "2.0", id: 4, method: "evm_mine" },
    { jsonrpc: "2.0", id: 5, method: "eth_getBalance", params: ["nonsense"] },
    7,
  ];
  const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);
  expect(await postJson(JSON.stringify(batch))).toEqual([
    { jsonrpc: "2.0", id: "a", result: "0x4cef52" },
    { jsonrpc: "2.0", id: 9_007_199_254_740_991, result: hash },
    { jsonrpc: "2.0", id: null, result: hash },
    { ...code(-32_601), id: 4 },
    { ...code(-32_602), id: 5 },
    { ...code(-32_600), id: null },
  ]);
  expect(await chain.client.getTransactionCount({ address: account(0).address, blockTag: "pending" })).toBe(2);
  expect((await post(JSON.stringify([batch[1]]))).status).toBe(204);
  expect((await post(JSON.stringify(batch[1]))).status).toBe(204);
});

test("what is no JSON-RPC is answered as the standard says", async () => {
  expect(await postJson("{")).toEqual({ ...code(-32_700), id: null });
  expect(await postJson("")).toEqual({ ...code(-32_700), id: null });
  expect(await postJson("[]")).toEqual({ ...code(-32_600), id: null });
  const [wrong, wrongId] = [
    { id: 1, method: "eth_chainId" },
    { jsonrpc: "2.0", id: {}, method: "eth_chainId" },
  ];
  expect(await postJson(JSON.stringify(wrong))).toEqual({ ...code(-32_600), id: 1 });
  expect(await postJson(JSON.stringify(wrongId))).toEqual({ ...code(-32_600), id: null });
  expect(await postJson(JSON.stringify({ jsonrpc: "2.0", id: 1.5, method: "eth_chainId" }))).toMatchObject(
    code(-32_600),
  );
  expect(await postJson(JSON.stringify({ jsonrpc: "2.0", id: 1, method: 5 }))).toMatchObject(code(-32_600));
  const named = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: { a: 1 } };
  expect(await postJson(JSON.stringify(named))).toEqual({ ...code(-32_602), id: 1 });
  const twice = '{"jsonrpc":"2.0","id":1,"method":"evm_mine","method":"eth_chainId"}';
  expect(await postJson(twice)).toMatchObject({ result: "0x4cef52" });
  const other = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":"evm_mine"}';
  expect(await postJson(other)).toMatchObject(code(-32_601));
  const many = Array.from({ length: 1_001 }, () => ({ jsonrpc: "2.0", id: 1, method: "eth_chainId" }));
  expect(await postJson(JSON.stringify(many))).toEqual({ ...code(-32_600), id: null });
  const deep = `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect((await post(deep)).status).toBeLessThanOrEqual(500);
  for (const raw of [undefined, null, 5, "", "0x", "0xabc", "0xzz", "02f8", {}, [], "0x02"]) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] });
    expect(await postJson(body)).toMatchObject(code(-32_602));
  }
  expect(await chain.ask("eth_chainId")).toMatchObject({ result: "0x4cef52" });
});

test("large bodies and large transactions are refused, other methods than POST too", async () => {
  const large = await post(Buffer.alloc(5_000_000, "a")).catch((error: Error) => error);
  // The connection is closed early; a client that is still sending may see that before the answer.
  if (large instanceof Response) {
    expect(large.status).toBe(413);
    expect(await large.json()).toEqual({ ...code(-32_600), id: null });
  }
  const raw = `0x02${"f8".repeat(128 * 1024)}`;
  expect(await chain.ask("eth_sendRawTransaction", raw)).toMatchObject({
    error: { code: -32_000, message: expect.stringContaining("oversized") },
  });
  expect((await fetch(chain.url)).status).toBe(405);
  expect((await fetch(chain.url, { method: "PUT", body: "{}" })).status).toBe(405);
  expect(await (await fetch(`${chain.url}/healthz`)).json()).toEqual({ ok: true });
});

test("only programs that call the chain by its address or localhost may ask it, whatever they ask", async () => {
  const foreign = { ...JSON_TYPE, host: `rebound.example:${chain.port}` };
  for (const method of ["POST", "GET", "PUT", "OPTIONS", "HEAD"]) {
    expect([method, await send({ method, headers: foreign })]).toEqual([method, 403]);
  }
  expect(await send({ method: "GET", headers: foreign }, `${chain.url}/healthz`)).toBe(403);
  for (const host of [
    "localhost.example",
    "127.0.0.1.example",
    "localhost@rebound.example",
    "rebound.example#localhost",
  ]) {
    expect([host, await send({ headers: { ...JSON_TYPE, host } })]).toEqual([host, 403]);
  }
  expect(await send({ headers: { ...JSON_TYPE, origin: "https://attacker.example" } })).toBe(403);
  expect(await send({ headers: { "content-type": "text/plain" } })).toBe(415);
  expect(await send({ headers: { ...JSON_TYPE, host: `localhost:${chain.port}` } })).toBe(200);
});

// The system tells there what a process listens on.
test.runIf(process.platform === "linux")(
  "no browser connects to the node behind the chain, under any name",
  async () => {
    const [node = 0, ...others] = findNodes(fixture.chainFolderPath());
    expect(others).toEqual([]);
    const [address, ...more] = listListeners(node);
    if (address === undefined) throw new Error("The node listens nowhere.");
    expect(more).toEqual([]);
    const url = `http://${address.host}:${address.port}`;
    // The node itself would answer: it looks at no name.
    expect(await send({ headers: { ...JSON_TYPE, host: `rebound.example:${address.port}` } }, url)).toBe(200);
    expect(await fetchProblem(url)).toBe("bad port");
    expect(await fetchProblem(`http://rebound.example:${address.port}`)).toBe("bad port");
    expect(address.host).toMatch(/^127\./);
    expect(address.host).not.toBe("127.0.0.1");
  },
);

/** Where a process takes connections, by the system's own account. */
function listListeners(pid: number) {
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return "closed meanwhile";
    }
  });
  const lines = ["tcp", "tcp6"].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, "utf8").split("\n").slice(1),
  );
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== "0A" || !links.includes(`socket:[${inode}]`)) return [];
    const [host = "", port = ""] = local.split(":");
    const bytes = Buffer.from(host, "hex").reverse();
    return [{ host: [...bytes].join("."), port: Number.parseInt(port, 16) }];
  });
}

test("filters work, and a client that never reads its answers holds up nobody", async () => {
  const body = JSON.stringify(
    Array.from({ length: 500 }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_getBlockByNumber",
      params: ["0x0", true],
    })),
  );
  const slow = connect(chain.port, "127.0.0.1").on("error", () => undefined);
  slow.pause();
  for (let count = 0; count < 20; count += 1) {
    slow.write(
      `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  }
  // Whom the chain gives up on first, on a slow machine, is no matter here.
  const never = connect(chain.port, "127.0.0.1").on("error", () => undefined);
  never.write("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{");
  const filter = await chain.client.createBlockFilter();
  const hash = await chain.wallet(1).sendTransaction({ to: account(2).address, value: 1n });
  const receipt = await chain.client.getTransactionReceipt({ hash });
  expect(await chain.client.getFilterChanges({ filter })).toEqual([receipt.blockHash]);
  slow.destroy();
  never.destroy();
  expect(await chain.client.getBlockNumber()).toBe(receipt.blockNumber);
});
