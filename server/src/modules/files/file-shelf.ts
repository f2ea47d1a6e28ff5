import { createHash } from "node:crypto";
import { type RandomBytes, randomBase62 } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { FileShelf, SharedFile } from "./shared-files.ts";
import type { SharedFiles } from "./store.ts";

interface ShelfParts {
  appUrl: string;
  environment: Environment;
  files: SharedFiles;
  clock: Clock;
  random: RandomBytes;
}

/** 190 bits, which nobody can guess. */
const TOKEN_LENGTH = 32;
/** Letters, digits and a suffix, which some readers use. */
export const FILE_ADDRESS = /^([0-9A-Za-z]{32})\.[a-z]{2,4}$/;

export const hashOfToken = (token: string): Uint8Array => createHash("sha256").update(token).digest();

export function createFileShelf({ appUrl, environment, files, clock, random }: ShelfParts): FileShelf {
  return {
    async share(tenantId, shared, expiresAt) {
      const named = shared.map((file) => ({ file, token: randomBase62(TOKEN_LENGTH, random) }));
      await files.put(
        { tenantId, environment },
        named.map(({ file, token }) => ({ ...file, tokenHash: hashOfToken(token) })),
        { createdAt: clock.now(), expiresAt },
      );
      return named.map(({ file, token }) => `${appUrl}/api/files/${token}${fileSuffix(file.fileName)}`);
    },
  };
}

/** A file by the address that the shelf gave it. Undefined: it has expired, or was displaced. */
export async function readSharedFile(
  files: Pick<SharedFiles, "read">,
  url: string,
  at: Temporal.Instant,
): Promise<SharedFile | undefined> {
  const [, token] = FILE_ADDRESS.exec(new URL(url).pathname.split("/").at(-1) ?? "") ?? [];
  return token === undefined ? undefined : await files.read(hashOfToken(token), at);
}

const fileSuffix = (fileName: string): string => fileName.slice(fileName.lastIndexOf("."));
