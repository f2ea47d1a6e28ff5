import { z } from "zod";

/**
 * Calls that only ask whether there is something new. They are no use of a chain: whoever watches one polls them all the time. A parked
 * chain answers them without its node.
 */
const QuietCall = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.int(), z.null()]),
  method: z.enum(["eth_chainId", "net_version", "eth_blockNumber"]),
});
type QuietCall = z.infer<typeof QuietCall>;
const QuietBody = z.union([QuietCall, z.array(QuietCall).min(1)]);
export type QuietBody = z.infer<typeof QuietBody>;

const LONGEST = 2_000;

/** Undefined: the body asks for something else, or for nothing that could be read. */
export function readQuietBody(body: string): QuietBody | undefined {
  if (body.length > LONGEST) return undefined;
  try {
    return QuietBody.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

export function answerQuietBody(body: QuietBody, chain: { chainId: number; block: number }): Buffer {
  const answer = ({ id, method }: QuietCall) => ({ jsonrpc: "2.0", id, result: readResult(method, chain) });
  return Buffer.from(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
}

function readResult(method: QuietCall["method"], { chainId, block }: { chainId: number; block: number }): string {
  if (method === "net_version") return String(chainId);
  return `0x${(method === "eth_chainId" ? chainId : block).toString(16)}`;
}
