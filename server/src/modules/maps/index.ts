export { ChannelText, fitToChannel } from "./channel-text.ts";
export { DeepLinks, deepLinksOf, travelModes } from "./deep-links.ts";
export { MapAnswer, type MapPorts, makeRouteMap, mapAttribution } from "./make-route-map.ts";
export { sayDistance } from "./route-scene.ts";
export { mapTexts } from "./texts.ts";
