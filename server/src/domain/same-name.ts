/** Whether two spellings may be the same name: as people write it, and as airlines and machine-readable zones do. */

/** Letters that machine-readable zones transliterate and that are more than accented ones. */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  Æ: "AE",
  Đ: "D",
  Ð: "D",
  Ħ: "H",
  Ł: "L",
  Ŋ: "N",
  Ø: "OE",
  Œ: "OE",
  Þ: "TH",
  Ŧ: "T",
  ẞ: "SS",
};

/** One of two family names is enough: some documents show both, and some profiles one. */
export function isSameFamilyName(left: string, right: string): boolean {
  return isPart(left, right, (one, other) => one === other);
}

/** An initial matches a name, and a zone may truncate one. */
export function isSameGivenName(left: string, right: string): boolean {
  return isPart(left, right, (one, other) => one.startsWith(other) || other.startsWith(one));
}

/** Whether the longer name contains every word of the shorter. Names in other scripts cannot be compared and count as equal. */
function isPart(left: string, right: string, isSame: (one: string, other: string) => boolean): boolean {
  const [one, other] = [splitName(left), splitName(right)];
  if (one === undefined || other === undefined || one.join("") === other.join("")) return true;
  const [fewer, more] = one.length <= other.length ? [one, other] : [other, one];
  return fewer.every((word) => more.some((known) => isSame(word, known)));
}

/** The words in letters from A to Z, with Ä, AE and A all as A. Undefined: there are letters of another script. */
function splitName(name: string): string[] | undefined {
  const plain = name
    .normalize("NFC")
    .toUpperCase()
    .replaceAll(/[ÆĐÐĦŁŊØŒÞŦẞ]/g, (letter) => WRITTEN_AS[letter] ?? letter)
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/['’ʼ.]/g, "");
  const words = plain.split(/[^\p{L}]+/u).filter((word) => word !== "");
  if (words.length === 0 || words.some((word) => /[^A-Z]/.test(word))) return undefined;
  return words.map((word) => word.replaceAll("AA", "A").replaceAll(/([AOU])E/g, "$1"));
}
