import type { Finding } from "./area.ts";
import type { Deployment } from "./deployment.ts";
import type { History } from "./history.ts";
import type { Kills } from "./nemesis.ts";

const EXAMPLES = 5;

export function duration(startedMilliseconds: number): string {
  return ((performance.now() - startedMilliseconds) / 1000).toFixed(1);
}

export function describeRound(facts: {
  round: number;
  before: { operations: number; acknowledged: number; kills: number };
  history: History;
  kills: number;
  seconds: string;
  findings: readonly Finding[];
}): string {
  const { round, before, history, kills, seconds, findings } = facts;
  const holds = findings.every(({ problems }) => problems.length === 0);
  return [
    `round ${round}: ${history.operations - before.operations} operations`,
    `${history.acknowledgements.length - before.acknowledged} acknowledged`,
    `${kills - before.kills} kills`,
    `${seconds} s`,
    holds ? "ok" : "FAILED",
  ].join(", ");
}

export function describeTotals(facts: { history: History; kills: Kills; deployment: Deployment }): string[] {
  const { history, kills, deployment } = facts;
  const list = (counts: Iterable<readonly [string, number]>): string =>
    [...counts]
      .toSorted(([, left], [, right]) => right - left)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ") || "none";
  const byTool = new Map<string, number>();
  for (const { tool } of history.acknowledgements) byTool.set(tool, (byTool.get(tool) ?? 0) + 1);
  return [
    `operations    ${history.operations}`,
    `acknowledged  ${history.acknowledgements.length} (${list(byTool)})`,
    `refused       ${list(history.refusals)}`,
    `kills         ${list(kills)}`,
    `starts        ${deployment.starts}, longest outage ${(deployment.longestOutageMilliseconds / 1000).toFixed(1)} s`,
    ...describeCutOff(deployment.startsCutOff),
  ];
}

function describeCutOff(starts: readonly string[]): string[] {
  if (starts.length === 0) return [];
  const words = [...new Set(starts)].join("; ");
  return [
    `              ${starts.length} gave up as a part was killed under them, and were followed by another: ${words}`,
  ];
}

export function describeFindings(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ invariant, checked, problems }) => {
    if (problems.length === 0) return [`ok      ${invariant} (${checked})`];
    const more = problems.length - EXAMPLES;
    return [
      `FAILED  ${invariant} (${problems.length} problems, ${checked} checked)`,
      ...problems.slice(0, EXAMPLES).map((problem) => `          ${problem}`),
      ...(more > 0 ? [`          and ${more} more`] : []),
    ];
  });
}
