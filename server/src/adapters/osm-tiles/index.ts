import type { OpenSource } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import { TILE_PIXELS, type TileName } from "../../ports/map-tiles.ts";

/** The minimum required by the policy of OpenStreetMap's own tiles. */
const FRESH_MILLISECONDS = 7 * 86_400_000;
const MAXIMUM_BYTES = 256 * 1024;

/** Tiles at `/{zoom}/{x}/{y}.png`, as on OpenStreetMap's own server. Returns all requested tiles, or none. */
export function createOsmTiles(source: OpenSource): Provider<readonly TileName[], readonly Uint8Array[]> {
  return {
    source: source.name,
    sourceLevel: "open",
    attribution: ["© OpenStreetMap contributors (ODbL)"],
    async ask(names, signal) {
      // When one fails, the others are useless; aborting them does not count against the source.
      const rest = new AbortController();
      const asked = signal === undefined ? rest.signal : AbortSignal.any([signal, rest.signal]);
      const read = ({ zoom, x, y }: TileName) =>
        source.read({
          path: `/${zoom}/${x}/${y}.png`,
          query: {},
          freshMilliseconds: FRESH_MILLISECONDS,
          contentType: "image/png",
          maximumBytes: MAXIMUM_BYTES,
          parse: readTile,
          signal: asked,
        });
      try {
        const replies = await Promise.all(names.map(read));
        const asOf = replies.map((reply) => reply.asOf).toSorted()[0] ?? "";
        return { answer: replies.map(({ answer }) => answer), asOf };
      } catch (error) {
        rest.abort(error);
        throw error;
      }
    },
  };
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The end of every complete PNG: an empty chunk, and the checksum of its name. */
const END = Buffer.from("0000000049454e44ae426082", "hex");

/** Requires a complete picture of tile size: a small file may decompress to one that exceeds the memory. */
function readTile(body: Buffer): Uint8Array {
  const isWhole = body.subarray(0, 8).equals(SIGNATURE) && body.subarray(-12).equals(END);
  const isTile =
    isWhole &&
    body.toString("latin1", 12, 16) === "IHDR" &&
    body.readUInt32BE(16) === TILE_PIXELS &&
    body.readUInt32BE(20) === TILE_PIXELS;
  if (!isTile) throw new Error("This is no PNG of a tile.");
  return body;
}
