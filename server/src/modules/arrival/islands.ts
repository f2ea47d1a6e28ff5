import { distanceMeters } from "../../domain/distance.ts";
import type { Position } from "../../ports/maps.ts";

/**
 * Islands that visitors reach by boat or by air only: no bridge, tunnel or causeway leads there. Name, latitude, longitude
 * and radius in kilometers. A circle covers the airports and main towns of its island and no land beyond the water; an island
 * may have two. Smaller islands precede larger ones nearby. The positions are approximate.
 */
const ISLANDS: readonly (readonly [string, number, number, number])[] = [
  // Italy and Malta
  ["Ischia", 40.73, 13.9, 7],
  ["Procida", 40.76, 14.02, 2.5],
  ["Capri", 40.55, 14.23, 4.5],
  ["Murano", 45.458, 12.354, 1],
  ["Burano", 45.485, 12.417, 1],
  ["Lido di Venezia", 45.415, 12.37, 2],
  ["Elba", 42.78, 10.27, 19],
  ["Giglio", 42.36, 10.9, 5],
  ["Ponza", 40.91, 12.96, 5],
  ["Lipari", 38.48, 14.94, 5],
  ["Stromboli", 38.79, 15.21, 3],
  ["Favignana", 37.93, 12.32, 5],
  ["Pantelleria", 36.79, 11.99, 9],
  ["Lampedusa", 35.51, 12.58, 7],
  ["Sicily", 37.6, 13.9, 130],
  ["Sicily", 38.15, 15.48, 9],
  ["Gozo", 36.045, 14.25, 8],
  ["Comino", 36.012, 14.336, 1.5],
  // Greece
  ["Naxos", 37.07, 25.48, 18],
  ["Paros", 37.07, 25.19, 10],
  ["Mykonos", 37.45, 25.37, 9],
  ["Santorini", 36.4, 25.45, 10],
  ["Ios", 36.72, 25.32, 9],
  ["Milos", 36.71, 24.43, 13],
  ["Syros", 37.43, 24.92, 9],
  ["Tinos", 37.6, 25.14, 13],
  ["Hydra", 37.34, 23.47, 6],
  ["Aegina", 37.73, 23.49, 8],
  ["Skiathos", 39.16, 23.46, 6],
  ["Skopelos", 39.12, 23.68, 9],
  ["Corfu", 39.6, 19.87, 13],
  ["Paxos", 39.2, 20.17, 5],
  ["Zakynthos", 37.79, 20.8, 18],
  ["Ithaca", 38.39, 20.7, 5],
  ["Patmos", 37.32, 26.55, 6],
  ["Symi", 36.59, 27.84, 6],
  // Croatia
  ["Hvar", 43.17, 16.5, 10],
  ["Vis", 43.05, 16.15, 9],
  ["Lopud", 42.685, 17.945, 2],
  // Spain and Portugal
  ["Formentera", 38.7, 1.46, 9],
  ["Ibiza", 38.98, 1.43, 22],
  ["Menorca", 39.97, 4.08, 24],
  ["La Gomera", 28.11, -17.23, 13],
  ["La Graciosa", 29.25, -13.5, 3.5],
  // France, the British Isles and the north
  ["Belle-Île-en-Mer", 47.33, -3.19, 9],
  ["Île de Groix", 47.64, -3.46, 4],
  ["Porquerolles", 43, 6.21, 3],
  ["the Isle of Wight", 50.68, -1.29, 11],
  ["the Isle of Arran", 55.58, -5.24, 12],
  ["the Isle of Man", 54.23, -4.53, 24],
  ["the Isles of Scilly", 49.93, -6.31, 8],
  ["Lundy", 51.18, -4.67, 3],
  ["Inis Mór", 53.12, -9.73, 7],
  ["Gotland", 57.45, 18.5, 50],
  ["Bornholm", 55.13, 14.92, 22],
  ["Suomenlinna", 60.145, 24.987, 0.8],
  ["Heligoland", 54.18, 7.89, 2],
  ["Norderney", 53.71, 7.2, 3],
  ["Texel", 53.08, 4.82, 8],
  // Turkey, Africa and the Indian Ocean
  ["Büyükada", 40.86, 29.12, 2],
  ["Zanzibar", -6.13, 39.36, 26],
  ["Lamu", -2.28, 40.88, 3],
  ["Robben Island", -33.806, 18.366, 2],
  ["Gorée", 14.667, -17.399, 0.5],
  ["Praslin", -4.32, 55.735, 6],
  ["La Digue", -4.36, 55.84, 2.5],
  // Southeast Asia
  ["Gili Trawangan", -8.351, 116.04, 1.5],
  ["Gili Meno", -8.351, 116.058, 0.8],
  ["Gili Air", -8.358, 116.082, 1],
  ["Nusa Penida", -8.74, 115.53, 9],
  ["Nusa Lembongan", -8.68, 115.45, 2.5],
  ["Koh Samui", 9.51, 100, 12],
  ["Koh Phangan", 9.74, 100.03, 9],
  ["Koh Tao", 10.09, 99.84, 4],
  ["Koh Phi Phi", 7.74, 98.77, 3],
  ["Koh Samet", 12.56, 101.45, 2.5],
  ["Koh Chang", 12.06, 102.33, 9],
  ["Koh Lipe", 6.49, 99.3, 2],
  ["Langkawi", 6.36, 99.78, 15],
  ["Pulau Tioman", 2.8, 104.16, 9],
  ["Boracay", 11.97, 121.925, 3],
  ["Phu Quoc", 10.2, 103.98, 27],
  // Japan
  ["Miyajima", 34.29, 132.32, 2],
  ["Naoshima", 34.457, 133.99, 2],
  ["Yakushima", 30.35, 130.53, 14],
  ["Taketomi", 24.33, 124.09, 2],
  // The Americas
  ["Isla Mujeres", 21.235, -86.735, 3.5],
  ["Cozumel", 20.45, -86.92, 16],
  ["Holbox", 21.53, -87.35, 6],
  ["Caye Caulker", 17.75, -88.02, 3],
  ["Roatán", 16.36, -86.45, 22],
  ["Nantucket", 41.28, -70.07, 10],
  ["Martha's Vineyard", 41.39, -70.64, 11],
  ["Block Island", 41.17, -71.58, 4],
  ["Mackinac Island", 45.865, -84.63, 2],
  ["Santa Catalina Island", 33.38, -118.41, 14],
  ["Ilha Grande", -23.14, -44.2, 8],
  // The Pacific
  ["Lanai", 20.83, -156.92, 12],
  ["Molokai", 21.13, -157.02, 18],
  ["Moorea", -17.53, -149.83, 10],
  ["Waiheke Island", -36.8, 175.09, 8],
  ["Rottnest Island", -32.005, 115.51, 5],
];

/**
 * The island of the destination if the way there needs a boat; undefined if no such island is known. The origin's island does
 * not count, because a circle may leave out its far ends.
 */
export function findIslandToReach(from: Position, to: Position): string | undefined {
  const island = islandAt(to);
  return island === islandAt(from) ? undefined : island;
}

function islandAt(position: Position): string | undefined {
  return ISLANDS.find(
    ([, latitude, longitude, kilometers]) => distanceMeters(position, { latitude, longitude }) <= kilometers * 1_000,
  )?.[0];
}
