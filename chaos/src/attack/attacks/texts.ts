import { gzipSync } from "node:zlib";
import type { Attack } from "../attack.ts";
import { postMany } from "../post-many.ts";
import type { Host, Target } from "../target.ts";

const DEEP_CALLS = 5;
const DEPTH = 100_000;
const PACKED_CALLS = 1;
const UNPACKED_BYTES = 64 * 1024 * 1024;

const buildUrl = ({ urls }: Target, host: Host) => `${urls[host]}${host === "app" ? "/api/agent/dispatch" : "/mcp"}`;
const done = async (): Promise<void> => undefined;

/** Lists in lists: whoever goes into them one by one runs out of stack. */
export const deepJson: Attack = {
  name: "deep JSON",
  hosts: ["app", "edge"],
  guard: "json-depth",
  bounds: { memoryMegabytes: 96, waitingRequests: 60 },
  async begin(target, host) {
    const body = `{"tool":"timezone_brief","args":{"latitude":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}}`;
    const headers = { authorization: `Bearer ${target.apiKey}` };
    const { problems, texts } = await postMany(DEEP_CALLS, () => ({ url: buildUrl(target, host), headers, body }));
    const read = texts.filter((text) => !text.includes("nested deeper"));
    const found = read.length === 0 ? [] : [`${read.length} bodies were read to the end`];
    return { calls: DEEP_CALLS, problems: [...problems, ...found], end: done };
  },
};

/** A short body that would be a long one if somebody unpacked it. */
export const packedBodies: Attack = {
  name: "decompression",
  hosts: ["app", "edge"],
  guard: "unpacked-only",
  bounds: { memoryMegabytes: 96, waitingRequests: 60 },
  async begin(target, host) {
    const body = gzipSync(Buffer.alloc(UNPACKED_BYTES, " "));
    const headers = { authorization: `Bearer ${target.apiKey}`, "content-encoding": "gzip" };
    const { problems } = await postMany(PACKED_CALLS, () => ({ url: buildUrl(target, host), headers, body }));
    return { calls: PACKED_CALLS, problems, end: done };
  },
};
