import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createVault } from "../../adapters/vault.ts";
import { readMasterKey } from "../../embedded/master-key.ts";

describe("the vault", () => {
  const vault = createVault(Buffer.alloc(32, 7));

  test("decrypts what it encrypted, in the same context only", () => {
    for (const text of ["", "P1234567", "Zürich 東京 ✈", "x".repeat(100_000)]) {
      const sealed = vault.encrypt(text, "passport:tenant_1:ada");
      expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/);
      expect(vault.decrypt(sealed, "passport:tenant_1:ada")).toBe(text);
      expect(() => vault.decrypt(sealed, "passport:tenant_1:eve")).toThrow();
      expect(() => vault.decrypt(sealed, "passport:tenant_2:ada")).toThrow();
    }
  });

  test("never encrypts the same text alike", () => {
    const sealed = Array.from({ length: 100 }, () => vault.encrypt("same", "context"));
    expect(new Set(sealed).size).toBe(100);
  });

  test("refuses a text that was changed anywhere, or truncated", () => {
    const sealed = vault.encrypt("P1234567", "context");
    const [format = "", keyId = "", body = ""] = sealed.split(".");
    const bytes = Buffer.from(body, "base64url");
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      const text = `${format}.${keyId}.${changed.toString("base64url")}`;
      expect(() => vault.decrypt(text, "context")).toThrow();
    }
    for (const text of [`v2.${keyId}.${body}`, `${format}.00000000.${body}`, `${format}.${keyId}.`, "", "P1234567"]) {
      expect(() => vault.decrypt(text, "context")).toThrow();
    }
    for (const length of [1, 12, 27, bytes.length - 1]) {
      const text = `${format}.${keyId}.${bytes.subarray(0, length).toString("base64url")}`;
      expect(() => vault.decrypt(text, "context")).toThrow();
    }
  });

  test("another master key decrypts nothing and says so", () => {
    const sealed = vault.encrypt("P1234567", "context");
    const other = createVault(Buffer.alloc(32, 8));
    expect(() => other.decrypt(sealed, "context")).toThrow("another master key");
    expect(() => createVault(Buffer.alloc(16))).toThrow("32 bytes");
  });

  test("derives one key per purpose", () => {
    expect(vault.deriveKey("a")).toMatch(/^[0-9a-f]{64}$/);
    expect(vault.deriveKey("a")).toBe(createVault(Buffer.alloc(32, 7)).deriveKey("a"));
    expect(vault.deriveKey("a")).not.toBe(vault.deriveKey("b"));
    expect(vault.deriveKey("a")).not.toBe(createVault(Buffer.alloc(32, 8)).deriveKey("a"));
  });
});

describe("the master key", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "wayfare master key "));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const read = (options: Partial<Parameters<typeof readMasterKey>[0]>) =>
    readMasterKey({ masterKeyFile: undefined, dataDir: folder, production: false, ...options });

  test("is created once by processes that start at once, readable by its owner only, and kept", async () => {
    const dataDir = join(folder, "made at once");
    const script = `
      const { readMasterKey } = await import(${JSON.stringify(import.meta.resolve("../../embedded/master-key.ts"))});
      const key = readMasterKey({ masterKeyFile: undefined, dataDir: process.argv[1], production: false });
      process.stdout.write(key.toString("hex"));`;
    const run = promisify(execFile);
    const started = Array.from({ length: 6 }, () => run(process.execPath, ["-e", script, dataDir]));
    const keys = (await Promise.all(started)).map(({ stdout }) => stdout);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(readdirSync(dataDir)).toEqual(["master.key"]);
    expect(statSync(join(dataDir, "master.key")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir, "master.key"), "utf8").trim()).toBe(keys[0]);
    expect(read({ dataDir }).toString("hex")).toBe(keys[0]);
  });

  test("is named if it is missing for an existing database, and none is created instead", () => {
    const dataDir = join(folder, "lost");
    mkdirSync(join(dataDir, "postgres", "data"), { recursive: true });
    expect(() => read({ dataDir })).toThrow(`${join(dataDir, "master.key")} is missing`);
    expect(readdirSync(dataDir)).toEqual(["postgres"]);
  });

  test("must be set explicitly in production", () => {
    const dataDir = join(folder, "production");
    expect(() => read({ dataDir, production: true })).toThrow(/MASTER_KEY_FILE is not set/);
    const masterKeyFile = join(folder, "explicit.key");
    const key = randomBytes(32);
    for (const text of [
      key.toString("hex"),
      `${key.toString("hex")}\n`,
      key.toString("base64"),
      key.toString("base64url"),
    ]) {
      writeFileSync(masterKeyFile, text, { mode: 0o600 });
      expect(read({ masterKeyFile, production: true })).toEqual(key);
    }
    // The default key is not created as a side effect.
    expect(readdirSync(folder)).not.toContain("production");
  });

  test("a malformed file is refused in one line that names it and never quotes it", () => {
    const masterKeyFile = join(folder, "bad.key");
    for (const text of ["", "hunter2", "ab".repeat(31), `${"ab".repeat(32)}00`, "zz".repeat(32)]) {
      writeFileSync(masterKeyFile, text, { mode: 0o600 });
      expect(() => read({ masterKeyFile })).toThrow(/bad\.key must contain 32 random bytes/);
      if (text !== "") expect(() => read({ masterKeyFile })).not.toThrow(text);
    }
    expect(() => read({ masterKeyFile: join(folder, "absent.key") })).toThrow(/absent\.key cannot be read \(ENOENT\)/);
  });

  test("a file that others can read, write or execute is refused with the reason", () => {
    const masterKeyFile = join(folder, "loose.key");
    writeFileSync(masterKeyFile, randomBytes(32).toString("hex"));
    for (const mode of [0o644, 0o640, 0o604, 0o620, 0o700]) {
      chmodSync(masterKeyFile, mode);
      expect(() => read({ masterKeyFile })).toThrow(`is not private (mode 0${mode.toString(8)}): run chmod 600`);
    }
    for (const mode of [0o600, 0o400]) {
      chmodSync(masterKeyFile, mode);
      expect(read({ masterKeyFile })).toHaveLength(32);
    }
  });

  test("an existing key is never replaced", () => {
    const dataDir = mkdtempSync(join(folder, "damaged"));
    writeFileSync(join(dataDir, "master.key"), "damaged", { mode: 0o600 });
    chmodSync(join(dataDir, "master.key"), 0o600);
    expect(() => read({ dataDir })).toThrow("must contain 32 random bytes");
    expect(readFileSync(join(dataDir, "master.key"), "utf8")).toBe("damaged");
  });
});
