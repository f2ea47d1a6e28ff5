import { BlockList } from "node:net";
import { expect, test } from "vitest";
import { startScriptedServer } from "../../../test/support/scripted-server.ts";
import { createHttpClient } from "./http-client.ts";
import { createSsrfGuard, ForbiddenTarget, type SsrfGuardOptions } from "./ssrf-guard.ts";

const guard = createSsrfGuard();

test.each([
  "http://example.com/",
  "file:///etc/passwd",
  "ftp://example.com/",
  "https://user:secret@example.com/",
  "https://example.com:8443/",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://017700000001/",
  "https://127.1/",
  "https://①②⑦.⓪.⓪.①/",
  "https://0.0.0.0/",
  "https://10.1.2.3/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://172.31.255.255/",
  "https://192.168.0.1/",
  "https://198.19.0.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://[::1]/",
  "https://[::]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[::ffff:8.8.8.8]/",
  "https://[64:ff9b::a00:1]/",
  "https://[fe80::1]/",
  "https://[fd00:ec2::254]/",
  "https://[2002:a00:1::]/",
  "https://[2001:db8::1]/",
  "no address",
])("%s is refused", (text) => {
  expect(() => guard.checkUrl(text)).toThrow(ForbiddenTarget);
});

test.each([
  "https://example.com/a?b#c",
  "https://8.8.8.8/",
  "https://172.32.0.1/",
  "https://[2606:4700::1111]/",
  "https://example.com:443/",
])("%s is let through", (text) => {
  expect(guard.checkUrl(text).protocol).toBe("https:");
});

function resolvingTo(...answers: string[][]): { resolve: NonNullable<SsrfGuardOptions["resolve"]>; calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    resolve(host, _options, done) {
      const addresses = answers[Math.min(calls.length, answers.length - 1)] ?? [];
      calls.push(host);
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    },
  };
}

async function request(options: SsrfGuardOptions, host: string) {
  const server = await startScriptedServer(() => ({ status: 200, text: "here" }));
  const http = createHttpClient();
  const { lookup } = createSsrfGuard(options);
  const url = `http://${host}:${new URL(server.url).port}/`;
  const outcome = await http.send({ method: "GET", url, timeoutMilliseconds: 20_000, lookup }).then(
    (response) => response.body.toString(),
    (error: unknown) => error,
  );
  http.close();
  await server.close();
  return { outcome, reached: server.requests.length };
}

test.each([[["127.0.0.1"]], [["93.184.216.34", "10.0.0.1"]], [["::1"]], [["::ffff:127.0.0.1"]], [[]]])(
  "a name that resolves to %j is not connected to",
  async (addresses) => {
    const { outcome, reached } = await request(resolvingTo(addresses), "rebind.test");
    expect(outcome).toMatchObject({ delivery: "not_sent", cause: expect.any(ForbiddenTarget) });
    expect(reached).toBe(0);
  },
);

test("a permitted address is connected to, and the name is resolved once: the judged address is the one used", async () => {
  const permitted = new BlockList();
  permitted.addAddress("127.0.0.1", "ipv4");
  const resolver = resolvingTo(["127.0.0.1"], ["192.0.2.1"]);
  const { outcome, reached } = await request({ ...resolver, permitted }, "store.test");
  expect([outcome, reached, resolver.calls]).toEqual(["here", 1, ["store.test"]]);
});
