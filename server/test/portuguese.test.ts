import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Words that texts for travelers have in Portugal only, with the pronouns after a hyphen. */
const EUROPEAN = [
  ..."comboio comboios autocarro autocarros metro carrinha aterragem aterrar descolagem bagageira átrio fumo".split(
    " ",
  ),
  ..."telemóvel,telemóveis,casa de banho,pequeno-almoço,praça de táxis,boletim de grávida".split(","),
  ..."morada alojamento registo equipa controlo ligação receção ecrã facto contacto aguaceiros consigo si".split(" "),
  String.raw`[\p{L}]+-(?:lhe|lhes|a|o|as|os|la|lo)`,
];
/** Words that they have in Brazil only. */
const BRAZILIAN = [
  ..."trem trens ônibus metrô van vans pouso pousar decolagem porta-malas saguão fumaça celular celulares".split(" "),
  ..."banheiro,café da manhã,ponto de táxi,caderneta da gestante,pancadas de chuva".split(","),
  ..."hospedagem registro equipe controle conexão recepção tela contato passagem garoa você vocês".split(" "),
];

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const ENTRY = new RegExp(String.raw`(?<![\w"])(pt|"pt-BR"):\s*(${QUOTED}|\{(?:[^"{}]|${QUOTED})*\})`, "gu");

/** The texts of every module, as its source has them. */
function readTexts(key: "pt" | '"pt-BR"'): string[] {
  const sources = globSync("server/src/modules/**/*.ts").map((path) => readFileSync(path, "utf8"));
  const entries = sources
    .filter((source) => source.includes("defineTexts(") || source.includes("  titles: {"))
    .flatMap((source) => [...source.matchAll(ENTRY)]);
  return entries.filter(([, name]) => name === key).map(([, , text = ""]) => text);
}

function listForeign(texts: readonly string[], words: readonly string[]): string[] {
  const word = new RegExp(String.raw`(?<!\p{L})(?:${words.join("|")})(?!\p{L})`, "giu");
  return texts.flatMap((text) => [...text.matchAll(word)].map(([found]) => `${found}: ${text}`));
}

describe("Portuguese", () => {
  const european = readTexts("pt");
  const brazilian = readTexts('"pt-BR"');

  it("has each text twice", () => {
    expect(european.length).toBeGreaterThan(150);
    expect(brazilian).toHaveLength(european.length);
  });

  it("for Brazil has no word of Portugal", () => {
    expect(listForeign(brazilian, EUROPEAN)).toEqual([]);
  });

  it("for Portugal has no word of Brazil", () => {
    expect(listForeign(european, BRAZILIAN)).toEqual([]);
  });

  it("is told apart by these words", () => {
    expect(listForeign(european, EUROPEAN).length).toBeGreaterThan(20);
    expect(listForeign(brazilian, BRAZILIAN).length).toBeGreaterThan(20);
  });
});
