import type { Language } from "../scan.ts";
import type { Recognised } from "./recognizer.ts";

/**
 * Words of travel documents by language, as they look when read as English, without diacritics. English words are left
 * out, and a word of two languages counts for both.
 */
const WORDS: Readonly<Record<Exclude<Language, "eng" | "jpn">, ReadonlySet<string>>> = {
  deu: words(
    "rechnung quittung beleg datum betrag gesamt gesamtbetrag summe zwischensumme mwst ust steuer netto brutto kunde karte",
    "zahlung bezahlt menge preis einzelpreis uhr strasse gmbh und der das fur danke vielen nacht ubernachtung rechnungsnummer",
    "rechnungsdatum steuernummer kassenbon fahrt fahrpreis leistung tisch bitte ihre ihr mit",
    "reisepass personalausweis staatsangehorigkeit deutsch vornamen geburtstag geburtsort geschlecht wohnort augenfarbe",
    "ausstellungsdatum ausstellende behorde gultig unterschrift bundesrepublik deutschland osterreich schweizerische",
  ),
  fra: words(
    "facture recu montant tva ttc sous-total carte paiement especes merci prix quantite le les des du et pour votre rue",
    "chambre nuit nuits numero siret addition reglement bancaire rendu taux visite bientot couverts",
    "echeance billet aller retour",
    "passeport identite nationalite nom prenoms naissance sexe lieu delivrance autorite domicile republique francaise",
  ),
  spa: words(
    "factura recibo fecha importe iva cliente tarjeta pago efectivo gracias precio cantidad imponible el los las del su calle",
    "habitacion noche noches numero nif cif cuenta cambio mesa descripcion unidades visita vencimiento",
    "servicio por con",
    "pasaporte identidad nacionalidad apellidos nombre nombres nacimiento sexo lugar expedicion caducidad autoridad espana",
  ),
  por: words(
    "fatura recibo valor iva cliente cartao pagamento dinheiro obrigado obrigada preco quantidade dos das sua rua quarto noite",
    "noites numero nif cnpj conta troco mesa descricao contribuinte vencimento servico cupom taxa com",
    "passaporte identidade nacionalidade apelidos sobrenome nome nomes nascimento sexo emissao validade autoridade",
    "portuguesa brasileira brasil",
  ),
  pol: words(
    "faktura paragon rachunek sprzedaz sprzedawca nabywca kwota razem suma netto brutto vat nip platnosc karta gotowka",
    "dziekujemy zlotych ilosc cena wartosc ulica zaplaty",
    "paszport dowod osobisty rzeczpospolita polska polskie nazwisko imiona obywatelstwo urodzenia miejsce plec wydania waznosci organ",
  ),
};

function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(" ").split(" "));
}

/** The number of words of one language that makes a page be read again in it. */
const FEWEST_WORDS = 3;

/** The languages of a page that was read as English, its own one first. */
export function chooseLanguages(english: Recognised): Language[] {
  const language = detectLanguage(english);
  return language === undefined ? ["eng"] : [language, "eng"];
}

function detectLanguage({ words }: Recognised): Exclude<Language, "eng" | "jpn"> | undefined {
  const plain = words.map(({ text }) => withoutMarks(text));
  const counts = (["deu", "fra", "spa", "por", "pol"] as const).map((language) => {
    return { language, count: plain.filter((word) => WORDS[language].has(word)).length };
  });
  const [first] = counts.toSorted((one, other) => other.count - one.count);
  return first !== undefined && first.count >= FEWEST_WORDS ? first.language : undefined;
}

const withoutMarks = (text: string): string =>
  text
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^a-z-]/g, "");

const KANA_OR_HAN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu;
const FEWEST_JAPANESE = 3;
/** The share of all characters: few of a page in another script look Japanese. */
const JAPANESE_SHARE = 0.15;

export function isJapanese({ words: found }: Recognised): boolean {
  const text = found.map((word) => word.text).join("");
  const count = text.match(KANA_OR_HAN)?.length ?? 0;
  return count >= FEWEST_JAPANESE && count >= JAPANESE_SHARE * text.length;
}
