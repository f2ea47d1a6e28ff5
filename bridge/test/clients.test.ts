import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { BRIDGE } from "./support/bridge-process.ts";
import { startSdkServer } from "./support/sdk-server.ts";

// It does nothing when it is called by a path with a symbolic link in it.
const INSPECTOR = realpathSync(
  join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js"),
);
const me = { name: "bridge-test", version: "1.0.0" };
const commandFor = (url: string) => ({ command: process.execPath, args: [BRIDGE], env: { WAYFARE_URL: url } });

describe("the official client over the bridge", () => {
  it.each([
    ["2.4, 2026-07-28", { pin: "2026-07-28" }],
    ["2.4, finding out", "auto"],
    ["2.4, initialize", "legacy"],
  ] as const)("%s", async (_name, mode) => {
    await using server = await startSdkServer();
    const client = new Client(me, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport(commandFor(server.url)));
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
      const { content } = await client.callTool({ name: "echo", arguments: { text: "grüß\u2028dich" } });
      expect(content).toEqual([{ type: "text", text: "grüß\u2028dich" }]);
      await expect(
        client.callTool({ name: "echo", arguments: { text: "x" } }, { signal: AbortSignal.abort() }),
      ).rejects.toThrow();
      expect((await client.listTools()).tools).toHaveLength(1);
    } finally {
      await client.close();
    }
  });

  it("1.32", async () => {
    await using server = await startSdkServer();
    const client = new ClientV1(me);
    await client.connect(new StdioClientTransportV1(commandFor(server.url)));
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
      const { content } = await client.callTool({ name: "echo", arguments: { text: "x" } });
      expect(content).toEqual([{ type: "text", text: "x" }]);
    } finally {
      await client.close();
    }
  });
});

it("the inspector lists over the bridge", async () => {
  await using server = await startSdkServer();
  const words = ["-e", `WAYFARE_URL=${server.url}`, "--method", "tools/list", process.execPath, BRIDGE];
  const child = spawn(process.execPath, [INSPECTOR, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ tools: [{ name: "echo" }] });
});
