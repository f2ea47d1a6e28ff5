/** An element with what is in it; what is undefined is left out, and so is an element with nothing in it. */
export type XmlNode = string | undefined;

export function element(name: string, content: string | readonly XmlNode[], attributes = ""): XmlNode {
  const inner = typeof content === "string" ? escapeXml(content) : content.filter((one) => one !== undefined).join("");
  if (inner === "") return undefined;
  return `<${name}${attributes}>${inner}</${name}>`;
}

export const attribute = (name: string, value: string): string => ` ${name}="${escapeXml(value)}"`;

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** What XML has no way to say, such as control characters, is left out. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replace(/[&<>"]/g, (sign) => signs[sign] ?? "");
