import type { Position } from "../../ports/maps.ts";

const PAIR = /(?<![\p{L}\p{N}.])(-?\d{1,2}\.\d{1,15})\s*[,;\s]\s*(-?\d{1,3}\.\d{1,15})(?![\p{L}\p{N}.])/u;

/** Whole degrees count as coordinates only if the text holds nothing else. */
const WHOLE_PAIR = /^\s*[([]?\s*(-?\d{1,2}(?:\.\d{1,15})?)\s*[,;]\s*(-?\d{1,3}(?:\.\d{1,15})?)\s*[)\]]?\s*$/u;

/** Extracts a latitude and a longitude in decimal degrees from a text, with the rest of the text. */
export function readCoordinates(text: string): { position: Position | undefined; rest: string } {
  const [all, latitude, longitude] = PAIR.exec(text) ?? WHOLE_PAIR.exec(text) ?? [];
  if (all === undefined) return { position: undefined, rest: text };
  const position = { latitude: Number(latitude), longitude: Number(longitude) };
  if (Math.abs(position.latitude) > 90 || Math.abs(position.longitude) > 180)
    return { position: undefined, rest: text };
  const rest = text.replace(all, " ").replace(/[()[\]@]/g, " ");
  return { position, rest: /\p{L}/u.test(rest) ? rest.trim().replace(/^[,;\s]+|[,;\s]+$/g, "") : "" };
}
