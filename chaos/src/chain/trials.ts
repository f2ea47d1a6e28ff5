import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Finding } from "../area.ts";
import type { Answer } from "../call.ts";
import type { Deployment } from "../deployment.ts";
import type { Sender } from "./operations.ts";

/** Situations that random kills hardly ever bring about, and in which something remembered or skipped would cost money. */

const MICRO = 1_000_000n;
const LOOK_MILLISECONDS = 50;
const PATIENCE_MILLISECONDS = 30_000;
/** How soon a revoked key must be refused: far sooner than it would be forgotten by itself. */
const REVOKED_WITHIN_MILLISECONDS = 5_000;
const MONTHLY_LIMIT = 10n * MICRO;
/** Only one of two fits into the limit. */
const MORE_THAN_HALF = "6";
const DEAD_PROCESS = "chaos-dead";

const Reserved = z.array(z.object({ call_id: z.string(), state: z.string() }));

interface Trials {
  deployment: Deployment;
  /** A new tenant with money. */
  newSender(name: string): Promise<Sender>;
  signal: AbortSignal;
}

export async function tryChain({ deployment, newSender, signal }: Trials): Promise<readonly Finding[]> {
  const sender = await newSender("Standing still");
  const limited = await newSender("Stalled");
  await deployment.limitSpending(limited.tenantId, MONTHLY_LIMIT);
  return [
    await standStill(deployment, sender, signal),
    await takeAgain(deployment, limited, signal),
    await changeRules(deployment, sender, signal),
    await revokeKey(deployment, sender, signal),
  ];
}

/** Money stands still on the chain, also for a process that has begun since, and then moves again. */
async function standStill(deployment: Deployment, { client }: Sender, signal: AbortSignal): Promise<Finding> {
  const problems: string[] = [];
  const send = (number: number) => client.call(sendTokens(`stopped ${number}`, "1"), signal);
  const expect = async (number: number, code: string): Promise<void> => {
    const answer = await send(number);
    if (describe(answer) !== code) problems.push(`transfer ${number} was answered ${describe(answer)}, not ${code}`);
  };
  await expect(1, "ok");
  await deployment.query(`update chain_network set stopped_because = 'chaos' where network = 'sandbox' and is_home`);
  try {
    await expect(2, "settlement_stopped");
    deployment.aim("service")();
    await deployment.untilReady(signal);
    await expect(3, "settlement_stopped");
  } finally {
    await deployment.query(`update chain_network set stopped_because = null where stopped_because = 'chaos'`);
  }
  await expect(4, "ok");
  return { invariant: "no call moves money while it stands still on the chain", checked: 4, problems };
}

/**
 * A call waits in front of its effect while others take its process for dead and give back what it had reserved, and another call
 * reserves that. Only one of them may send.
 */
async function takeAgain(deployment: Deployment, { client, tenantId }: Sender, signal: AbortSignal): Promise<Finding> {
  const send = (number: number) => client.call(sendTokens(`stalled ${number}`, MORE_THAN_HALF), signal);
  const until = (states: readonly string[]) =>
    untilTrue(signal, async () => {
      const rows = Reserved.parse(
        await deployment.query(
          `select call_id, state from call_spend where tenant_id = '${tenantId}' order by created_at`,
        ),
      );
      return rows.map(({ state }) => state).join() === states.join();
    });
  const problems: string[] = [];
  let answers: Answer[] = [];
  const asked: Promise<Answer>[] = [];
  await deployment.during("lock table chain_transaction in share row exclusive mode", async () => {
    asked.push(send(1));
    if (!(await until(["reserved"]))) problems.push("the first call reserved nothing");
    await deployment.query(
      `insert into service_process (id, seen_at, started_at) values ('${DEAD_PROCESS}', now() - interval '5 minutes', now() - interval '6 minutes')`,
    );
    await deployment.query(`update call set process_id = '${DEAD_PROCESS}' where tenant_id = '${tenantId}'`);
    if (!(await until(["released"]))) problems.push("what the first call had reserved was not given back");
    asked.push(send(2));
    if (!(await until(["released", "reserved"]))) problems.push("the second call reserved nothing");
  });
  answers = await Promise.all(asked);
  const done = answers.filter(({ kind }) => kind === "ok").length;
  if (done !== 1) problems.push(`${done} of both calls were done: ${answers.map(describe).join(", ")}`);
  return { invariant: "a call that gave back what it reserved sends only what is free again", checked: 2, problems };
}

/** A tenant that has just paid is not allowed to any more, and then again. */
async function changeRules(
  deployment: Deployment,
  { client, tenantId }: Sender,
  signal: AbortSignal,
): Promise<Finding> {
  const send = async (name: string) => describe(await client.call(sendTokens(`rules ${name}`, "1"), signal));
  const answers = [await send("before")];
  await deployment.query(
    `insert into spend_limit (tenant_id, environment, key_id, tools, updated_at) values ('${tenantId}', 'sandbox', '', '{read_account}', now())`,
  );
  answers.push(await send("meanwhile"));
  await deployment.query(`delete from spend_limit where tenant_id = '${tenantId}'`);
  answers.push(await send("after"));
  const right = ["ok", "spend_limit_exceeded", "ok"];
  const problems = answers.flatMap((answer, index) =>
    answer === right[index] ? [] : [`transfer ${index + 1} was answered ${answer}, not ${right[index]}`],
  );
  return { invariant: "a call is judged by the rules in force", checked: answers.length, problems };
}

/** A key that was just used is revoked. */
async function revokeKey(deployment: Deployment, { client, tenantId }: Sender, signal: AbortSignal): Promise<Finding> {
  const read = () => client.call({ tool: "check_treasury", args: {} }, signal);
  const before = describe(await read());
  await deployment.query(`update api_key set revoked_at = now() where tenant_id = '${tenantId}'`);
  const isRefused = async () => describe(await read()) === "unauthorized";
  const refused = await untilTrue(signal, isRefused, REVOKED_WITHIN_MILLISECONDS);
  const problems = [
    ...(before === "ok" ? [] : [`a read with the key was answered ${before}`]),
    ...(refused ? [] : ["reads with the key went on"]),
  ];
  return { invariant: "nobody reads with a revoked key", checked: 2, problems };
}

function sendTokens(name: string, amount: string) {
  const to = `0x${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
  return { tool: "send_tokens", args: { to, amount } };
}

const describe = (answer: Answer): string => (answer.kind === "ok" ? "ok" : answer.code);

async function untilTrue(
  signal: AbortSignal,
  isTrue: () => Promise<boolean>,
  timeoutMilliseconds = PATIENCE_MILLISECONDS,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMilliseconds;
  while (performance.now() < deadline) {
    if (await isTrue()) return true;
    await delay(LOOK_MILLISECONDS, undefined, { signal });
  }
  return false;
}
