import { z } from "zod";
import { parseDecimal } from "../../../server/src/domain/money.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { Finding } from "../area.ts";
import type { Transfer } from "./chain-view.ts";
import { describe, NOBODY, type Operation } from "./journal.ts";

/** Compares callers' answers with the chain, without our books. */

const Done = z.object({ txHash: z.string() });
const Parts = z.object({
  supplier: z.string(),
  supplierUsdc: z.string(),
  commissionUsdc: z.string(),
  serviceFeeUsdc: z.string(),
});

type ByMark = ReadonlyMap<string, readonly Transfer[]>;

/** A mark identifies one operation; a split's is the payer's amount. */
function buildMark({ token, from, to, amount, tool }: Operation): string {
  if (tool === "faucet_drip") return `${token} ${NOBODY} ${to}`;
  return `${token} ${from} ${amount}`;
}

function byMark(transfers: readonly Transfer[]): ByMark {
  const marks = new Map<string, Transfer[]>();
  for (const transfer of transfers) {
    const { token, from, to, amount } = transfer;
    const mark = from === NOBODY ? `${token} ${from} ${to}` : `${token} ${from} ${amount}`;
    const list = marks.get(mark) ?? [];
    marks.set(mark, list);
    list.push(transfer);
  }
  return marks;
}

export function checkAcknowledgedTransfers(operations: readonly Operation[], transfers: readonly Transfer[]): Finding {
  const marks = byMark(transfers);
  const byHash = Map.groupBy(transfers, ({ hash }) => hash);
  const problems: string[] = [];
  let checked = 0;
  for (const operation of operations) {
    const hashes = new Set<string>();
    for (const outcome of operation.answers) {
      if (outcome.kind !== "done") continue;
      checked += 1;
      const read = Done.safeParse(outcome.result);
      if (!read.success) {
        problems.push(`${describe(operation)} was acknowledged without a hash`);
        continue;
      }
      const hash = read.data.txHash;
      hashes.add(hash);
      const [found] = marks.get(buildMark(operation)) ?? [];
      if (found === undefined)
        problems.push(`${describe(operation)} was acknowledged as ${hash} and is not on the chain`);
      else if (found.hash !== hash)
        problems.push(`${describe(operation)} is ${found.hash} on the chain, acknowledged ${hash}`);
      else if (operation.tool === "settle_split") {
        problems.push(...splitProblems(operation, outcome.result, byHash.get(found.hash) ?? []));
      } else if (found.to !== operation.to) problems.push(`${describe(operation)} went to ${found.to}`);
    }
    if (hashes.size > 1) problems.push(`${describe(operation)} was acknowledged as ${[...hashes].join(" and ")}`);
  }
  return {
    invariant: "every acknowledged transfer is on the chain, by its hash, to its recipient and of its amount",
    checked,
    problems,
  };
}

/** The parts that were answered are those that moved, and sum to what the payer gave. */
function splitProblems(operation: Operation, result: unknown, moved: readonly Transfer[]): string[] {
  const read = Parts.safeParse(result);
  if (!read.success) return [`${describe(operation)} was answered without its parts`];
  const { supplier, supplierUsdc, commissionUsdc, serviceFeeUsdc } = read.data;
  const parts = [supplierUsdc, commissionUsdc, serviceFeeUsdc].map((text) => parseDecimal(text) ?? -1n);
  const problems: string[] = [];
  const out = moved.filter(({ from }) => from !== operation.from);
  const movedParts = out.map(({ amount }) => amount);
  const answered = parts.filter((part) => part > 0n);
  if (String(movedParts) !== String(answered))
    problems.push(`${describe(operation)} moved ${movedParts}, answered ${answered}`);
  const total = parts.reduce((sum, part) => sum + part, 0n);
  if (total !== operation.amount) problems.push(`the parts of ${describe(operation)} sum to ${total}`);
  const recipient: Hex | undefined = out[0]?.to;
  if ((parts[0] ?? 0n) > 0n && (recipient !== supplier || recipient !== operation.to)) {
    problems.push(`${describe(operation)} went to ${recipient}`);
  }
  return problems;
}

export function checkNoTransferTwice(operations: readonly Operation[], transfers: readonly Transfer[]): Finding {
  const marks = byMark(transfers);
  const problems = operations.flatMap((operation) => {
    const found = marks.get(buildMark(operation)) ?? [];
    return found.length > 1 ? [`${describe(operation)}: ${found.map(({ hash }) => hash).join(", ")}`] : [];
  });
  return { invariant: "nothing that was asked for once is on the chain twice", checked: operations.length, problems };
}

export function checkFailuresMovedNothing(operations: readonly Operation[], transfers: readonly Transfer[]): Finding {
  const marks = byMark(transfers);
  const failed = operations.flatMap((operation) => {
    const code = operation.answers.find((answer) => answer.kind === "failed")?.code;
    return code === undefined ? [] : [{ operation, code }];
  });
  const problems = failed.flatMap(({ operation, code }) => {
    const found = marks.get(buildMark(operation)) ?? [];
    return found.length > 0 ? [`${describe(operation)} failed with ${code} and is ${found[0]?.hash} on the chain`] : [];
  });
  return { invariant: "what was refused for good has moved nothing", checked: failed.length, problems };
}
