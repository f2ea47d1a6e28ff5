import { defineTexts } from "../../domain/texts.ts";

/** Texts of calendars and briefs. */
export const tripTexts = defineTexts({
  checkInOpens: {
    en: "Check-in opens: {flight}",
    de: "Check-in öffnet: {flight}",
    fr: "Ouverture de l’enregistrement : {flight}",
    es: "Apertura de la facturación: {flight}",
    pt: "Abertura do check-in: {flight}",
    "pt-BR": "Abertura do check-in: {flight}",
    ja: "チェックイン開始:{flight}",
  },
  leaveForAirport: {
    en: "Leave for the airport: {airport}",
    de: "Aufbruch zum Flughafen: {airport}",
    fr: "Départ pour l’aéroport : {airport}",
    es: "Salida hacia el aeropuerto: {airport}",
    pt: "Saída para o aeroporto: {airport}",
    "pt-BR": "Saída para o aeroporto: {airport}",
    ja: "空港へ出発:{airport}",
  },
  departure: {
    en: "Departure: {flight}",
    de: "Abflug: {flight}",
    fr: "Départ : {flight}",
    es: "Salida: {flight}",
    pt: "Partida: {flight}",
    "pt-BR": "Partida: {flight}",
    ja: "出発:{flight}",
  },
  departsAt: {
    en: "Departs {moment} (local time)",
    de: "Abflug {moment} (Ortszeit)",
    fr: "Départ {moment} (heure locale)",
    es: "Salida {moment} (hora local)",
    pt: "Partida {moment} (hora local)",
    "pt-BR": "Partida {moment} (horário local)",
    ja: "出発 {moment}(現地時間)",
  },
  bookingReference: {
    en: "Booking reference: {pnr}",
    de: "Buchungsnummer: {pnr}",
    fr: "Référence de réservation : {pnr}",
    es: "Código de reserva: {pnr}",
    pt: "Código da reserva: {pnr}",
    "pt-BR": "Código da reserva: {pnr}",
    ja: "予約番号:{pnr}",
  },
  traveler: {
    en: "Traveler: {name}",
    de: "Reisende Person: {name}",
    fr: "Voyageur : {name}",
    es: "Viajero: {name}",
    pt: "Viajante: {name}",
    "pt-BR": "Viajante: {name}",
    ja: "旅行者:{name}",
  },
  wayRouted: {
    en: "About {minutes} min travel time, {distance} by road, without traffic; be at the airport {before} min before departure",
    de: "Etwa {minutes} Min. Weg, {distance} über die Straßen, ohne Verkehr; {before} Min. vor Abflug am Flughafen",
    fr: "Environ {minutes} min de trajet, {distance} par la route, sans trafic ; à l’aéroport {before} min avant le départ",
    es: "Unos {minutes} min de camino, {distance} por carretera, sin tráfico; en el aeropuerto {before} min antes de la salida",
    pt: "Cerca de {minutes} min de percurso, {distance} por estrada, sem trânsito; no aeroporto {before} min antes da partida",
    "pt-BR":
      "Cerca de {minutes} min de trajeto, {distance} por estrada, sem trânsito; no aeroporto {before} min antes da partida",
    ja: "移動時間は約{minutes}分(道路で{distance}、交通状況を含まない)。出発の{before}分前に空港到着",
  },
  wayEstimated: {
    en: "About {minutes} min travel time, estimated from {distance} as the crow flies; be at the airport {before} min before departure",
    de: "Etwa {minutes} Min. Weg, geschätzt aus {distance} Luftlinie; {before} Min. vor Abflug am Flughafen",
    fr: "Environ {minutes} min de trajet, estimées d’après {distance} à vol d’oiseau ; à l’aéroport {before} min avant le départ",
    es: "Unos {minutes} min de camino, estimados a partir de {distance} en línea recta; en el aeropuerto {before} min antes de la salida",
    pt: "Cerca de {minutes} min de percurso, estimados a partir de {distance} em linha reta; no aeroporto {before} min antes da partida",
    "pt-BR":
      "Cerca de {minutes} min de trajeto, estimados a partir de {distance} em linha reta; no aeroporto {before} min antes da partida",
    ja: "移動時間は約{minutes}分(直線距離{distance}からの概算)。出発の{before}分前に空港到着",
  },
});
