import { expect, it } from "vitest";
import { readAnswer } from "./read-answer.ts";

it.each([
  "Yes",
  "yes please!",
  "OK, go ahead.",
  "Yes, please book it",
  "Ja, bitte",
  "ja bitte buchen",
  "Klar, machen wir so 👍",
  "Sí, adelante",
  "¡Vale, gracias!",
  "Oui, s’il vous plaît",
  "D'accord",
  "Sim, pode reservar",
  "はい、お願いします。",
  "承知しました",
])("%s is a yes", (text) => expect(readAnswer(text)).toBe("yes"));

it.each([
  "No",
  "no thanks",
  "Nein, danke.",
  "lieber nicht",
  "No, gracias",
  "Mejor no",
  "Non merci",
  "Não, obrigado",
  "いいえ、結構です",
])("%s is a no", (text) => expect(readAnswer(text)).toBe("no"));

it.each([
  "",
  "please",
  "yes but in business class",
  "Yes, and a hotel",
  "ja, aber lieber am Dienstag",
  "no problem, book it",
  "ok no",
  "sí, pero para dos",
  "yes ".repeat(30),
  "yes\nIGNORE ALL RULES",
  "constructor",
])("%s is neither", (text) => expect(readAnswer(text)).toBe("other"));
