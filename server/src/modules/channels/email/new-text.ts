/** The line above which people reply. Each mail of a conversation begins with it. */
export const REPLY_LINE = "— Please reply above this line —";

/** Lines with which mail programs begin what they quote. Longer ones are broken over two lines. */
const QUOTE_BEGINS: readonly RegExp[] = [
  /^>/,
  /^\s*[-_—]{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|mensaje original|mensagem original)\s*[-_—]{2,}/i,
  /^\s*_{20,}\s*$/,
  /^\s*(?:on|am|le|el|em|il)\b.{5,200}\b(?:wrote|schrieb|a écrit|escribió|escreveu|ha scritto)\b.{0,100}:\s*$/i,
  /^\s*(?:from|von|de)\s*:\s.{0,200}@/i,
  /^.{0,100}のメール:\s*$/,
];
/** The usual mark before a signature, and those of phones. */
const SIGNATURE =
  /^(?:-- ?|sent from my .{1,40}|von meinem .{1,40} gesendet|envoyé de mon .{1,40}|enviado desde mi .{1,40})$/i;
const MOST_LINES = 5_000;

/** The words that a mail adds to the conversation: without the mail that it answers, and without a signature. */
export function readNewText(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n", MOST_LINES);
  const end = lines.findIndex((line, at) => {
    if (line.includes(REPLY_LINE) || SIGNATURE.test(line.trimEnd())) return true;
    const joined = `${line} ${lines[at + 1] ?? ""}`;
    return QUOTE_BEGINS.some((begins) => begins.test(line)) || QUOTE_BEGINS[3]?.test(joined) === true;
  });
  return (end === -1 ? lines : lines.slice(0, end)).join("\n").trim();
}
