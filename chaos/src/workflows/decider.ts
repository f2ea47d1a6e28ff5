import { z } from "zod";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../random.ts";

const PATIENCE_MILLISECONDS = 8_000;
const Answer = z.object({ code: z.string().optional() });

/** People who decide about runs of the demo tenant, by the internal token, and click more than once. */
export class Decider {
  readonly #appUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** How often a session was told that its resolution counts. */
  readonly wins = new Map<string, number>();
  readonly codes = new Map<string, number>();
  readonly tenantId: string;

  constructor(deployment: Pick<Deployment, "quickstart">) {
    const { appUrl, internalToken, tenantId } = deployment.quickstart();
    this.#appUrl = appUrl;
    this.tenantId = tenantId;
    this.#headers = { "content-type": "application/json", authorization: `Bearer ${internalToken}` };
  }

  /** Each at the same moment; the first that arrives counts. */
  async decide(sessionId: string, statuses: readonly string[]): Promise<void> {
    await Promise.all(
      statuses.map(async (status) => {
        const body = { sessionId, resolution: { status, approvedBy: "chaos desk" } };
        const code = await this.#post("/api/workflows/resume", body);
        if (code === "ok") this.wins.set(sessionId, (this.wins.get(sessionId) ?? 0) + 1);
      }),
    );
  }

  async cancel(runId: string): Promise<void> {
    await this.#post(`/api/workflows/runs/${runId}/cancel`, { acceptLoss: true });
  }

  /** `ok`, a code, or that no answer came. */
  async #post(path: string, body: object): Promise<string> {
    const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
    const init = { method: "POST", headers: this.#headers, body: JSON.stringify(body), signal };
    const code = await fetch(`${this.#appUrl}${path}`, init)
      .then(async (response) =>
        response.status === 200 ? "ok" : (Answer.parse(await response.json()).code ?? `http_${response.status}`),
      )
      .catch(() => "(lost)");
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    return code;
  }
}

/** Time passes for some pauses that nobody has resolved: their deadline is now. */
export async function letPausesExpire(deployment: Pick<Deployment, "query">, random: Random): Promise<void> {
  const seed = random.between(0, 2 ** 30);
  await deployment.query(
    `update workflow_pause set expires_at = now() where session_id in (
      select session_id from workflow_pause where resolved_at is null and created_at < now() - interval '10 seconds'
      order by md5(session_id || '${seed}') limit ${random.between(0, 4)})`,
  );
}
