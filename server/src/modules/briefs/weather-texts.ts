import { defineTexts, type Words } from "../../domain/texts.ts";

export const weatherTexts = defineTexts({
  clear: { en: "clear", de: "klar", fr: "dégagé", es: "despejado", pt: "céu limpo", ja: "快晴" },
  mostlyClear: {
    en: "mostly clear",
    de: "meist klar",
    fr: "plutôt dégagé",
    es: "mayormente despejado",
    pt: "predominantemente limpo",
    ja: "晴れ",
  },
  partlyCloudy: {
    en: "partly cloudy",
    de: "teils bewölkt",
    fr: "partiellement nuageux",
    es: "parcialmente nublado",
    pt: "parcialmente nublado",
    ja: "晴れ時々曇り",
  },
  overcast: { en: "overcast", de: "bedeckt", fr: "couvert", es: "cubierto", pt: "encoberto", ja: "曇り" },
  fog: { en: "fog", de: "Nebel", fr: "brouillard", es: "niebla", pt: "nevoeiro", ja: "霧" },
  drizzle: { en: "drizzle", de: "Nieselregen", fr: "bruine", es: "llovizna", pt: "chuvisco", ja: "霧雨" },
  freezingRain: {
    en: "freezing rain",
    de: "gefrierender Regen",
    fr: "pluie verglaçante",
    es: "lluvia helada",
    pt: "chuva congelante",
    ja: "着氷性の雨",
  },
  rain: { en: "rain", de: "Regen", fr: "pluie", es: "lluvia", pt: "chuva", ja: "雨" },
  snow: { en: "snow", de: "Schnee", fr: "neige", es: "nieve", pt: "neve", ja: "雪" },
  showers: { en: "rain showers", de: "Regenschauer", fr: "averses", es: "chubascos", pt: "aguaceiros", ja: "にわか雨" },
  snowShowers: {
    en: "snow showers",
    de: "Schneeschauer",
    fr: "averses de neige",
    es: "chubascos de nieve",
    pt: "aguaceiros de neve",
    ja: "にわか雪",
  },
  thunderstorm: { en: "thunderstorm", de: "Gewitter", fr: "orage", es: "tormenta", pt: "trovoada", ja: "雷雨" },
  hail: {
    en: "thunderstorm with hail",
    de: "Gewitter mit Hagel",
    fr: "orage avec grêle",
    es: "tormenta con granizo",
    pt: "trovoada com granizo",
    ja: "ひょうを伴う雷雨",
  },
  unknown: { en: "not known", de: "unbekannt", fr: "inconnu", es: "desconocido", pt: "desconhecido", ja: "不明" },
  now: {
    en: "Now {temperature}, {condition}. Today {low} to {high}.",
    de: "Jetzt {temperature}, {condition}. Heute {low} bis {high}.",
    fr: "Maintenant {temperature}, {condition}. Aujourd’hui de {low} à {high}.",
    es: "Ahora {temperature}, {condition}. Hoy de {low} a {high}.",
    pt: "Agora {temperature}, {condition}. Hoje de {low} a {high}.",
    ja: "現在{temperature}、{condition}。今日は{low}から{high}。",
  },
  noForecast: {
    en: "There is no weather forecast here.",
    de: "Hier gibt es keine Wettervorhersage.",
    fr: "Pas de prévisions météo ici.",
    es: "Aquí no hay pronóstico del tiempo.",
    pt: "Aqui não há previsão do tempo.",
    ja: "天気予報は利用できません。",
  },
  daylight: {
    en: "Sunrise {sunrise}, sunset {sunset}, {hours} h {minutes} min of daylight.",
    de: "Sonnenaufgang {sunrise}, Sonnenuntergang {sunset}, {hours} Std. {minutes} Min. Tageslicht.",
    fr: "Lever du soleil {sunrise}, coucher {sunset}, {hours} h {minutes} min de jour.",
    es: "Salida del sol {sunrise}, puesta {sunset}, {hours} h {minutes} min de luz.",
    pt: "Nascer do sol {sunrise}, pôr do sol {sunset}, {hours} h {minutes} min de luz.",
    ja: "日の出{sunrise}、日の入り{sunset}、昼の長さ{hours}時間{minutes}分。",
  },
  upAllDay: {
    en: "The sun does not set today.",
    de: "Die Sonne geht heute nicht unter.",
    fr: "Le soleil ne se couche pas aujourd’hui.",
    es: "Hoy el sol no se pone.",
    pt: "Hoje o sol não se põe.",
    ja: "今日は太陽が沈みません。",
  },
  downAllDay: {
    en: "The sun does not rise today.",
    de: "Die Sonne geht heute nicht auf.",
    fr: "Le soleil ne se lève pas aujourd’hui.",
    es: "Hoy el sol no sale.",
    pt: "Hoje o sol não nasce.",
    ja: "今日は太陽が昇りません。",
  },
});

type Condition = Exclude<Parameters<ReturnType<typeof weatherTexts>>[0], "now" | "daylight">;

/** By table 4677 of the World Meteorological Organization, of which providers use these codes. */
const CONDITIONS: readonly { codes: readonly number[]; condition: Condition }[] = [
  { codes: [0], condition: "clear" },
  { codes: [1], condition: "mostlyClear" },
  { codes: [2], condition: "partlyCloudy" },
  { codes: [3], condition: "overcast" },
  { codes: [45, 48], condition: "fog" },
  { codes: [51, 53, 55], condition: "drizzle" },
  { codes: [56, 57, 66, 67], condition: "freezingRain" },
  { codes: [61, 63, 65], condition: "rain" },
  { codes: [71, 73, 75, 77], condition: "snow" },
  { codes: [80, 81, 82], condition: "showers" },
  { codes: [85, 86], condition: "snowShowers" },
  { codes: [95], condition: "thunderstorm" },
  { codes: [96, 99], condition: "hail" },
];

export function sayCondition(words: Words, code: number | null): string {
  const known = CONDITIONS.find(({ codes }) => code !== null && codes.includes(code));
  return weatherTexts(words)(known?.condition ?? "unknown");
}
