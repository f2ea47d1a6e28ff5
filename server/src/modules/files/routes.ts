import { z } from "zod";
import { definePublicRoute, FileAnswer } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import { FILE_ADDRESS, hashOfToken } from "./file-shelf.ts";
import type { SharedFiles } from "./store.ts";

interface FileRoutePorts {
  stores: { sharedFiles: Pick<SharedFiles, "read"> };
  clock: Clock;
}

const readFile = definePublicRoute({
  id: "read_file",
  method: "GET",
  path: "/api/files/:fileAddress",
  tag: "trip",
  summary: "Read a map or a calendar file",
  description:
    "A file made by a tool, at the URL in its answer. Anyone with the URL can read it until it expires; access is free.",
  // A token cannot be guessed, so only failed attempts are limited.
  limitByAddress: "refusals",
  params: z.object({ fileAddress: z.string().regex(FILE_ADDRESS).describe("From the tool's answer") }),
  answers: {
    200: { description: "The file, such as a picture or a calendar.", schema: z.string(), contentType: "*/*" },
  },
  errors: {
    not_found: "The file at this URL no longer exists. Call the tool that made it again.",
    rate_limited: "Too many requests for files that do not exist.",
    unavailable: "The file cannot be read now. Send the request again.",
  },
  async run({ params: { fileAddress }, fail }, { stores, clock }: FileRoutePorts) {
    const [, token = ""] = FILE_ADDRESS.exec(fileAddress) ?? [];
    const file = await stores.sharedFiles.read(hashOfToken(token), clock.now());
    if (file === undefined) throw fail("not_found");
    return new FileAnswer(file);
  },
});

export const fileRoutes = [readFile];
