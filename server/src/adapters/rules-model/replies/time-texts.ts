import { text } from "./text.ts";

/** The times of day that a search keeps to: they are said, so that a misreading shows. */
export const timeTexts = {
  timesKept: text(
    "Times: {times}.",
    "Zeiten: {times}.",
    "Horas: {times}.",
    "Horaires : {times}.",
    "Horas: {times}.",
    "時間帯:{times}。",
  ),
  departs: text(
    "outbound departure {window}",
    "Abflug hin {window}",
    "salida de la ida {window}",
    "départ de l’aller {window}",
    "partida da ida {window}",
    "往路の出発{window}",
  ),
  arrives: text(
    "outbound arrival {window}",
    "Ankunft hin {window}",
    "llegada de la ida {window}",
    "arrivée de l’aller {window}",
    "chegada da ida {window}",
    "往路の到着{window}",
  ),
  returnDeparts: text(
    "return departure {window}",
    "Abflug zurück {window}",
    "salida de la vuelta {window}",
    "départ du retour {window}",
    "partida da volta {window}",
    "復路の出発{window}",
  ),
  returnArrives: text(
    "return arrival {window}",
    "Ankunft zurück {window}",
    "llegada de la vuelta {window}",
    "arrivée du retour {window}",
    "chegada da volta {window}",
    "復路の到着{window}",
  ),
  timeFrom: text(
    "at {from} or later",
    "ab {from}",
    "a partir de las {from}",
    "à partir de {from}",
    "a partir das {from}",
    "{from}以降",
  ),
  timeUntil: text(
    "at {until} or earlier",
    "bis {until}",
    "hasta las {until}",
    "jusqu’à {until}",
    "até às {until}",
    "{until}まで",
  ),
  timeBetween: text(
    "between {from} and {until}",
    "zwischen {from} und {until}",
    "entre las {from} y las {until}",
    "entre {from} et {until}",
    "entre as {from} e as {until}",
    "{from}から{until}",
  ),
};
