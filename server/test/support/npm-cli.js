// Stands in for npm's npm-cli.js where a test is about the launcher: `ci` notes its call and lays out what the lock file names.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const root = process.cwd();
const note = { words: process.argv.slice(2), pid: process.pid };
appendFileSync(join(root, "npm-calls"), `${JSON.stringify(note)}\n`);
if (existsSync(join(root, "npm-fails"))) {
  process.stderr.write("npm error network is down\n");
  process.exit(1);
}
const modules = join(root, "node_modules");
for (const name of readdirSync(modules)) rmSync(join(modules, name), { recursive: true, force: true });
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const paths = Object.keys(packages).filter((path) => path !== "" && !packages[path].os?.includes("other"));
for (const path of paths) {
  mkdirSync(join(root, path), { recursive: true });
  while (existsSync(join(root, "npm-waits"))) await delay(20);
}
mkdirSync(join(modules, ".bin"));
const fake = join(root, "fake-node");
symlinkSync(existsSync(fake) ? fake : process.execPath, join(modules, ".bin", "node"));
const record = Object.fromEntries(paths.map((path) => [path, packages[path]]));
writeFileSync(join(dirname(modules), "node_modules", ".package-lock.json"), JSON.stringify({ packages: record }));
