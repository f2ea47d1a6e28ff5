/** Elements whose content nobody reads. */
const UNREAD = new Set([
  "script",
  "style",
  "head",
  "title",
  "template",
  "noscript",
  "object",
  "iframe",
  "svg",
  "math",
  "select",
  "textarea",
]);
const VOID = new Set([
  "br",
  "hr",
  "img",
  "input",
  "meta",
  "link",
  "area",
  "base",
  "col",
  "embed",
  "source",
  "track",
  "wbr",
]);
const BLOCKS = new Set([
  "p",
  "div",
  "br",
  "hr",
  "tr",
  "li",
  "ul",
  "ol",
  "table",
  "blockquote",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "pre",
  "section",
]);
/** Styles with which a text is there and cannot be seen. */
const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?\.?0*\s*(?:;|!|$)|font-size\s*:\s*(?:0|1px|0?\.\d)|(?:max-)?(?:height|width)\s*:\s*0|mso-hide\s*:\s*all|text-indent\s*:\s*-\d{3,}|(?:left|top)\s*:\s*-\d{3,}|clip\s*:|clip-path\s*:|transform\s*:\s*scale\(0)/i;
const COLOR = /(?:^|;)\s*color\s*:\s*([^;!]+)/i;
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)/i;
const WHITE = new Set(["white", "#fff", "#ffffff", "rgb(255,255,255)", "transparent", "rgba(0,0,0,0)"]);
const TOKEN = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9:-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|<[!?][^>]*>|[^<]+|</gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const MOST_DEPTH = 500;
const MOST_CHARACTERS = 500_000;

interface OpenElement {
  readonly name: string;
  readonly isHidden: boolean;
  /** A quotation of the mail that is answered. */
  readonly isQuote: boolean;
}

/** The text of an HTML mail that its reader sees, without what it quotes. */
export function readVisibleHtml(html: string): string {
  const open: OpenElement[] = [];
  const text: string[] = [];
  for (const [token, closing, rawName, attributes = ""] of html.slice(0, MOST_CHARACTERS).matchAll(TOKEN)) {
    const name = rawName?.toLowerCase();
    const isUnseen = open.some(({ isHidden, isQuote }) => isHidden || isQuote);
    if (name === undefined) {
      if (!isUnseen && !(token.startsWith("<") && token.length > 1)) text.push(token.replaceAll(/\s+/g, " "));
      continue;
    }
    if (BLOCKS.has(name) && !isUnseen) text.push("\n");
    if (closing === "/") close(open, name);
    else if (!VOID.has(name) && !attributes.endsWith("/") && open.length < MOST_DEPTH)
      open.push(judge(name, attributes));
  }
  return decodeEntities(text.join(""))
    .replaceAll(/[ \t]*\n[ \t]*/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function close(open: OpenElement[], name: string): void {
  const at = open.findLastIndex((one) => one.name === name);
  if (at !== -1) open.splice(at);
}

function judge(name: string, attributes: string): OpenElement {
  const style = readAttribute(attributes, "style");
  const classes = readAttribute(attributes, "class");
  const isHidden =
    UNREAD.has(name) ||
    /(?:^|\s)hidden(?:[\s=/]|$)/i.test(attributes.replaceAll(/"[^"]*"|'[^']*'/g, "")) ||
    /^true$/i.test(readAttribute(attributes, "aria-hidden")) ||
    HIDDEN_STYLE.test(style) ||
    hasColorOfBackground(style, readAttribute(attributes, "color"));
  const isQuote = name === "blockquote" || /gmail_quote|moz-cite-prefix|yahoo_quoted|protonmail_quote/i.test(classes);
  return { name, isHidden, isQuote };
}

function hasColorOfBackground(style: string, attribute: string): boolean {
  const plain = (value: string | undefined) => value?.toLowerCase().replaceAll(/\s/g, "");
  const color = plain(COLOR.exec(style)?.[1] ?? (attribute === "" ? undefined : attribute));
  const background = plain(BACKGROUND.exec(style)?.[1]);
  return color !== undefined && (color === background || (background === undefined && WHITE.has(color)));
}

function readAttribute(attributes: string, name: string): string {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? "");
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
