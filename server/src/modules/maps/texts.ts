import { defineTexts } from "../../domain/texts.ts";

/** The texts on maps and in the messages beside them. */
export const mapTexts = defineTexts({
  routeMap: {
    en: "Route map",
    de: "Routenkarte",
    fr: "Carte de l’itinéraire",
    es: "Mapa de la ruta",
    pt: "Mapa da rota",
    ja: "ルートマップ",
  },
  summary: {
    en: { one: "{count} stop · {distance} as the crow flies", other: "{count} stops · {distance} as the crow flies" },
    de: { one: "{count} Halt · {distance} Luftlinie", other: "{count} Halte · {distance} Luftlinie" },
    fr: { one: "{count} étape · {distance} à vol d’oiseau", other: "{count} étapes · {distance} à vol d’oiseau" },
    es: { one: "{count} parada · {distance} en línea recta", other: "{count} paradas · {distance} en línea recta" },
    pt: { one: "{count} parada · {distance} em linha reta", other: "{count} paradas · {distance} em linha reta" },
    ja: { other: "{count}か所 · 直線距離 {distance}" },
  },
  schematic: {
    en: "Schematic: streets are not shown",
    de: "Schematisch: Straßen sind nicht gezeigt",
    fr: "Schéma : les rues ne sont pas représentées",
    es: "Esquema: las calles no se muestran",
    pt: "Esquema: as ruas não são mostradas",
    ja: "略図:道路は表示していません",
  },
  straightLines: {
    en: "Shortest lines over the globe, not roads · Natural Earth",
    de: "Kürzeste Linien über den Globus, keine Straßen · Natural Earth",
    fr: "Lignes les plus courtes sur le globe, pas des routes · Natural Earth",
    es: "Líneas más cortas sobre el globo, no carreteras · Natural Earth",
    pt: "Linhas mais curtas sobre o globo, não estradas · Natural Earth",
    ja: "地球上の最短線(道路ではありません) · Natural Earth",
  },
  streets: {
    en: "Straight lines, not roads · © OpenStreetMap contributors",
    de: "Gerade Linien, keine Straßen · © OpenStreetMap-Mitwirkende",
    fr: "Lignes droites, pas des routes · © contributeurs OpenStreetMap",
    es: "Líneas rectas, no carreteras · © colaboradores de OpenStreetMap",
    pt: "Linhas retas, não estradas · © colaboradores do OpenStreetMap",
    ja: "直線(道路ではありません) · © OpenStreetMap contributors",
  },
  map: { en: "Map", de: "Karte", fr: "Carte", es: "Mapa", pt: "Mapa", ja: "地図" },
  directions: {
    en: "Directions",
    de: "Wegbeschreibung",
    fr: "Itinéraire",
    es: "Cómo llegar",
    pt: "Como chegar",
    ja: "経路",
  },
});
