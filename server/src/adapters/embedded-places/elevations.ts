import { distanceMeters } from "../../domain/distance.ts";
import type { ElevationAnswer } from "../../ports/elevation.ts";
import type { Position } from "../../ports/maps.ts";
import type { CityTable } from "./city-table.ts";
import { type Cells, ElevationGrid } from "./elevation-grid.ts";
import { cityPlace } from "./gazetteer.ts";
import type { Summit } from "./load.ts";

const PLACE_KILOMETERS = 5;
const SUMMIT_METERS = 750;
/** With a larger error the elevation counts as unknown. */
const MOST_ERROR_METERS = 180;
const HIGHEST_ON_EARTH = 8_849;
const GRID = "NASA SRTM30, as in KDE Marble's relief: means of cells of 3.7 km";

/** The grid's error at a point, by the relief of the 11 km around it; 98 of 100 towns are within it. */
const GRID_ERRORS: readonly { reliefBelow: number; errorMeters: number }[] = [
  { reliefBelow: 50, errorMeters: 60 },
  { reliefBelow: 100, errorMeters: 110 },
  { reliefBelow: 200, errorMeters: 180 },
];

/** Where the land is this even, the grid tells how much a point differs from a nearby town. */
const EVEN = { nearRelief: 300, difference: 150 };

/**
 * The error of a town's elevation nearby: 95 of 100 neighbors are within it. `offset`: the difference between the town and the
 * grid there.
 */
const errorOfDifference = (kilometers: number, offset: number): number =>
  50 + 25 * kilometers + offset * (0.25 + 0.25 * kilometers);
const errorOfTown = (kilometers: number, relief: number): number => 40 + relief * (0.05 + 0.22 * kilometers);
/** Beside water the grid underestimates the relief, as an island can be a mountain, and towns' models are worse. */
const AT_WATER = { leastRelief: 600, errorMeters: 50 };

/** Summits rise above their cells' means by up to this much in measurements. */
const aboveCells = (meters: number): number => Math.min(2_500, 900 + 0.8 * Math.max(0, meters));

/** Elevations from the bundled data, or an upper bound where that is not precise enough. */
export class Elevations {
  readonly #cities: () => CityTable;
  readonly #summits: readonly Summit[];
  readonly #grid = new ElevationGrid();

  constructor(cities: () => CityTable, summits: readonly Summit[]) {
    this.#cities = cities;
    this.#summits = summits;
  }

  /** Undefined: at sea, or on land far below sea level. */
  at(position: Position): ElevationAnswer | undefined {
    const cells = this.#grid.around(position);
    const highest = cells === undefined ? 0 : cells.highest + aboveCells(cells.highest);
    const highestMeters = Math.min(HIGHEST_ON_EARTH, Math.round(highest));
    const summit = this.#summit(position);
    if (summit !== undefined) return { ...summit, highestMeters: summit.meters };
    const near = this.#even(cells) ?? this.#town(position, cells);
    if (near !== undefined) return { ...near, highestMeters: Math.round(near.meters + near.errorMeters) };
    if (cells === undefined) return undefined;
    const landAround = { lowestMeters: cells.highest - cells.relief, highestMeters: cells.highest };
    return { meters: undefined, errorMeters: null, basis: GRID, distanceMeters: null, highestMeters, landAround };
  }

  #summit(position: Position) {
    const [nearest] = this.#summits
      .map((summit) => ({ ...summit, distance: distanceMeters(position, summit) }))
      .filter(({ distance }) => distance <= SUMMIT_METERS)
      .sort((one, other) => one.distance - other.distance);
    if (nearest === undefined) return undefined;
    const { name, meters, distance } = nearest;
    // Mountains are seldom steeper than 40 degrees over such a distance.
    const errorMeters = Math.round(30 + 0.84 * distance);
    return { meters, errorMeters, basis: `Summit of ${name}`, distanceMeters: Math.round(distance) };
  }

  #even(cells: Cells | undefined) {
    const error = GRID_ERRORS.find(({ reliefBelow }) => cells !== undefined && cells.relief < reliefBelow);
    if (cells?.near === undefined || error === undefined) return undefined;
    return { meters: cells.near.meters, errorMeters: error.errorMeters, basis: GRID, distanceMeters: null };
  }

  #town(position: Position, cells: Cells | undefined) {
    const found = this.#cities().nearest(position, PLACE_KILOMETERS);
    const known = found?.city.elevationMeters;
    if (found === undefined || known === undefined) return undefined;
    const { city, kilometers } = found;
    const label = `Elevation of ${cityPlace(city).label} in GeoNames, of a model with cells of about 90 m to 1 km`;
    const estimates = [{ meters: known, error: errorBeside(kilometers, cells), basis: label }];
    const there = this.#grid.around(city)?.near?.meters;
    const higher = there === undefined ? undefined : higherThan(there, cells?.near);
    if (there !== undefined && higher !== undefined) {
      const error = errorOfDifference(kilometers, Math.abs(known - there));
      estimates.push({ meters: known + higher, error, basis: `${label}, and the difference by ${GRID}` });
    }
    const [best] = estimates
      .filter(({ error }) => error <= MOST_ERROR_METERS)
      .sort((one, other) => one.error - other.error);
    if (best === undefined) return undefined;
    const { meters, error, basis } = best;
    return { meters, errorMeters: Math.round(error), basis, distanceMeters: Math.round(kilometers * 1_000) };
  }
}

function errorBeside(kilometers: number, cells: Cells | undefined): number {
  if (cells?.near !== undefined) return errorOfTown(kilometers, cells.relief);
  return AT_WATER.errorMeters + errorOfTown(kilometers, Math.max(AT_WATER.leastRelief, cells?.relief ?? 0));
}

/** How much higher a point is than this; undefined: the grid does not tell. */
function higherThan(meters: number, near: Cells["near"]): number | undefined {
  if (near === undefined || near.relief >= EVEN.nearRelief) return undefined;
  const difference = near.meters - meters;
  return Math.abs(difference) < EVEN.difference ? difference : undefined;
}
