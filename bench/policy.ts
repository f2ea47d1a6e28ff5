import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, say } from "./support/compare.ts";
import { startProduct, stopProgram } from "./support/processes.ts";

/** check_policy against a read that does nothing, through the same dispatch: with the default policy, and with one of 5,000 rules. */
const LEAST_SHARE = 0.8;
const MOST_P99_MILLISECONDS = 10;
const RULES = 5_000;

const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
const product = await startProduct(folder);
try {
  const { port, tenantId, apiKey } = product;
  const headers = { authorization: `Bearer ${apiKey}` };
  await putPolicy(port, { authorization: `Bearer ${product.quickstart.operatorKey}` });
  const offer = { kind: "flight", priceUsd: 1_840.5, carrierIata: "BA", durationHours: 7.5, cabin: "economy" };
  const target = (tool: string, args: object, connections?: number) => ({
    port,
    path: "/api/agent/dispatch",
    headers,
    body: JSON.stringify({ tenantId, tool, args }),
    ...(connections === undefined ? {} : { connections }),
  });
  const { medianRate, medianP99, refused } = await compare(
    "npm run bench:policy",
    ["bench/support/probe-tools.ts (probe_read: a read that answers its text, through the same dispatch)"],
    {
      read: target("probe_read", { text: "hello" }),
      default_policy: target("check_policy", { policyId: "default-corp", offer }),
      rules_5000: target("check_policy", { policyId: "many-rules", offer }, 1),
    },
  );
  const share = medianRate("default_policy") / medianRate("read");
  const isFast = share >= LEAST_SHARE && refused("default_policy") === 0;
  say(
    `default policy: median ${medianRate("default_policy").toFixed(0)} of ${medianRate("read").toFixed(0)} requests/s = ${share.toFixed(2)} of the read (target ${LEAST_SHARE}: ${isFast ? "met" : "MISSED"})`,
  );
  const p99 = medianP99("rules_5000");
  const isQuick = p99 < MOST_P99_MILLISECONDS && refused("rules_5000") === 0;
  say(
    `${RULES} rules, one caller: median p99 ${p99.toFixed(1)} ms (target under ${MOST_P99_MILLISECONDS} ms: ${isQuick ? "met" : "MISSED"})`,
  );
  if (!isFast || !isQuick) process.exitCode = 1;
} finally {
  await stopProgram(product.child);
  rmSync(folder, { recursive: true, force: true });
}

/** Each rule is asked: none of its conditions is decided before the last one. */
async function putPolicy(port: number, headers: Readonly<Record<string, string>>): Promise<void> {
  const rules = Array.from({ length: RULES }, (_, index) => ({
    id: `rule-${index}`,
    when: { kind: "flight", priceUsdOver: 1_000, carriers: ["BA", "LH"], durationHoursOver: 8 + index / RULES },
  }));
  const answer = await fetch(`http://127.0.0.1:${port}/api/policies/many-rules`, {
    method: "PUT",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ document: { rules } }),
  });
  if (answer.status !== 201) throw new Error(`The policy was not taken: ${answer.status} ${await answer.text()}`);
}
