import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  allowInBrowser,
  KeptAuthorization,
  oauthClientKinds,
  openOauthClient,
  signedInBrowser,
} from "../../../test/support/oauth-clients.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
  await service.operator(({ persons }) =>
    persons.add(
      { tenantId: service.tenantId, environment: "sandbox" },
      { id: "user_agents", name: "Ada", email: "ada-agents@example.com", roles: ["admin"] },
      "test",
    ),
  );
});
afterAll(() => service?.[Symbol.asyncDispose]());

describe.each(oauthClientKinds)("the official client %s", (kind) => {
  it("connects by itself from a refusal, calls a tool, and goes on with its refresh token", async () => {
    const kept = new KeptAuthorization();
    const url = `${service.appUrl}/api/mcp`;
    const first = openOauthClient(url, kind, kept);
    await expect(first.connect()).rejects.toThrow();
    expect(kept.asked?.pathname).toBe("/oauth/authorize");
    expect(kept.asked?.searchParams.get("resource")).toBe(url);
    const browser = await signedInBrowser(service, "user_agents");
    const back = await allowInBrowser(browser, kept.asked ?? new URL("missing:"));
    expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:33418\/callback\?code=/);
    expect(back.searchParams.get("iss")).toBe(service.appUrl);
    await first.finish(back.searchParams.get("code") ?? "", service.appUrl);
    expect(kept.kept?.refresh_token).toBeDefined();
    const client = await openOauthClient(url, kind, kept).connect();
    const called = await client.callTool({ name: "read_account", arguments: {} });
    expect(called.isError).not.toBe(true);
    await client.close();
    const before = { ...kept.kept };
    kept.kept = { ...kept.kept, access_token: "x".repeat(48) };
    const again = await openOauthClient(url, kind, kept).connect();
    expect((await again.callTool({ name: "read_account", arguments: {} })).isError).not.toBe(true);
    await again.close();
    expect(kept.kept?.refresh_token).not.toBe(before.refresh_token);
  });
});
