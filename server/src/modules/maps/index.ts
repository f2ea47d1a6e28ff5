export { ChannelText, fitToChannel } from "./channel-text.ts";
export { addressForLinks, buildDeepLinks, DeepLinks, travelModes } from "./deep-links.ts";
export { type EstimatedMode, FARTHEST_KILOMETERS, MINUTES_TO_EXIT, type WayToAirport } from "./estimate-way.ts";
export { findWay, type KnownWay, saidOfWays } from "./find-way.ts";
export { MapAnswer, type MapPorts, makeRouteMap, mapAttribution } from "./make-route-map.ts";
export { CANDIDATES, takeNearAirport } from "./near-airport.ts";
export { sayDistance } from "./route-scene.ts";
export { mapTexts } from "./texts.ts";
