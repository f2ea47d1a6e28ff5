import type { Box } from "../scan.ts";

export const WHOLE_PAGE: Box = { x: 0, y: 0, width: 1, height: 1 };

/** The smallest box around all of them; `undefined` for none. */
export function aroundBoxes(boxes: readonly Box[]): Box | undefined {
  return boxes.length === 0 ? undefined : boxAround(boxes);
}

/** The smallest box that holds all of them, of which there is at least one. */
export function boxAround(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}
