const LETTERS: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  đ: "d",
  ð: "d",
  ı: "i",
  þ: "th",
  ħ: "h",
};

const PLAIN = /^[A-Za-z]+( [A-Za-z]+)*$/;
const SAINT = /\b(st|ste|sankt)\b/;

/** Normalises a name for comparison: no case, Latin accents, apostrophes or punctuation; "St." equals "Saint". */
export function fold(text: string): string {
  // Most names are plain words.
  const plain = PLAIN.test(text) ? text.toLowerCase() : unaccented(text);
  return SAINT.test(plain) ? plain.replace(/\b(st|ste|sankt)\b/g, "saint") : plain;
}

function unaccented(text: string): string {
  return (
    text
      .normalize("NFKD")
      // The accents of Latin, Greek and Cyrillic letters; in other scripts, marks distinguish words.
      .replace(/[\u0300-\u036f]/g, "")
      .toLowerCase()
      .normalize("NFC")
      .replace(/[øłßæœđðıþħ]/g, (letter) => LETTERS[letter] ?? letter)
      .replace(/['’‘ʻʼ`´.]/g, "")
      .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
      .trim()
  );
}
