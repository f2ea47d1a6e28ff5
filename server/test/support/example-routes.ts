import type { ScenePoint } from "../../src/modules/maps/drawing/scene.ts";

/** Routes to look at: one in a city, one in a country, one over the antimeridian, one around the world. */
export const exampleRoutes: Readonly<Record<string, { title: string; stops: readonly ScenePoint[] }>> = {
  city: {
    title: "A walk through Lisbon",
    stops: [
      { label: "Rossio station", latitude: 38.7144, longitude: -9.1405 },
      { label: "Praça do Comércio", latitude: 38.7075, longitude: -9.1365 },
      { label: "Lisbon Cathedral", latitude: 38.7099, longitude: -9.1334 },
      { label: "São Jorge Castle", latitude: 38.7139, longitude: -9.1335 },
      { label: "National Tile Museum", latitude: 38.7246, longitude: -9.1138 },
    ],
  },
  country: {
    title: "Ten days in Japan",
    stops: [
      { label: "Tokyo", latitude: 35.6812, longitude: 139.7671 },
      { label: "Nikko", latitude: 36.7199, longitude: 139.6982 },
      { label: "Kanazawa", latitude: 36.5613, longitude: 136.6562 },
      { label: "Kyoto", latitude: 35.0116, longitude: 135.7681 },
      { label: "Nara", latitude: 34.6851, longitude: 135.8048 },
      { label: "Hiroshima", latitude: 34.3853, longitude: 132.4553 },
      { label: "Fukuoka", latitude: 33.5904, longitude: 130.4017 },
    ],
  },
  transpacific: {
    title: "San Francisco to Singapore by way of Tokyo",
    stops: [
      { label: "San Francisco", latitude: 37.6213, longitude: -122.379 },
      { label: "Tokyo Narita", latitude: 35.772, longitude: 140.3929 },
      { label: "Singapore Changi", latitude: 1.3644, longitude: 103.9915 },
    ],
  },
  world: {
    title: "Around the world in ten stops",
    stops: [
      { label: "London", latitude: 51.4706, longitude: -0.4619 },
      { label: "Istanbul", latitude: 41.2753, longitude: 28.7519 },
      { label: "Dubai", latitude: 25.2528, longitude: 55.3644 },
      { label: "Singapore", latitude: 1.3644, longitude: 103.9915 },
      { label: "Sydney", latitude: -33.9461, longitude: 151.1772 },
      { label: "Auckland", latitude: -37.0081, longitude: 174.7917 },
      { label: "Honolulu", latitude: 21.3187, longitude: -157.9225 },
      { label: "Los Angeles", latitude: 33.9425, longitude: -118.4081 },
      { label: "New York", latitude: 40.6398, longitude: -73.7789 },
      { label: "Reykjavík", latitude: 63.985, longitude: -22.6056 },
    ],
  },
};
