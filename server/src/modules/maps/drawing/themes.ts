import { FONT_FAMILY } from "./fonts.ts";

const light = {
  sea: "#dbe7f0",
  land: "#fbfaf6",
  coast: "#b3c2cf",
  border: "#d3cdc0",
  graticule: "#c9d8e4",
  space: "#eef2f6",
  streets: "#f4f2ec",
  grid: "#e3dfd5",
  ink: "#17212b",
  muted: "#6b7783",
  halo: "#ffffff",
  panel: "#ffffff",
  panelEdge: "#d5dde4",
  route: "#0f62c9",
  routeHalo: "#ffffff",
  marker: "#0f62c9",
  markerInk: "#ffffff",
};

const dark: typeof light = {
  sea: "#0f1a26",
  land: "#22303d",
  coast: "#3c4f61",
  border: "#364654",
  graticule: "#1a2937",
  space: "#0a121a",
  streets: "#17212b",
  grid: "#22303d",
  ink: "#f1f5f9",
  muted: "#94a6b7",
  halo: "#0f1a26",
  panel: "#16222e",
  panelEdge: "#2f4151",
  route: "#6cb2ff",
  routeHalo: "#0b141d",
  marker: "#6cb2ff",
  markerInk: "#0b1a2a",
};

function renderRules(colors: typeof light, tiles: string): string {
  return `
.tiles{${tiles}}
.sea{fill:${colors.sea}}.space{fill:${colors.space}}.streets{fill:${colors.streets}}
.land{fill:${colors.land};stroke:${colors.coast};stroke-width:0.8}
.border{fill:none;stroke:${colors.border};stroke-width:0.9}
.graticule{fill:none;stroke:${colors.graticule};stroke-width:0.8}
.grid{fill:none;stroke:${colors.grid};stroke-width:1}
.halo{fill:none;stroke:${colors.routeHalo};stroke-width:7;stroke-opacity:0.75;stroke-linecap:round;stroke-linejoin:round}
.route{fill:none;stroke:${colors.route};stroke-width:3;stroke-linecap:round;stroke-linejoin:round}
.arrow{fill:${colors.route};stroke:${colors.routeHalo};stroke-width:1}
.leader{stroke:${colors.muted};stroke-width:1.2}
.marker{fill:${colors.marker};stroke:${colors.routeHalo};stroke-width:2.5}
.number{fill:${colors.markerInk};font-weight:bold;font-size:13px;text-anchor:middle}
.panel{fill:${colors.panel};stroke:${colors.panelEdge};stroke-width:1;fill-opacity:0.94}
.title{fill:${colors.ink};font-weight:bold;font-size:26px}
.subtitle{fill:${colors.muted};font-size:15px}
.haloed{stroke:${colors.halo};stroke-width:4;stroke-linejoin:round;paint-order:stroke}
.stop{fill:${colors.ink};font-weight:bold;font-size:16px}
.country{fill:${colors.muted};font-size:12px;letter-spacing:1.5px;text-anchor:middle}
.city{fill:${colors.muted};font-size:12px}.dot{fill:${colors.muted}}
.distance{fill:${colors.route};font-weight:bold;font-size:13px;text-anchor:middle}
.note{fill:${colors.muted};font-size:12px}
.scale{fill:none;stroke:${colors.ink};stroke-width:2}.north{fill:${colors.ink}}`;
}

const TEXT = `text{font-family:"${FONT_FAMILY}",Verdana,"Noto Sans",sans-serif}`;

/** Tiles are faded so that the route stands out. */
const DAY = "opacity:0.85";
const NIGHT = "opacity:0.9;filter:url(#night)";

export const styles = {
  light: `${TEXT}${renderRules(light, DAY)}`,
  dark: `${TEXT}${renderRules(dark, NIGHT)}`,
  /** Follows the color scheme of the reader's device. */
  adaptive: `${TEXT}${renderRules(light, DAY)}\n@media (prefers-color-scheme:dark){${renderRules(dark, NIGHT)}}`,
} as const;
