import { defineTexts } from "../../domain/texts.ts";
import { orderTerms } from "../../domain/travel/order-terms.ts";

/** In English on every itinerary of the sandbox: a warning to anyone who might take it for a real one. */
export const SANDBOX_MARK = "SANDBOX - NOT VALID FOR TRAVEL";

export const itineraryTexts = defineTexts({
  ...orderTerms,
  itinerary: {
    en: "Itinerary",
    de: "Reiseplan",
    fr: "Itinéraire",
    es: "Itinerario",
    pt: "Itinerário",
    "pt-BR": "Itinerário",
    ja: "旅程表",
  },
  departure: {
    en: "Departure",
    de: "Abflug",
    fr: "Départ",
    es: "Salida",
    pt: "Partida",
    "pt-BR": "Partida",
    ja: "出発",
  },
  arrival: {
    en: "Arrival",
    de: "Ankunft",
    fr: "Arrivée",
    es: "Llegada",
    pt: "Chegada",
    "pt-BR": "Chegada",
    ja: "到着",
  },
  checkIn: {
    en: "Check-in",
    de: "Anreise",
    fr: "Arrivée",
    es: "Entrada",
    pt: "Check-in",
    "pt-BR": "Check-in",
    ja: "チェックイン",
  },
  checkOut: {
    en: "Check-out",
    de: "Abreise",
    fr: "Départ",
    es: "Salida",
    pt: "Check-out",
    "pt-BR": "Check-out",
    ja: "チェックアウト",
  },
  localTimes: {
    en: "All times are local to the airport. Airlines may change them: check the times before you leave.",
    de: "Alle Zeiten sind Ortszeiten der Flughäfen. Fluggesellschaften können sie ändern: Prüfen Sie die Zeiten, bevor Sie aufbrechen.",
    fr: "Toutes les heures sont locales. Les compagnies aériennes peuvent les modifier : vérifiez-les avant de partir.",
    es: "Todas las horas son locales. Las aerolíneas pueden cambiarlas: compruébelas antes de salir.",
    pt: "Todas as horas são locais. As companhias aéreas podem alterá-las: confirme-as antes de sair.",
    "pt-BR": "Todos os horários são locais. As companhias aéreas podem alterá-los: confira antes de sair.",
    ja: "時刻はすべて空港の現地時間です。変更されることがありますので、出発前にご確認ください。",
  },
  subject: {
    en: "Your itinerary: {name}",
    de: "Ihr Reiseplan: {name}",
    fr: "Votre itinéraire : {name}",
    es: "Su itinerario: {name}",
    pt: "O seu itinerário: {name}",
    "pt-BR": "Seu itinerário: {name}",
    ja: "旅程表: {name}",
  },
  attached: {
    en: "Your itinerary is attached as a PDF, and as a calendar file that you can open to add the trip to your calendar.",
    de: "Ihr Reiseplan ist angehängt, als PDF und als Kalenderdatei, mit der Sie die Reise in Ihren Kalender übernehmen.",
    fr: "Votre itinéraire est joint en PDF, ainsi qu’un fichier à ouvrir pour ajouter le voyage à votre calendrier.",
    es: "Adjuntamos su itinerario en PDF y un archivo que puede abrir para añadir el viaje a su calendario.",
    pt: "O seu itinerário segue em anexo em PDF, com um ficheiro que pode abrir para adicionar a viagem ao seu calendário.",
    "pt-BR":
      "Seu itinerário está anexado em PDF, com um arquivo que você pode abrir para adicionar a viagem ao seu calendário.",
    ja: "旅程表をPDFと、カレンダーに追加できるファイルで添付しました。",
  },
});
