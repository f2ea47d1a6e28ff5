import { expect, it } from "vitest";
import { chooseLanguages } from "./languages.ts";

/** Texts as read in English. */
const PASSPORTS = [
  [
    "deu",
    "Surname / Name Given names / Vornamen Nationality / Staatsangehdrigkeit DEUTSCH Geburtstag Geschlecht Behorde",
  ],
  ["fra", "Surname / Nom Given names / Prénoms Nationalité Date de naissance Sexe Lieu Date de délivrance Autorité"],
  ["pol", "RZECZPOSPOLITA POLSKA Surname / Nazwisko Given names / Imiona Data urodzenia Ptec Organ wydajacy waznosci"],
  ["spa", "Surname / Apellidos Given names / Nombre Nacionalidad Fecha de nacimiento Sexo Fecha de caducidad"],
  ["por", "Surname / Apelidos Given names / Nomes Nacionalidade PORTUGUESA Data de nascimento Sexo Data de emissdo"],
] as const;

const recognise = (text: string) => {
  const box = { x: 0, y: 0, width: 0.1, height: 0.1 };
  const words = text.split(" ").map((word) => ({ text: word, confidence: 0.9, box }));
  return { words, pieces: [words], confidence: 0.9, isSideways: false };
};

it.each(PASSPORTS)("the labels of a passport show that it is in %s", (language, text) => {
  expect(chooseLanguages(recognise(text))).toEqual([language, "eng"]);
});

it("a passport in English alone is read in English", () => {
  const text =
    "Surname Given names Nationality Date of birth Sex Place of birth Authority Date of issue Date of expiry";
  expect(chooseLanguages(recognise(`PASSPORT ${text}`))).toEqual(["eng"]);
});
