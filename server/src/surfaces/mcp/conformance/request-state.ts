import { randomBytes } from "node:crypto";
import {
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const KEY_BYTES = 32;

const State = z.object({ tool: z.string(), round: z.int() });

// The fixtures' own key: their state means nothing outside of a run of the suites.
const codec = createRequestStateCodec({ key: randomBytes(KEY_BYTES), bind: ({ mcpReq }) => mcpReq.method });

/** State that travels through the client and comes back untouched or not at all. */
export const sealRound = (tool: string, round: number, context: ServerContext): Promise<string> =>
  codec.mint({ tool, round }, context);

/** The round that the client comes back from; 0 without state. State of another tool or that was touched is refused. */
export async function openRound(tool: string, context: ServerContext): Promise<number> {
  const sealed = context.mcpReq.requestState<string>();
  if (sealed === undefined) return 0;
  const payload = await codec.verify(sealed, context).catch(() => undefined);
  const state = State.safeParse(payload);
  if (!state.success || state.data.tool !== tool) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The requestState is not one of this tool.");
  }
  return state.data.round;
}
