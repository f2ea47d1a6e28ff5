import { expect, test } from "vitest";
import { silentLog } from "../../../test/support/identity.ts";
import type { FailedCall } from "../../kernel/contracts/failed-call.ts";
import { FailedCallLog } from "./failed-call-log.ts";

const failedCall = (tenantId: string): FailedCall => ({
  tenantId,
  environment: "sandbox",
  keyId: "key",
  tool: "probe",
  surface: "dispatch",
  code: "invalid_input",
  detail: null,
  issuePaths: [],
  traceId: "trace",
  runId: null,
  price: 0n,
  at: Temporal.Now.instant(),
});

test("while the database is away, a tenant's flood is bounded, and another tenant's calls are kept", async () => {
  const stored: string[] = [];
  const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
  let isAway = true;
  const log = new FailedCallLog({
    async add(calls) {
      if (isAway) throw new Error("away");
      stored.push(...calls.map(({ tenantId }) => tenantId));
    },
    log: silentLog,
    isTransient: () => isAway,
    pause: () => isBack,
  });
  for (let sent = 0; sent < 2_000; sent += 1) log.record(failedCall("flooding"));
  log.record(failedCall("other"));
  isAway = false;
  comeBack();
  await log.written();
  expect(stored.filter((tenantId) => tenantId === "flooding")).toHaveLength(500);
  expect(stored.at(-1)).toBe("other");

  log.record(failedCall("flooding"));
  await log.written();
  expect(stored).toHaveLength(502);
});
