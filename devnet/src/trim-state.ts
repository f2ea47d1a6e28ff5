import { constants, gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";

/** The relevant part of the node's state dump: everything else stays unchanged. */
const State = z.looseObject({
  blocks: z.array(z.looseObject({ header: z.looseObject({ number: z.string() }) })),
  transactions: z.array(z.looseObject({ block_number: z.number() })),
});

/** A node's state without the blocks before `first` and their transactions. */
export const trimState = (packed: Buffer, first: number): Buffer => {
  const text = gunzipSync(packed).toString();
  const value: unknown = JSON.parse(text);
  // A number that JavaScript cannot hold would come out as another one.
  if (JSON.stringify(value) !== text) throw new Error("the node's state cannot be written again as it is");
  const { blocks, transactions, ...state } = State.parse(value);
  return gzipSync(
    JSON.stringify({
      ...state,
      blocks: blocks.filter(({ header }) => Number(header.number) >= first),
      transactions: transactions.filter(({ block_number: block }) => block >= first),
    }),
    // Senders wait for it.
    { level: constants.Z_BEST_SPEED },
  );
};
