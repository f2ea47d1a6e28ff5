import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { buildBundle } from "../scripts/build-bundle.ts";

/** The bundle for desktop clients, read by its directory as any unzipping program reads it. */

const folder = mkdtempSync(join(tmpdir(), "wayfare-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bundle = buildBundle(folder);
const files = unzip(readFileSync(bundle.file));

function unzip(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.length - 22;
  expect(archive.readUInt32LE(end)).toBe(0x06054b50);
  const found = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [sum, packed, nameLength] = [
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
    ];
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = inflateRawSync(archive.subarray(start, start + packed));
    expect(crc32(bytes)).toBe(sum);
    found.set(archive.subarray(at + 46, at + 46 + nameLength).toString("utf8"), bytes);
    at += 46 + nameLength;
  }
  return found;
}

const Manifest = z.object({
  manifest_version: z.literal("0.3"),
  version: z.string(),
  icon: z.string(),
  server: z.object({ entry_point: z.string(), mcp_config: z.object({ env: z.record(z.string(), z.string()) }) }),
  user_config: z.object({ url: z.looseObject({}), api_key: z.looseObject({ sensitive: z.literal(true) }) }),
});

test("has the bridge's manifest, icon and program, and is the same whenever it is built", () => {
  const manifest = Manifest.parse(JSON.parse(String(files.get("manifest.json"))));
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync("bridge/package.json", "utf8")));
  expect(manifest.version).toBe(version);
  expect([...files.keys()]).toEqual(expect.arrayContaining([manifest.icon, manifest.server.entry_point, "LICENSE"]));
  for (const value of Object.values(manifest.server.mcp_config.env)) {
    expect(Object.keys(manifest.user_config)).toContain(/^\$\{user_config\.(\w+)\}$/.exec(value)?.[1]);
  }
  expect(buildBundle(join(folder, "again")).sha256).toBe(bundle.sha256);
  expect(readFileSync(`${bundle.file}.sha256`, "utf8")).toBe(`${bundle.sha256}  wayfare.mcpb\n`);
  expect(createHash("sha256").update(readFileSync(bundle.file)).digest("hex")).toBe(bundle.sha256);
});

test("its program starts from the unpacked bundle alone", () => {
  const unpacked = join(folder, "unpacked");
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(unpacked, name)), { recursive: true });
    writeFileSync(join(unpacked, name), bytes);
  }
  const env = { WAYFARE_URL: "http://127.0.0.1:1/api/mcp", WAYFARE_API_KEY: "ak_x" };
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`;
  const ran = spawnSync(process.execPath, [join(unpacked, "server/main.mjs")], { cwd: unpacked, env, input });
  expect(ran.status, String(ran.stderr)).toBe(0);
  expect(JSON.parse(String(ran.stdout))).toMatchObject({ id: 1, error: { data: { reason: "unreachable" } } });
});
