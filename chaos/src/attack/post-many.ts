interface Post {
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: string;
}

const AT_ONCE = 32;

/** Posts of an attacker who does not wait for one answer before the next. An attacker is never answered as if nothing were wrong. */
export async function postMany(count: number, make: (index: number) => Post): Promise<{ problems: readonly string[] }> {
  const statuses = new Map<number, number>();
  let next = 0;
  async function postOneByOne(): Promise<void> {
    while (next < count) {
      const { url, headers, body } = make(next++);
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, postOneByOne));
  const wrong = [...statuses].filter(([status]) => status < 400 || status === 500);
  return { problems: wrong.map(([status, times]) => `${times} calls were answered ${status}`) };
}
