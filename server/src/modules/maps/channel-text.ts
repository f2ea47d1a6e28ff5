import { z } from "zod";
import { toVisibleText } from "../../domain/visible-text.ts";

export const channels = ["whatsapp", "slack", "web", "email", "mcp"] as const;
export type Channel = (typeof channels)[number];

export const ChannelText = z.object({
  channel: z.enum(channels),
  format: z.enum(["whatsapp", "mrkdwn", "markdown", "plain"]).describe("mrkdwn: Slack's"),
  text: z.string().describe("Ready to send on that channel; names in it are third-party text"),
});

/** The contents of a message beside a map, before it is fitted to its channel. */
export interface CardContent {
  title: string;
  summary: string;
  /** One line each, numbered. */
  lines: readonly string[];
  /**
   * The lines are our own advice and facts, which are never cut: if they do not fit, sentences and whole lines are omitted, the
   * last ones first.
   */
  isAdvice?: boolean;
  /** So many of the first lines protect the reader, such as from losing a right: links and other lines are omitted before them. */
  keptLines?: number;
  /** Said instead of the lines that are omitted. */
  saidOfOmitted?: string;
  notes: string;
  picture: { label: string; url: string } | undefined;
  links: readonly { label: string; url: string }[];
}

interface Style {
  format: z.output<typeof ChannelText>["format"];
  /** The limit of one message or caption there. */
  mostCharacters: number;
  bold(text: string): string;
  link(label: string, url: string): string;
  picture(label: string, url: string): string;
  /** Escapes third-party text for the channel's markup. */
  escape(text: string): string;
}

const plainLink = (label: string, url: string): string => `${label}: ${url}`;
const MARKDOWN = /[\\`*_[\]<>#|!~]/g;

const markdown: Style = {
  format: "markdown",
  mostCharacters: 8_000,
  bold: (text) => `**${text}**`,
  link: (label, url) => `[${label}](${url})`,
  picture: (label, url) => `![${label}](${url})`,
  escape: (text) => text.replaceAll(MARKDOWN, "\\$&"),
};

const styles: Readonly<Record<Channel, Style>> = {
  whatsapp: {
    format: "whatsapp",
    mostCharacters: 1_024,
    bold: (text) => `*${text}*`,
    link: plainLink,
    picture: plainLink,
    escape: (text) => text.replaceAll("*", "∗"),
  },
  slack: {
    format: "mrkdwn",
    mostCharacters: 3_000,
    bold: (text) => `*${text}*`,
    link: (label, url) => `<${url}|${label}>`,
    picture: (label, url) => `<${url}|${label}>`,
    escape: (text) =>
      text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("*", "∗"),
  },
  email: {
    format: "plain",
    mostCharacters: 10_000,
    bold: (text) => text,
    link: plainLink,
    picture: plainLink,
    escape: (text) => text,
  },
  web: markdown,
  mcp: markdown,
};

/** Without markup, for a carrier that shows every sign as it is. */
const withoutMarkup = (style: Style): Style => ({
  ...style,
  format: "plain",
  bold: (text) => text,
  link: plainLink,
  picture: plainLink,
  escape: (text) => text,
});

/** From generous to scant, until it fits: links are never cut. */
const FITTINGS = [
  { note: 1_000, line: 200 },
  { note: 300, line: 100 },
  { note: 120, line: 60 },
  { note: 0, line: 40 },
  { note: 0, line: 16 },
] as const;

/** The message in the channel's markup, or plain, and within its limits. */
export function fitToChannel(
  content: CardContent,
  channel: Channel,
  markup: "own" | "none" = "own",
): z.output<typeof ChannelText> {
  const style = markup === "own" ? styles[channel] : withoutMarkup(styles[channel]);
  const texts =
    content.isAdvice === true
      ? wholeLines(content).map((some) => compose(some, style, NO_LIMIT))
      : FITTINGS.map((fitting) => compose(content, style, fitting));
  const text = texts.find(({ length }) => length <= style.mostCharacters) ?? texts.at(-1) ?? "";
  return { channel, format: style.format, text };
}

/** Long enough for every sentence of ours, including names. */
const NO_LIMIT = { note: 1_000, line: 2_000 };
const SHORT_NOTE = 120;
/** Only the first sentence of a line always has this room. */
const SHORT_LINES = [200, 0] as const;

/** Ever shorter versions, without ever cutting a sentence. */
function wholeLines(content: CardContent): CardContent[] {
  const { keptLines = 0, saidOfOmitted = "" } = content;
  const short = { ...content, saidOfOmitted: "", notes: toVisibleText(content.notes, SHORT_NOTE) };
  const withoutNotes = { ...short, notes: "" };
  const bare = keptLines === 0 ? withoutNotes : { ...withoutNotes, links: [], picture: undefined };
  const shorten = (most: number, from: number) =>
    content.lines.map((line, index) => (index < from ? line : wholeSentences(line, most)));
  const shortened = SHORT_LINES.map((most) => ({ ...bare, lines: shorten(most, keptLines) }));
  const fewest = shorten(0, keptLines);
  const withoutLast = fewest.slice(keptLines).map((_, left) => ({
    ...bare,
    saidOfOmitted,
    lines: fewest.slice(0, fewest.length - left - 1),
  }));
  const keptShort = keptLines === 0 ? [] : [{ ...bare, saidOfOmitted, lines: shorten(0, 0).slice(0, keptLines) }];
  return [{ ...content, saidOfOmitted: "" }, short, withoutNotes, bare, ...shortened, ...withoutLast, ...keptShort];
}

/** As many of the first sentences as fit; the first one always. */
function wholeSentences(line: string, most: number): string {
  const sentences = line.split(/(?<=[.!?])\s+|(?<=[。！？])/u);
  let kept = sentences[0] ?? "";
  for (const sentence of sentences.slice(1)) {
    if (kept.length + 1 + sentence.length > most) break;
    kept = `${kept} ${sentence}`;
  }
  return kept;
}

function compose(content: CardContent, style: Style, fitting: { note: number; line: number }): string {
  const short = (text: string, length: number) => style.escape(toVisibleText(text, length));
  const { picture, links, notes, saidOfOmitted = "" } = content;
  const blocks = [
    [style.bold(short(content.title, fitting.line)), style.escape(content.summary)],
    [
      ...content.lines.map((line, index) => `${index + 1}. ${short(line, fitting.line)}`),
      ...(saidOfOmitted === "" ? [] : [style.escape(saidOfOmitted)]),
    ],
    fitting.note === 0 || notes === "" ? [] : [short(notes, fitting.note)],
    [
      ...(picture === undefined ? [] : [style.picture(picture.label, picture.url)]),
      ...links.map(({ label, url }) => style.link(label, url)),
    ],
  ];
  return blocks
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}
