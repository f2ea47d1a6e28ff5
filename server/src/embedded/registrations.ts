import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "../platform/files/private-files.ts";
import { isAlive, ownIdentity } from "./process-identity.ts";

const PART_NAMES = ["postgres", "supplier", "devnet", "attester", "carriers"] as const;

/** In their starting order; they stop in reverse. */
const partNames: readonly PartName[] = PART_NAMES;
export type PartName = (typeof PART_NAMES)[number];

const Registration = z.object({ pid: z.int(), startTime: z.string(), wants: z.array(z.enum(PART_NAMES)) });

/** The service processes that use a DATA_DIR: a small file each. Those of killed processes are removed. */
export interface Registrations {
  /** The parts that all live services need, including this one while it is registered. */
  wanted(): readonly PartName[];
  /** Live registrations besides this one. */
  countOthers(): number;
  /** Registers the parts needed from now on. */
  want(wants: readonly PartName[]): void;
  remove(): void;
}

export const registerService = (folder: string, wants: readonly PartName[]): Registrations => {
  ensurePrivateFolder(folder);
  const own = `${process.pid}-${randomBytes(4).toString("hex")}.json`;
  const want = (names: readonly PartName[]) => writePrivateJson(join(folder, own), { ...ownIdentity(), wants: names });
  want(wants);

  const living = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => {
        const registration = readPrivateJson(join(folder, name), Registration);
        if (registration && isAlive(registration)) return [{ name, wants: registration.wants }];
        rmSync(join(folder, name), { force: true });
        return [];
      });

  return {
    wanted() {
      const all = new Set(living().flatMap((registration) => registration.wants));
      return partNames.filter((name) => all.has(name));
    },
    countOthers: () => living().filter(({ name }) => name !== own).length,
    want,
    remove: () => rmSync(join(folder, own), { force: true }),
  };
};
