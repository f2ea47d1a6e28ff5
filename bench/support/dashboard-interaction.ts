import type { Browser } from "playwright-core";

interface Session {
  appUrl: string;
  headers: Readonly<Record<string, string>>;
}

export interface Ready {
  name: string;
  milliseconds: readonly number[];
  /** Scripts and styles as they are sent. */
  bytes: number;
}

const LOADS = 5;
const VIEWS = [
  ["Home", "/dashboard"],
  ["Trips", "/dashboard/trips"],
  ["Usage", "/dashboard/usage"],
] as const;

/**
 * How long after the navigation a press is answered, in browsers that have nothing in their cache and a slower processor: the first
 * moment at which the page's own heading is there and its finder opens.
 */
export async function measureInteraction(
  browser: Browser,
  { appUrl, headers }: Session,
  slowdown: number,
): Promise<readonly Ready[]> {
  const measured: Ready[] = [];
  for (const [name, path] of VIEWS) {
    const milliseconds: number[] = [];
    let bytes = 0;
    for (let load = 0; load < LOADS; load += 1) {
      const context = await browser.newContext();
      await context.addCookies(
        (headers.cookie ?? "").split("; ").map((pair) => {
          const [cookie = "", ...value] = pair.split("=");
          return { name: cookie, value: value.join("="), url: appUrl };
        }),
      );
      const page = await context.newPage();
      const client = await context.newCDPSession(page);
      await client.send("Network.enable");
      await client.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
      bytes = 0;
      const files = new Set<string>();
      client.on("Network.responseReceived", ({ requestId, response }) => {
        if (response.url.includes("/dashboard-files/")) files.add(requestId);
      });
      client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        if (files.has(requestId)) bytes += encodedDataLength;
      });
      await page.goto(appUrl + path, { waitUntil: "commit" });
      // The page's own clock, which begins with the navigation.
      const at: unknown = await page.evaluate(
        `new Promise((done) => {
          const look = () => {
            if (document.querySelector("main h1") === null) return requestAnimationFrame(look);
            document.querySelector("button.find").click();
            requestAnimationFrame(() => setTimeout(() => done(performance.now())));
          };
          look();
        })`,
      );
      milliseconds.push(Number(at));
      await context.close();
    }
    measured.push({ name, milliseconds, bytes });
  }
  return measured;
}
