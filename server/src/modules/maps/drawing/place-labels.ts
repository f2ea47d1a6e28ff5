import { MAP_SIZE } from "./scene.ts";
import type { Pixel } from "./view.ts";

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface PlacedLabel {
  box: Box;
  /** From the marker to the label, if the label is not right beside it. */
  leader: readonly [Pixel, Pixel] | undefined;
}

const EDGE = 12;
const GAP = 5;

/** Tracks the occupied parts of the picture: labels never overlap them, and avoid crossing lines. */
export class Layout {
  readonly #taken: Box[] = [];
  readonly #lines: readonly Pixel[];

  /** `lines` are closely spaced points of the route. */
  constructor(lines: readonly Pixel[]) {
    this.#lines = lines;
  }

  take(box: Box): void {
    this.#taken.push(box);
  }

  isFree(box: Box): boolean {
    const { left, top, right, bottom } = box;
    const isInside = left >= EDGE && top >= EDGE && right <= MAP_SIZE.width - EDGE && bottom <= MAP_SIZE.height - EDGE;
    return (
      isInside &&
      !this.#taken.some((one) => left < one.right && right > one.left && top < one.bottom && bottom > one.top)
    );
  }

  /** How much of the route a label in this box would hide. */
  crossings({ left, top, right, bottom }: Box): number {
    return this.#lines.filter(([x, y]) => x > left && x < right && y > top && y < bottom).length;
  }

  /** Places the label beside the marker, or a little further away with a leader line. Undefined: there is no room. */
  placeBeside(at: Pixel, marker: { width: number; height: number }, label: { width: number; height: number }) {
    let best: { placed: PlacedLabel; cost: number } | undefined;
    for (const [rank, placed] of candidates(at, marker, label).entries()) {
      if (!this.isFree(placed.box)) continue;
      const cost = rank + this.crossings(placed.box) * 6 + (placed.leader === undefined ? 0 : 12);
      if (best === undefined || cost < best.cost) best = { placed, cost };
    }
    if (best !== undefined) this.take(best.placed.box);
    return best?.placed;
  }
}

interface Size {
  width: number;
  height: number;
}

const LEADER_LENGTHS = [34, 58, 86, 120] as const;
const DIRECTIONS = 16;

function candidates([x, y]: Pixel, marker: Size, label: Size): PlacedLabel[] {
  const [aside, above] = [marker.width / 2 + GAP, marker.height / 2 + GAP];
  const beside: Pixel[] = [
    [x + aside, y - label.height / 2],
    [x - aside - label.width, y - label.height / 2],
    [x - label.width / 2, y - above - label.height],
    [x - label.width / 2, y + above],
    [x + aside * 0.7, y - above * 0.7 - label.height],
    [x + aside * 0.7, y + above * 0.7],
    [x - aside * 0.7 - label.width, y - above * 0.7 - label.height],
    [x - aside * 0.7 - label.width, y + above * 0.7],
  ];
  const away = LEADER_LENGTHS.flatMap((length) =>
    Array.from({ length: DIRECTIONS }, (_, step): PlacedLabel => {
      const angle = (step / DIRECTIONS) * 2 * Math.PI;
      const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
      const end: Pixel = [x + dx * length, y + dy * length];
      const left = Math.abs(dx) < 0.4 ? end[0] - label.width / 2 : dx > 0 ? end[0] : end[0] - label.width;
      const top = Math.abs(dx) < 0.4 ? (dy > 0 ? end[1] : end[1] - label.height) : end[1] - label.height / 2;
      return { box: boxAt(left, top, label), leader: [[x, y], end] };
    }),
  );
  return [...beside.map(([left, top]) => ({ box: boxAt(left, top, label), leader: undefined })), ...away];
}

export function boxAt(left: number, top: number, { width, height }: Size): Box {
  return { left, top, right: left + width, bottom: top + height };
}
