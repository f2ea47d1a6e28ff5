import { geoPath } from "d3-geo";
import { escapeHtml } from "../../../domain/escape-html.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { drawGround, roundDistance } from "./draw-ground.ts";
import { drawableText, measureWidth } from "./fonts.ts";
import type { loadGeography } from "./geography.ts";
import { type Box, boxAt, Layout } from "./place-labels.ts";
import { pointCoordinates } from "./route-line.ts";
import { MAP_SIZE, type MapKind, type MapScene } from "./scene.ts";
import { openView, type Pixel, type View } from "./view.ts";

type Geography = ReturnType<typeof loadGeography>;

/** A map as SVG, without its style. */
interface Drawing {
  kind: MapKind;
  /** For pictures: only the texts that the font has. */
  plain: string;
  /** For readers' own fonts. */
  full: string;
  labelsNotDrawn: string[];
}

export function drawMap(scene: MapScene, geography: Geography): Drawing {
  const view = openView(scene.stops, scene.shape, scene.streets?.zoom);
  const ground = drawGround(view, geography, scene.streets);
  const plain = new Overlay(view, scene, geography, drawableText);
  const full = new Overlay(view, scene, geography, (text) => text);
  return {
    kind: view.kind,
    plain: `${ground}\n${plain.draw()}`,
    full: `${ground}\n${full.draw()}`,
    labelsNotDrawn: plain.labelsNotDrawn,
  };
}

interface Marker {
  at: Pixel;
  numbers: number[];
  labels: string[];
}

const WIDEST_TITLE = 860;
const LONGEST_LABEL = 30;
const LONGEST_JOINED_LABEL = 48;
const MARKER_RADIUS = 13;
/** Markers nearer than this are merged. */
const ONE_PLACE_PIXELS = 20;
const LABEL_HEIGHT = 20;
const MOST_COUNTRIES = 14;
const MOST_CITIES = 16;
const LEAST_LEG_FOR_ARROW = 60;
const LEAST_LEG_FOR_DISTANCE = 50;

/** Everything above the ground. Earlier elements get room first. */
class Overlay {
  readonly labelsNotDrawn: string[] = [];
  readonly #view: View;
  readonly #scene: MapScene;
  readonly #geography: Geography;
  readonly #toText: (text: string) => string;
  readonly #layout: Layout;
  readonly #legs: readonly (readonly Pixel[])[];

  constructor(view: View, scene: MapScene, geography: Geography, toText: (text: string) => string) {
    this.#view = view;
    this.#scene = scene;
    this.#geography = geography;
    this.#toText = toText;
    this.#legs = view.legs.map((leg) => leg.flatMap((point) => withinPicture(view.locate(point))));
    this.#layout = new Layout(this.#legs.flatMap(densely));
  }

  draw(): string {
    const panel = this.#panel();
    const foot = this.#foot();
    const markers = this.#markers();
    for (const { at, numbers } of markers) this.#layout.take(markerBox(at, numbers));
    const labels = markers.map((marker) => this.#label(marker));
    const distances = this.#view.kind === "city" ? this.#distances() : [];
    const isBare = this.#view.kind !== "city" && this.#scene.streets === undefined;
    const orientation = isBare ? [...this.#countries(), ...this.#cities()] : [];
    return [
      ...orientation,
      ...this.#routeLines(),
      ...labels.map(({ leader }) => leader),
      ...markers.map(drawMarker),
      ...distances,
      ...labels.map(({ text }) => text),
      foot,
      panel,
    ]
      .filter((part) => part !== "")
      .join("\n");
  }

  #panel(): string {
    const title = fitText(this.#toText(this.#scene.title), 26, "bold");
    const subtitle = fitText(this.#toText(this.#scene.subtitle), 15, "regular");
    const width = Math.max(measureWidth(title, 26, "bold"), measureWidth(subtitle, 15, "regular")) + 44;
    const box = boxAt(24, 24, { width, height: title === "" ? 46 : 82 });
    this.#layout.take(grown(box, 8));
    return [
      `<rect class="panel" x="24" y="24" width="${width.toFixed(0)}" height="${box.bottom - box.top}" rx="10"/>`,
      title === "" ? "" : text("title", 46, 60, title),
      text("subtitle", 46, title === "" ? 53 : 87, subtitle),
    ].join("");
  }

  /** The scale, the north arrow, and the required notes. */
  #foot(): string {
    const { kind } = this.#view;
    const note = this.#toText(this.#scene.notes[kind]);
    const y = MAP_SIZE.height - 26;
    const left = MAP_SIZE.width - 30 - measureWidth(note, 12, "regular");
    this.#layout.take(grown(boxAt(left, y - 12, { width: MAP_SIZE.width - 30 - left, height: 16 }), 6));
    const plate = this.#scene.streets === undefined ? "" : plateAt(left - 8, y - 15, MAP_SIZE.width - 14 - left, 22);
    return [plate, text("note haloed", left, y, note), kind === "world" ? "" : this.#scale(y), this.#north()].join("");
  }

  #scale(y: number): string {
    const { kilometers, pixels } = roundDistance(this.#view, 170);
    const [amount, unit] = kilometers < 1 ? [kilometers * 1_000, "meter"] : [kilometers, "kilometer"];
    const label = new Intl.NumberFormat(this.#scene.locale, { style: "unit", unit }).format(amount);
    this.#layout.take(boxAt(24, y - 26, { width: pixels + 20, height: 40 }));
    return `<path class="scale" d="M30 ${y - 8}v8h${pixels.toFixed(1)}v-8"/>${text("note haloed", 38, y - 8, label)}`;
  }

  /** North is up only in the middle of a small map, and everywhere on tiles. */
  #north(): string {
    if (this.#view.kind !== "city" && this.#scene.streets === undefined) return "";
    const [x, y] = [MAP_SIZE.width - 52, 66];
    this.#layout.take(boxAt(x - 24, y - 40, { width: 48, height: 76 }));
    return `<path class="north" d="M${x} ${y - 30}l10 30l-10 -7l-10 7z"/>${text("note haloed", x - 5, y + 18, "N")}`;
  }

  #markers(): Marker[] {
    const markers: Marker[] = [];
    this.#scene.stops.forEach((stop, index) => {
      const at = this.#view.locate(pointCoordinates(stop));
      if (at === undefined) return;
      const near = markers.find((one) => Math.hypot(one.at[0] - at[0], one.at[1] - at[1]) < ONE_PLACE_PIXELS);
      if (near === undefined) markers.push({ at, numbers: [index + 1], labels: [stop.label] });
      else {
        near.numbers.push(index + 1);
        if (!near.labels.includes(stop.label)) near.labels.push(stop.label);
      }
    });
    return markers;
  }

  #label({ at, numbers, labels }: Marker): { leader: string; text: string } {
    const drawn = labels.map((label) => this.#toText(label)).filter((label) => label !== "");
    const longest = drawn.length > 1 ? LONGEST_JOINED_LABEL : LONGEST_LABEL;
    const whole = drawn.join(" · ");
    const label = toVisibleText(whole, longest);
    this.labelsNotDrawn.push(...labels.filter((one) => label !== whole || this.#toText(one) !== one));
    if (label === "") return { leader: "", text: "" };
    const size = { width: measureWidth(label, 16, "bold"), height: LABEL_HEIGHT };
    const { right, left } = markerBox(at, numbers);
    const placed = this.#layout.placeBeside(at, { width: right - left, height: 2 * MARKER_RADIUS }, size);
    if (placed === undefined) {
      this.labelsNotDrawn.push(...labels);
      return { leader: "", text: "" };
    }
    const [from, to] = placed.leader ?? [];
    return {
      leader: from && to ? `<path class="leader" d="M${pair(from)}L${pair(to)}"/>` : "",
      text: text("stop haloed", placed.box.left, placed.box.top + 15.5, label),
    };
  }

  #routeLines(): string[] {
    const path = geoPath(this.#view.projection).digits(1);
    const lines = path({ type: "MultiLineString", coordinates: this.#view.legs.map((leg) => [...leg]) }) ?? "";
    return [
      `<path class="halo" d="${lines}"/>`,
      `<path class="route" d="${lines}"/>`,
      ...this.#legs.map((leg) => drawArrow(leg)),
    ];
  }

  /** The distance of each leg, beside its middle, if there is room. */
  #distances(): string[] {
    return this.#legs.map((leg, index) => {
      const label = this.#toText(this.#scene.stops[index + 1]?.legDistance ?? "");
      const [fromX, fromY] = leg[0] ?? [0, 0];
      const [toX, toY] = leg.at(-1) ?? [0, 0];
      const length = Math.hypot(toX - fromX, toY - fromY);
      if (length < LEAST_LEG_FOR_DISTANCE) return "";
      const [acrossX, acrossY] = [(fromY - toY) / length, (toX - fromX) / length];
      const width = measureWidth(label, 13, "bold");
      const away = 10 + (width / 2) * Math.abs(acrossX) + 8 * Math.abs(acrossY);
      for (const side of [away, -away]) {
        const [x, y] = [(fromX + toX) / 2 + acrossX * side, (fromY + toY) / 2 + acrossY * side];
        const box = boxAt(x - width / 2, y - 8, { width, height: 16 });
        if (!this.#layout.isFree(box) || this.#layout.crossings(box) > 0) continue;
        this.#layout.take(box);
        return text("distance haloed", x, y + 5, label);
      }
      return "";
    });
  }

  #countries(): string[] {
    const drawn: string[] = [];
    for (const { name, center, area } of this.#geography.countries.toSorted((one, other) => other.area - one.area)) {
      const [at] = withinPicture(this.#view.locate(center));
      const label = name.toUpperCase();
      const width = measureWidth(label, 12, "regular") + label.length * 1.5;
      const hasRoom = area * this.#view.pixelsOfRadian ** 2 > width * 40;
      if (at === undefined || !hasRoom || drawn.length >= MOST_COUNTRIES) continue;
      const box = grown(boxAt(at[0] - width / 2, at[1] - 10, { width, height: 16 }), 4);
      if (!this.#layout.isFree(box) || this.#layout.crossings(box) > 0) continue;
      this.#layout.take(box);
      drawn.push(text("country haloed", at[0], at[1] + 3, label));
    }
    return drawn;
  }

  #cities(): string[] {
    const drawn: string[] = [];
    for (const { label, latitude, longitude } of this.#scene.cities) {
      const [at] = withinPicture(this.#view.locate([longitude, latitude]));
      const name = drawableText(label);
      if (at === undefined || name === "" || drawn.length >= MOST_CITIES) continue;
      const width = measureWidth(name, 12, "regular");
      const box = grown(boxAt(at[0] - 3, at[1] - 8, { width: width + 10, height: 16 }), 5);
      if (!this.#layout.isFree(box) || this.#layout.crossings(box) > 0) continue;
      this.#layout.take(box);
      drawn.push(
        `<circle class="dot" cx="${at[0].toFixed(1)}" cy="${at[1].toFixed(1)}" r="2.6"/>${text("city haloed", at[0] + 6, at[1] + 4, name)}`,
      );
    }
    return drawn;
  }
}

/** As much of the text as the panel has room for. */
function fitText(whole: string, size: number, weight: "bold" | "regular"): string {
  const characters = Array.from(new Intl.Segmenter().segment(whole), ({ segment }) => segment);
  let kept = characters.length;
  while (measureWidth(characters.slice(0, kept).join(""), size, weight) > WIDEST_TITLE) kept -= 1;
  return kept === characters.length ? whole : toVisibleText(whole, kept);
}

function withinPicture(at: Pixel | undefined): Pixel[] {
  if (at === undefined) return [];
  const [x, y] = at;
  return x >= 0 && y >= 0 && x <= MAP_SIZE.width && y <= MAP_SIZE.height ? [at] : [];
}

const NEAR_PIXELS = 6;
/** A leg cut at the edge of the world continues on the other side. */
const JUMP_PIXELS = 300;

/** Adds points between the points of a line. */
function densely(line: readonly Pixel[]): Pixel[] {
  return line.flatMap(([x, y], index): Pixel[] => {
    const [nextX, nextY] = line[index + 1] ?? [x, y];
    const length = Math.hypot(nextX - x, nextY - y);
    if (length > JUMP_PIXELS) return [[x, y]];
    const steps = Math.max(1, Math.ceil(length / NEAR_PIXELS));
    return Array.from({ length: steps }, (_, step) => [
      x + ((nextX - x) * step) / steps,
      y + ((nextY - y) * step) / steps,
    ]);
  });
}

/** An arrow in the middle of the leg, in its direction. */
function drawArrow(leg: readonly Pixel[]): string {
  const points = densely(leg);
  const [before, at] = [points[Math.floor(points.length / 2) - 1], points[Math.floor(points.length / 2)]];
  if (before === undefined || at === undefined || points.length * NEAR_PIXELS < LEAST_LEG_FOR_ARROW) return "";
  const degrees = (Math.atan2(at[1] - before[1], at[0] - before[0]) * 180) / Math.PI;
  return `<path class="arrow" d="M9 0L-6 7L-2.5 0L-6 -7z" transform="translate(${pair(at)}) rotate(${degrees.toFixed(0)})"/>`;
}

function markerBox([x, y]: Pixel, numbers: readonly number[]): Box {
  const width = Math.max(2 * MARKER_RADIUS, measureWidth(numbers.join(" · "), 13, "bold") + 14);
  return boxAt(x - width / 2, y - MARKER_RADIUS, { width, height: 2 * MARKER_RADIUS });
}

function drawMarker({ at, numbers }: Marker): string {
  const { left, right } = markerBox(at, numbers);
  const [x, y] = at;
  const rect = `<rect class="marker" x="${left.toFixed(1)}" y="${(y - MARKER_RADIUS).toFixed(1)}" width="${(right - left).toFixed(1)}" height="${2 * MARKER_RADIUS}" rx="${MARKER_RADIUS}"/>`;
  return rect + text("number", x, y + 4.6, numbers.join(" · "));
}

/** Keeps the text legible over any tile. */
const plateAt = (x: number, y: number, width: number, height: number): string =>
  `<rect class="panel" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height}" rx="5"/>`;

const pair = ([x, y]: Pixel): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

const grown = ({ left, top, right, bottom }: Box, by: number): Box => ({
  left: left - by,
  top: top - by,
  right: right + by,
  bottom: bottom + by,
});

function text(className: string, x: number, y: number, content: string): string {
  return content === ""
    ? ""
    : `<text class="${className}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escapeHtml(content)}</text>`;
}
