import { expect, it } from "vitest";
import { chooseLocale, detectLanguage } from "./detect-language.ts";

it.each([
  ["I need a flight to Berlin on Friday", "en"],
  ["Ich brauche am Freitag einen Flug nach Berlin", "de"],
  ["Quiero un vuelo a Berlín para el viernes", "es"],
  ["Je voudrais un vol pour Berlin vendredi", "fr"],
  ["Quero um voo para Berlim na sexta", "pt"],
  ["金曜日のベルリン行きの便を探してください", "ja"],
  ["BER 7 March", undefined],
  ["Ja", undefined],
])("%s is in %s", (text, language) => expect(detectLanguage(text)).toBe(language));

it("keeps the country of a locale in the user's language, and leaves a locale of another one", () => {
  expect(chooseLocale("de-AT", ["Ich möchte bitte nach Wien"])).toBe("de-AT");
  expect(chooseLocale("en", ["Ich möchte bitte nach Wien"])).toBe("de");
  expect(chooseLocale("fr-CA", ["BER 7 March"])).toBe("fr-CA");
});
