/** An element by its local name. Prefixes are dropped: e-invoices choose their own. */
export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  /** Its own text, without that of its children. */
  text: string;
}

const MOST_CHARACTERS = 4_000_000;
const MOST_ELEMENTS = 100_000;
const MOST_DEPTH = 40;

const NAME = /[A-Za-z_][\w.-]{0,100}(?::[A-Za-z_][\w.-]{0,100})?/y;
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]{0,100})\s{0,10}=\s{0,10}(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /\s*(\/?)>/y;

interface Open {
  name: string;
  fullName: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  text: string;
}

/**
 * Parses a document of elements, texts, comments and CDATA. Undefined for a document type, custom entities, processing
 * instructions beside the declaration, and malformed XML.
 */
export function parseXml(source: string): XmlElement | undefined {
  if (source.length > MOST_CHARACTERS) return undefined;
  const text = source.replace(/^\ufeff?\s*<\?xml [^>?]{0,200}\?>/, "");
  const open: Open[] = [];
  let root: XmlElement | undefined;
  let count = 0;
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf("<", at);
    const between = text.slice(at, next < 0 ? text.length : next);
    if (!addText(open.at(-1), between)) return undefined;
    if (next < 0) break;
    if (text.startsWith("<!--", next)) {
      const end = text.indexOf("-->", next + 4);
      if (end < 0) return undefined;
      at = end + 3;
    } else if (text.startsWith("<![CDATA[", next)) {
      const end = text.indexOf("]]>", next);
      const parent = open.at(-1);
      if (end < 0 || parent === undefined) return undefined;
      parent.text += text.slice(next + 9, end);
      at = end + 3;
    } else if (text.startsWith("</", next)) {
      const end = text.indexOf(">", next);
      const closed = open.pop();
      if (end < 0 || closed === undefined || text.slice(next + 2, end).trimEnd() !== closed.fullName) return undefined;
      const parent = open.at(-1);
      if (parent === undefined) root = closed;
      else parent.children.push(closed);
      at = end + 1;
    } else {
      const tag = readTag(text, next + 1);
      count += 1;
      if (tag === undefined || count > MOST_ELEMENTS || open.length >= MOST_DEPTH) return undefined;
      if (open.length === 0 && root !== undefined) return undefined;
      if (!tag.isEmpty) open.push(tag.element);
      else if (open.length === 0) root = tag.element;
      else open.at(-1)?.children.push(tag.element);
      at = tag.end;
    }
  }
  return open.length === 0 ? root : undefined;
}

function addText(parent: Open | undefined, text: string): boolean {
  if (parent === undefined) return text.trim() === "";
  const decoded = decode(text);
  if (decoded === undefined) return false;
  parent.text += decoded;
  return true;
}

function readTag(text: string, start: number): { element: Open; isEmpty: boolean; end: number } | undefined {
  NAME.lastIndex = start;
  const fullName = NAME.exec(text)?.[0];
  if (fullName === undefined) return undefined;
  const attributes = new Map<string, string>();
  let at = start + fullName.length;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(text);
    if (match === null) break;
    const value = decode(match[2] ?? match[3] ?? "");
    const name = localName(match[1] ?? "");
    if (value === undefined || attributes.size > 50) return undefined;
    attributes.set(name, value);
    at = ATTRIBUTE.lastIndex;
  }
  TAG_END.lastIndex = at;
  const end = TAG_END.exec(text);
  if (end === null) return undefined;
  const element = { name: localName(fullName), fullName, attributes, children: [], text: "" };
  return { element, isEmpty: end[1] === "/", end: TAG_END.lastIndex };
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Undefined for an entity that XML itself does not define. */
function decode(text: string): string | undefined {
  if (!text.includes("&")) return text;
  let isKnown = true;
  const decoded = text.replaceAll(/&([^;&]{0,12});?/g, (whole, name: string) => {
    const code = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
    const point = code === null ? undefined : code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16);
    const character =
      point === undefined ? ENTITIES[name] : point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
    if (character === undefined || !whole.endsWith(";")) isKnown = false;
    return character ?? "";
  });
  return isKnown ? decoded : undefined;
}

/** The first element down a path of local names. */
export function findElement(from: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (element, name) => element?.children.find((child) => child.name === name),
    from,
  );
}

export const findElements = (from: XmlElement | undefined, name: string): XmlElement[] =>
  from?.children.filter((child) => child.name === name) ?? [];

export const textAt = (from: XmlElement | undefined, ...path: readonly string[]): string | undefined => {
  const text = findElement(from, ...path)?.text.trim();
  return text === "" ? undefined : text;
};
