import { defineTexts } from "../../domain/texts.ts";

/** Texts of the card with restaurants and ways to them. */
export const restaurantTexts = defineTexts({
  title: {
    en: "Restaurants: {place}",
    de: "Restaurants: {place}",
    fr: "Restaurants : {place}",
    es: "Restaurantes: {place}",
    pt: "Restaurantes: {place}",
    ja: "レストラン:{place}",
  },
  found: {
    en: { one: "{count} restaurant, nearest first", other: "{count} restaurants, nearest first" },
    de: { one: "{count} Restaurant, das nächste zuerst", other: "{count} Restaurants, das nächste zuerst" },
    fr: { one: "{count} restaurant, le plus proche d’abord", other: "{count} restaurants, le plus proche d’abord" },
    es: { one: "{count} restaurante, el más cercano primero", other: "{count} restaurantes, el más cercano primero" },
    pt: { one: "{count} restaurante, o mais próximo primeiro", other: "{count} restaurantes, o mais próximo primeiro" },
    ja: { other: "{count}軒、近い順" },
  },
  noneFound: {
    en: "None is known near here: look on the map",
    de: "In der Nähe ist keines bekannt: auf der Karte nachsehen",
    fr: "Aucun n’est connu à proximité : cherchez sur la carte",
    es: "No se conoce ninguno cerca: búsquelo en el mapa",
    pt: "Não se conhece nenhum por perto: procure no mapa",
    ja: "近くの情報がありません。地図でご確認ください",
  },
  start: {
    en: "Start: {place}",
    de: "Start: {place}",
    fr: "Départ : {place}",
    es: "Inicio: {place}",
    pt: "Início: {place}",
    ja: "出発:{place}",
  },
  restaurant: {
    en: "{name} · {distance} as the crow flies",
    de: "{name} · {distance} Luftlinie",
    fr: "{name} · {distance} à vol d’oiseau",
    es: "{name} · {distance} en línea recta",
    pt: "{name} · {distance} em linha reta",
    ja: "{name} · 直線距離 {distance}",
  },
  restaurantWithWay: {
    en: "{name} · {distance} as the crow flies · about {minutes} min",
    de: "{name} · {distance} Luftlinie · etwa {minutes} Min.",
    fr: "{name} · {distance} à vol d’oiseau · environ {minutes} min",
    es: "{name} · {distance} en línea recta · unos {minutes} min",
    pt: "{name} · {distance} em linha reta · cerca de {minutes} min",
    ja: "{name} · 直線距離 {distance} · 約{minutes}分",
  },
  search: {
    en: "Look for restaurants",
    de: "Restaurants suchen",
    fr: "Chercher des restaurants",
    es: "Buscar restaurantes",
    pt: "Procurar restaurantes",
    ja: "レストランを探す",
  },
});
