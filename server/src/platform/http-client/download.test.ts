import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer as createPlainServer } from "node:http";
import { createServer, type Server } from "node:https";
import { BlockList, connect } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certificate, privateKey } from "../../../test/support/mail-server-certificate.ts";
import { createDownload, DownloadFailure, type DownloadLimits } from "./download.ts";
import { createSsrfGuard, type SsrfGuardOptions } from "./ssrf-guard.ts";

/** Real connections to a server on this machine, which plays a file store and an attacker. */

const MEDIA_TYPES = new Set(["image/png", "application/pdf"]);
const limits: DownloadLimits = {
  maximumBytes: 1_000,
  timeoutMilliseconds: 20_000,
  mostRedirects: 3,
  mediaTypes: MEDIA_TYPES,
};

const requests: { path: string; headers: object }[] = [];
const answers: Record<string, (response: ServerResponse) => void> = {
  "/file": (response) => response.writeHead(200, { "content-type": "image/PNG; charset=binary" }).end("a file"),
  "/untyped": (response) => response.writeHead(200).end("a file"),
  "/page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
  "/packed": (response) =>
    response.writeHead(200, { "content-type": "image/png", "content-encoding": "gzip" }).end("packed"),
  "/large": (response) => response.writeHead(200, { "content-type": "image/png" }).end("x".repeat(1_001)),
  "/announced": (response) => {
    response.writeHead(200, { "content-type": "image/png", "content-length": "100000000" }).write("x");
  },
  "/cut": (response) => {
    response.writeHead(200, { "content-type": "image/png", "content-length": "500" });
    response.write("x", () => response.socket?.destroy());
  },
  "/missing": (response) => response.writeHead(404).end(),
  "/silent": () => undefined,
  "/drip": (response) => {
    response.writeHead(200, { "content-type": "image/png" }).flushHeaders();
    const timer = setInterval(() => response.write("x"), 5);
    response.once("close", () => clearInterval(timer));
  },
};
const redirect =
  (to: string, status = 302) =>
  (response: ServerResponse) =>
    response.writeHead(status, { location: to, "set-cookie": "session=1" }).end();

let server: Server;
let port = 0;
let local: SsrfGuardOptions;
beforeAll(async () => {
  server = createServer({ key: privateKey, cert: certificate }, ({ url = "/", headers }, response) => {
    requests.push({ path: url, headers });
    const answer = answers[url];
    if (answer === undefined) response.writeHead(500).end();
    else answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  const permitted = new BlockList();
  permitted.addAddress("127.0.0.1");
  local = {
    permitted,
    ports: [port],
    resolve: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
  };
  Object.assign(answers, {
    "/once": redirect("/file", 301),
    "/twice": redirect(`https://localhost:${port}/once`, 307),
    "/thrice": redirect("/twice"),
    "/four": redirect("/thrice"),
    "/loop": redirect("/loop"),
    "/to-metadata": redirect("https://169.254.169.254/latest/meta-data/"),
    "/to-plain": redirect(`http://localhost:${port}/file`),
    "/to-file": redirect("file:///etc/passwd"),
    "/to-loopback": redirect(`https://[::1]:${port}/file`),
    "/to-user": redirect(`https://me:you@localhost:${port}/file`),
    "/to-port": redirect("https://localhost:1/file"),
    "/to-nothing": redirect("https://"),
  });
});
afterAll(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

const never = new AbortController().signal;

function get(path: string, more: Partial<DownloadLimits> & { guard?: SsrfGuardOptions; signal?: AbortSignal } = {}) {
  const { guard, signal = never, ...changed } = more;
  const download = createDownload({
    ...limits,
    ...changed,
    guard: createSsrfGuard({ ...local, ...guard }),
    ca: certificate,
  });
  return download(path.startsWith("/") ? `https://localhost:${port}${path}` : path, signal);
}

const settledProblem = (getting: Promise<unknown>) =>
  getting.then(
    () => "got it",
    (error: unknown) => (error instanceof DownloadFailure ? error.problem : error),
  );

describe("a download", () => {
  it.each(["/file", "/once", "/twice", "/thrice"])(
    "%s is a file, with no cookie, no credential and no packing",
    async (path) => {
      const { bytes, mediaType } = await get(path);
      expect([Buffer.from(bytes).toString(), mediaType]).toEqual(["a file", "image/png"]);
      const { headers } = requests.at(-1) ?? {};
      expect(Object.keys(headers ?? {}).toSorted()).toEqual([
        "accept",
        "accept-encoding",
        "connection",
        "host",
        "user-agent",
      ]);
      expect(headers).toMatchObject({ "accept-encoding": "identity" });
    },
  );

  it("of an undeclared type is left to the caller to judge", async () => {
    expect((await get("/untyped")).mediaType).toBeUndefined();
  });

  it.each([
    ["/four", "status"],
    ["/loop", "status"],
    ["/to-nothing", "status"],
    ["/missing", "status"],
    ["/page", "type"],
    ["/packed", "type"],
    ["/large", "too_large"],
    ["/announced", "too_large"],
    ["/cut", "unreachable"],
  ])("%s is refused: %s", async (path, problem) => {
    expect(await settledProblem(get(path))).toBe(problem);
  });

  it("of the largest size still succeeds", async () => {
    expect((await get("/large", { maximumBytes: 1_001 })).bytes).toHaveLength(1_001);
  });
});

describe("forbidden addresses", () => {
  it.each(["/to-metadata", "/to-plain", "/to-file", "/to-loopback", "/to-user", "/to-port"])(
    "a redirect %s is followed no further",
    async (path) => {
      const before = requests.length;
      expect(await settledProblem(get(path))).toBe("forbidden");
      expect(requests.length - before).toBe(1);
    },
  );

  it.each([
    ...["https://127.0.0.1/", "https://0x7f.1/", "https://2130706433/", "https://127.0.0.1./", "https://①②⑦.⓪.⓪.①/"],
    ...["https://[::ffff:127.0.0.1]/", "https://[fe80::1]/", "http://example.com/", "https://example.com:8443/"],
    ...["ftp://example.com/", "https://me@example.com/", "no address"],
  ])("%s is not asked", async (url) => {
    expect(await settledProblem(get(url, { guard: { permitted: new BlockList(), ports: [443] } }))).toBe("forbidden");
  });

  it.each([[["127.0.0.1"]], [["93.184.216.34", "127.0.0.1"]], [["::1"]], [[]]])(
    "a name that resolves to %j is not connected to",
    async (found) => {
      const before = requests.length;
      const resolve: SsrfGuardOptions["resolve"] = (_host, _options, done) =>
        done(
          null,
          found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
        );
      expect(await settledProblem(get("/file", { guard: { permitted: new BlockList(), resolve } }))).toBe("forbidden");
      expect(requests.length).toBe(before);
    },
  );

  it("a name that resolves differently after it was judged gains nothing: each hop connects to the judged address", async () => {
    const answered = [["127.0.0.1"], ["192.0.2.1"], ["192.0.2.1"]];
    const resolve: SsrfGuardOptions["resolve"] = (_host, _options, done) =>
      done(
        null,
        (answered.shift() ?? []).map((address) => ({ address, family: 4 })),
      );
    expect(await settledProblem(get("/file", { guard: { resolve } }))).toBe("got it");
    // The second look-up is for the redirect.
    answered.unshift(["127.0.0.1"]);
    expect(await settledProblem(get("/once", { guard: { resolve } }))).toBe("forbidden");
  });

  it("a server with an untrusted certificate is refused", async () => {
    const download = createDownload({ ...limits, guard: createSsrfGuard(local) });
    expect(await settledProblem(download(`https://localhost:${port}/file`, never))).toBe("unreachable");
  });
});

describe("the time limit", () => {
  it.each(["/silent", "/drip"])("of all hops together is up at %s", async (path) => {
    expect(await settledProblem(get(path, { timeoutMilliseconds: 100, maximumBytes: 1_000_000 }))).toBe("timeout");
  });

  it("ends when the caller leaves", async () => {
    const leaving = new AbortController();
    const getting = settledProblem(get("/silent", { signal: leaving.signal }));
    setImmediate(() => leaving.abort());
    expect(await getting).toBe("aborted");
  });
});

describe("through a proxy", () => {
  it("every connection goes, and the proxy resolves the address", async () => {
    const connected: string[] = [];
    const tunnels: Duplex[] = [];
    const proxy = createPlainServer().on("connect", ({ url = "" }, socket) => {
      connected.push(url);
      tunnels.push(socket);
      const upstream = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      upstream.on("error", () => socket.destroy()).pipe(socket);
      socket.on("error", () => upstream.destroy()).pipe(upstream);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const address = proxy.address();
    const proxyUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    const resolve: SsrfGuardOptions["resolve"] = (_host, _options, done) => done(new Error("asked"), []);
    const download = createDownload({
      ...limits,
      guard: createSsrfGuard({ ...local, resolve }),
      ca: certificate,
      proxyUrl,
    });
    expect(Buffer.from((await download(`https://localhost:${port}/once`, never)).bytes).toString()).toBe("a file");
    expect(connected).toEqual([`localhost:${port}`, `localhost:${port}`]);
    // Literal addresses are judged as before.
    expect(await settledProblem(download("https://10.0.0.1/", never))).toBe("forbidden");
    for (const tunnel of tunnels) tunnel.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
});
