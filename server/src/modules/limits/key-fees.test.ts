import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { runProgram } from "../../commands/command-line.ts";
import { keyProgram } from "../../commands/key.ts";

/** The cap on what the calls of one key cost in a month. */
let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Minted = z.object({ apiKey: z.string(), key: z.object({ id: z.string() }) });

async function run(...args: string[]): Promise<unknown> {
  const output = { out: "", error: "" };
  const asked = [...args, "--tenant", service.tenantId, "--json"];
  const write = { out: (text: string) => (output.out += text), error: (text: string) => (output.error += text) };
  expect(await runProgram(keyProgram, asked, write, (work) => service.operator(work)), output.error).toBe(0);
  return JSON.parse(output.out);
}
const mint = async (fees: string) => Minted.parse(await run("mint", "--max-fees", fees));
const read = (key: string) => service.call("list_trips", {}, { key });

test("a key's calls cost no more than its cap, and the refusal says what is left and when it renews", async () => {
  const { apiKey: key, key: minted } = await mint("0.0021");
  for (let count = 0; count < 4; count += 1) expect((await read(key)).status).toBe(200);
  // A preview is a call, too: it is refused as the call is.
  const refused = await read(key);
  const month = Temporal.Now.plainDateISO("UTC").with({ day: 1 }).add({ months: 1 });
  expect([refused.status, refused.body]).toMatchObject([
    402,
    {
      code: "spend_limit_exceeded",
      limit: "fees",
      limitOf: "key",
      limitUsdc: "0.0021",
      usedUsdc: "0.002",
      leftUsdc: "0.0001",
      neededUsdc: "0.0005",
      renewsAt: `${month}T00:00:00Z`,
      detail: expect.stringContaining(`npm run key -- limits --tenant ${service.tenantId} ${minted.id} --max-fees`),
    },
  ]);
  // Other keys of the tenant are not limited by it.
  expect((await read(service.apiKey)).status).toBe(200);
  await run("limits", minted.id, "--max-fees", "0.004");
  const shown = await run("limits", minted.id);
  expect(JSON.stringify(shown)).toContain('"maxFeesUsdc":"0.004"');
  const account = requireResult(await service.call("read_account", {}, { key }));
  expect(account.limits).toMatchObject({ keyFees: { limitUsdc: "0.004", usedUsdc: "0.002", leftUsdc: "0.002" } });
  const preview = requireResult(await service.call("preview_call", { tool: "list_trips", args: {} }, { key }));
  expect(preview).toMatchObject({
    accepted: true,
    allowances: expect.arrayContaining([
      { name: "fees of this key", token: "USDC", left: "0.0015", leftAfter: "0.001" },
    ]),
  });
  const tooDear = await service.call("preview_call", { tool: "save_traveler", args: { givenName: "Ada" } }, { key });
  expect(requireResult(tooDear)).toMatchObject({ accepted: false, problem: { limit: "fees", neededUsdc: "0.005" } });
  const { apiKey: rotated } = Minted.parse(await run("rotate", minted.id));
  const fresh = requireResult(await service.call("read_account", {}, { key: rotated }));
  expect(fresh.limits).toMatchObject({ keyFees: { limitUsdc: "0.004", usedUsdc: "0.00" } });
  await run("limits", minted.id, "--max-fees", "none");
  expect((await service.call("save_traveler", { givenName: "Ada" }, { key })).status).toBe(200);
});

test("of calls that write at the same moment, only as many go through as the cap has room for", async () => {
  const { apiKey: key } = await mint("0.012");
  expect((await read(key)).status).toBe(200);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      service.call("save_traveler", { userId: `user_fees${index}`, givenName: "Ada" }, { key }),
    ),
  );
  const codes = answers.map(({ status, body }) => (status === 200 ? "done" : body.code));
  expect(codes.filter((code) => code === "done")).toHaveLength(2);
  expect(codes.filter((code) => code === "spend_limit_exceeded")).toHaveLength(6);
});
