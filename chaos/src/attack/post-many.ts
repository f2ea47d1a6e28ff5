import { randomBytes } from "node:crypto";

interface Post {
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: string | Uint8Array<ArrayBuffer>;
}

interface Answered {
  /** Bodies of the answers. */
  texts: readonly string[];
  /** How many of them have which status. */
  statuses: ReadonlyMap<number, number>;
  problems: readonly string[];
}

const AT_ONCE = 32;
const PATIENCE_MILLISECONDS = 30_000;
/** In place of a status. */
const NO_ANSWER = 0;

/** Posts of one attacker, from an address of their own, who does not wait for one answer before the next. An attacker is never answered as if nothing were wrong. */
export async function postMany(count: number, make: (index: number) => Post): Promise<Answered> {
  const texts: string[] = [];
  const from = `2001:db8:${randomBytes(2).toString("hex")}::1`;
  const statuses = new Map<number, number>();
  let next = 0;
  async function postOneByOne(): Promise<void> {
    while (next < count) {
      const { url, headers, body } = make(next++);
      const answer = await post({
        url,
        headers: { "content-type": "application/json", "x-forwarded-for": from, ...headers },
        body,
      });
      texts.push(answer.text);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, postOneByOne));
  const wrong = [...statuses].filter(([status]) => status < 400 || status === 500);
  const problems = wrong.map(([status, times]) => `${times} calls were answered ${status}`);
  return { texts, statuses, problems };
}

async function post({ url, headers, body }: Required<Post>): Promise<{ status: number; text: string }> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
    const response = await fetch(url, { method: "POST", headers, body, signal });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: NO_ANSWER, text: "" };
  }
}
