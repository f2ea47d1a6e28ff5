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

/** A name as it is compared: no case, accents, apostrophes or punctuation; "St." and "Saint" are one word. */
export function fold(text: string): string {
  // Most names are plain words; the table is folded whenever the service starts.
  const plain = PLAIN.test(text) ? text.toLowerCase() : unaccented(text);
  return plain.replace(/\b(st|ste|sankt)\b/g, "saint");
}

function unaccented(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[øłßæœđðıþħ]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/['’‘ʻʼ`´.]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
