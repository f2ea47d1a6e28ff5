import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../test/support/service.ts";
import { openSharedService } from "../../test/support/shared-service.ts";
import { newFundedTenant, stranger } from "../../test/support/treasury.ts";
import { runProgram } from "./command-line.ts";
import { keyProgram } from "./key.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function run(...args: string[]) {
  let [out, error] = ["", ""];
  const output = {
    out(text: string) {
      out += text;
    },
    error(text: string) {
      error += text;
    },
  };
  const code = await service.operator((operator) => runProgram(keyProgram, args, output, (work) => work(operator)));
  return { code, out, error };
}

async function read(...args: string[]) {
  const { code, out, error } = await run(...args, "--json");
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return JSON.parse(out);
}

test("mint a key with limits, and rotate it with everything that it had", async () => {
  const { tenantId } = await newFundedTenant(service, "Rotating");
  const named = ["--tenant", tenantId];
  const minted = await read("mint", ...named, "--name", "ci", "--scopes", "treasury:spend", "--per-call", "2");
  const send = (key: string, amount: string) =>
    service.call("send_tokens", { to: stranger(), amount }, { key, tenantId });
  expect((await send(minted.apiKey, "3")).body).toMatchObject({ code: "spend_limit_exceeded" });
  await run("limits", ...named, minted.key.id, "--per-day", "9", "--environment", "production");

  const first = await run("rotate", ...named, minted.key.id);
  expect(first.out).toContain(`npm run key -- revoke --tenant ${tenantId} ${minted.key.id}`);
  expect((await send(minted.apiKey, "1")).status).toBe(200);

  const second = await read("rotate", ...named, minted.key.id, "--revoke");
  expect(second).toMatchObject({ key: { name: "ci", scopes: ["treasury:spend"] }, oldKeyRevoked: true });
  expect((await send(minted.apiKey, "1")).status).toBe(401);
  expect((await send(second.apiKey, "3")).body).toMatchObject({ code: "spend_limit_exceeded" });
  expect((await send(second.apiKey, "1")).status).toBe(200);
  expect((await read("limits", ...named, second.key.id)).limits).toMatchObject([
    { perCallUsdc: "2.00", perDay: { limitUsdc: null, usedUsdc: "1.00" } },
    { perCallUsdc: "2.00", perDay: { limitUsdc: "9.00" } },
  ]);
  const again = await run("rotate", ...named, minted.key.id);
  expect(again).toMatchObject({ code: 1, error: expect.stringContaining("is revoked") });
  expect(await run("rotate", ...named, "key_none")).toMatchObject({ code: 1, out: "" });
});
